<?php
/**
 * Tries that ended in the middle.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Counts the tries of an attachment that came to no end of their own: PHP died of memory or time, or what was downloaded was
 * damaged. A bulk run goes past such an image, which it would otherwise meet first whenever it is resumed.
 */
class Imagewright_Retry_Limit {

	const META = '_imagewright_tries';
	/** That many, and a bulk run begins no further one. */
	const MAX_ATTEMPTS = 2;

	/**
	 * Does something with an attachment and counts it until it has come to an end. The caller holds its lock.
	 *
	 * @param int      $id   Attachment.
	 * @param string   $run  Bulk run; without one a person asked for this very image, and is not refused.
	 * @param callable $callback What to do.
	 * @return mixed What the work returns, or WP_Error.
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
	 * Undoes what was begun. The next run may try again: by then the server may have been given more.
	 *
	 * @param int $id    Attachment.
	 * @param int $attempts Tries so far.
	 * @return WP_Error
	 */
	private static function give_up( $id, $attempts ) {
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' !== $state['status'] && self::MAX_ATTEMPTS === $attempts ) {
			// Counted too: not even the way back may block the run.
			update_post_meta( $id, self::META, $attempts + 1 );
			Imagewright_Restoration::put_back( $id, $state, true );
		}
		delete_post_meta( $id, self::META );
		return Imagewright_Rest_Errors::make( 'gave_up', __( 'Two tries of this image ended in the middle: this server may lack memory or time for it, or its download is damaged on the way.', 'imagewright' ), 422 );
	}
}
