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
		return new WP_Error( sanitize_key( $code ), Imagewright_Service_Texts::translate( $code, $message ), $data );
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
}
