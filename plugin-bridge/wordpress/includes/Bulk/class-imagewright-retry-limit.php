<?php
/**
 * Limit of interrupted attempts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Counts the attempts on an attachment that PHP did not survive or whose download was damaged. A bulk run skips such an image
 * after MAX_ATTEMPTS; otherwise it would fail on it each time it is resumed.
 */
class Imagewright_Retry_Limit {

	const META = '_imagewright_tries';
	/** Interrupted attempts after which a bulk run skips an image. */
	const MAX_ATTEMPTS = 2;

	/**
	 * Runs a callback and counts it as an attempt until it returns. The caller holds the lock of the attachment.
	 *
	 * @param int      $id       Attachment.
	 * @param string   $run      Bulk run; empty for a request of a person, which is not limited.
	 * @param callable $callback Callback.
	 * @return mixed Result of the callback, or WP_Error.
	 */
	public static function run( $id, $run, $callback ) {
		$attempts = (int) get_post_meta( $id, self::META, true );
		if ( '' !== $run && $attempts >= self::MAX_ATTEMPTS ) {
			return self::give_up( $id, $attempts );
		}
		update_post_meta( $id, self::META, $attempts + 1 );
		$done = $callback();
		if ( ! is_wp_error( $done ) || 'imagewright_bad_download' !== $done->get_error_code() ) {
			delete_post_meta( $id, self::META );
		}
		return $done;
	}

	/**
	 * Restores the attachment and resets the counter, so that a later run may try again.
	 *
	 * @param int $id       Attachment.
	 * @param int $attempts Attempts so far.
	 * @return WP_Error
	 */
	private static function give_up( $id, $attempts ) {
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' !== $state['status'] && self::MAX_ATTEMPTS === $attempts ) {
			// Counts the restoration too: if it ends PHP, the next attempt skips it.
			update_post_meta( $id, self::META, $attempts + 1 );
			Imagewright_Restoration::put_back( $id, $state, true );
		}
		delete_post_meta( $id, self::META );
		return Imagewright_Rest_Errors::make( 'gave_up', __( 'Two attempts with this image were interrupted: the server may lack memory or time for it, or its download gets damaged.', 'imagewright' ), 422 );
	}
}
