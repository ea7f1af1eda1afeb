<?php
/**
 * One file in the place of another.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Puts a file in the place of another in one step. WordPress removes the old file first, and gives up if another process has just removed
 * it.
 */
class Imagewright_Swap {

	/**
	 * Moves a file over another.
	 *
	 * @param string $from Path.
	 * @param string $to   Path.
	 * @return bool
	 */
	public function put( $from, $to ) {
		require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-base.php';
		require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-direct.php';
		$disk = new class( null ) extends WP_Filesystem_Direct {

			/**
			 * Says that nothing has to be removed first.
			 *
			 * @param string $path Path.
			 * @return bool
			 */
			public function exists( $path ) {
				return false;
			}
		};
		return $disk->move( $from, $to, true );
	}
}
