<?php
/**
 * Messages of the service.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Translates the messages of the service by their codes. The service speaks English, with numbers that these texts lack, so English
 * sites show its own words.
 */
class Imagewright_Service_Texts {

	/**
	 * Returns the message of an error in the language of the user.
	 *
	 * @param string $code    Code of the service.
	 * @param string $message Its message.
	 * @return string
	 */
	public static function translate( $code, $message ) {
		list( $english, $text ) = self::all()[ $code ] ?? array( '', '' );
		return $text === $english ? $message : $text;
	}

	/**
	 * Returns the English texts and their translations by code.
	 *
	 * @return array<string,array{0:string,1:string}>
	 */
	private static function all() {
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
