<?php
/**
 * Errors of the REST routes.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Converts errors of the service and of this plugin to responses that the widget and WordPress can read.
 */
class Imagewright_Rest_Errors {

	/**
	 * Converts an error of the service to a WP_Error.
	 *
	 * @param int   $status  HTTP status of the service.
	 * @param array $body    Its decoded body: `error`, `code` and details.
	 * @param array $headers Its headers, lower case.
	 * @return WP_Error
	 */
	public static function from_service( $status, $body, $headers = array() ) {
		$message = isset( $body['error'] ) && is_string( $body['error'] )
			? $body['error']
			/* translators: %d: HTTP status */
			: sprintf( __( 'The image service returned status %d.', 'imagewright' ), $status );
		$data = array(
			'status'        => self::status( $status ),
			'serviceStatus' => $status,
			'details'       => array_diff_key( $body, array_flip( array( 'error', 'code' ) ) ),
		);
		if ( isset( $headers['retry-after'] ) ) {
			$data['retryAfter'] = (int) $headers['retry-after'];
		}
		if ( 401 === $status ) {
			$message = __( 'The image service refused the API key of this site. An administrator can change it in the settings.', 'imagewright' );
		}
		$code = isset( $body['code'] ) && is_string( $body['code'] ) ? $body['code'] : 'imagewright_service_error';
		return new WP_Error( sanitize_key( $code ), self::translate( $code, $message ), $data );
	}

	/**
	 * Returns the status for the browser. A 401 becomes 424: it would mean that the WordPress login has expired.
	 *
	 * @param int $status HTTP status of the service.
	 * @return int
	 */
	public static function status( $status ) {
		if ( 401 === $status ) {
			return 424;
		}
		return $status >= 400 && $status <= 599 ? $status : 502;
	}

	/**
	 * Converts a WP_Error to the error format of the service, for the proxied routes.
	 *
	 * @param WP_Error $error Error.
	 * @return WP_REST_Response
	 */
	public static function as_service_answer( $error ) {
		$data   = (array) $error->get_error_data();
		$status = (int) ( $data['status'] ?? 500 );
		$body   = array_merge(
			(array) ( $data['details'] ?? array() ),
			array(
				'error' => $error->get_error_message(),
				'code'  => (string) $error->get_error_code(),
			)
		);
		$answer = new WP_REST_Response( $body, $status );
		if ( isset( $data['retryAfter'] ) ) {
			$answer->header( 'Retry-After', (string) $data['retryAfter'] );
		}
		return $answer;
	}

	/**
	 * Creates an error of this plugin.
	 *
	 * @param string $code    Code without the prefix `imagewright_`.
	 * @param string $message Translated message.
	 * @param int    $status  HTTP status.
	 * @param array  $details Additional fields of the response.
	 * @return WP_Error
	 */
	public static function make( $code, $message, $status = 400, $details = array() ) {
		return new WP_Error(
			'imagewright_' . $code,
			$message,
			array(
				'status'  => $status,
				'details' => $details,
			)
		);
	}

	/**
	 * Returns the message of an error in the language of the user.
	 *
	 * @param string $code    Code of the service.
	 * @param string $message Its message.
	 * @return string
	 */
	public static function translate( $code, $message ) {
		list( $english, $text ) = self::translations()[ $code ] ?? array( '', '' );
		return $text === $english ? $message : $text;
	}

	/**
	 * Returns the English texts and their translations by code.
	 *
	 * @return array<string,array{0:string,1:string}>
	 */
	private static function translations() {
		$busy = array( 'The image service is busy. It is asked again later.', __( 'The image service is busy. It is asked again later.', 'imagewright' ) );
		$gone = array( 'The image is no longer at the image service. Try again.', __( 'The image is no longer at the image service. Try again.', 'imagewright' ) );
		return array(
			'insufficient_credits'  => array( 'There are not enough credits. Nothing was charged.', __( 'There are not enough credits. Nothing was charged.', 'imagewright' ) ),
			'inactive_api_key'      => array( 'The account or its key is deactivated.', __( 'The account or its key is deactivated.', 'imagewright' ) ),
			'account_suspended'     => array( 'The account or its key is deactivated.', __( 'The account or its key is deactivated.', 'imagewright' ) ),
			'file_too_large'        => array( 'The file is larger than the image service accepts.', __( 'The file is larger than the image service accepts.', 'imagewright' ) ),
			'unsupported_image'     => array( 'The file is not an image of a format that can be optimized.', __( 'The file is not an image of a format that can be optimized.', 'imagewright' ) ),
			'invalid_image'         => array( 'The file cannot be read as an image.', __( 'The file cannot be read as an image.', 'imagewright' ) ),
			'too_many_pixels'       => array( 'The image has more pixels than the image service accepts.', __( 'The image has more pixels than the image service accepts.', 'imagewright' ) ),
			'too_many_frames'       => array( 'The animation has more frames than the image service accepts.', __( 'The animation has more frames than the image service accepts.', 'imagewright' ) ),
			'output_too_large'      => array( 'The chosen format cannot hold an image of this size.', __( 'The chosen format cannot hold an image of this size.', 'imagewright' ) ),
			'daily_limit_reached'   => array( 'The plan allows no more images today. Counting begins anew at midnight (UTC).', __( 'The plan allows no more images today. Counting begins anew at midnight (UTC).', 'imagewright' ) ),
			'session_limit_reached' => array( 'The plan allows no more sessions at a time.', __( 'The plan allows no more sessions at a time.', 'imagewright' ) ),
			'storage_limit_reached' => array( 'The storage of the plan is full.', __( 'The storage of the plan is full.', 'imagewright' ) ),
			'processing_timeout'    => array( 'The image could not be processed.', __( 'The image could not be processed.', 'imagewright' ) ),
			'processing_failed'     => array( 'The image could not be processed.', __( 'The image could not be processed.', 'imagewright' ) ),
			'signing_failed'        => array( 'The image could not be processed.', __( 'The image could not be processed.', 'imagewright' ) ),
			'internal_error'        => array( 'The image could not be processed.', __( 'The image could not be processed.', 'imagewright' ) ),
			'rate_limited'          => $busy,
			'overloaded'            => $busy,
			'shutting_down'         => $busy,
			'database_unavailable'  => $busy,
			'storage_unavailable'   => $busy,
			'insufficient_storage'  => $busy,
			'session_not_found'     => $gone,
			'image_not_found'       => $gone,
		);
	}
}
