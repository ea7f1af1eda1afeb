<?php
/**
 * One file in the place of another.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-base.php';
require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-direct.php';

/**
 * The direct filesystem of WordPress, whose `move` puts a file in the place of another in one step. WordPress removes the old file first,
 * and gives up if another process has just removed it.
 */
class Imagewright_Swap extends WP_Filesystem_Direct {

	/**
	 * Says that nothing has to be removed first.
	 *
	 * @param string $path Path.
	 * @return bool
	 */
	public function exists( $path ) {
		return false;
	}
}
