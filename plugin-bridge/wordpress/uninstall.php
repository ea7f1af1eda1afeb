<?php
/**
 * Removes what the plugin stored in the database. Images stay as they are: optimized files are in use, and the files from
 * before belong to their attachments, with which WordPress deletes them. Restore all images first to go back to those.
 *
 * @package Imagewright
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

/** Forgets everything on one site. */
function imagewright_uninstall_site() {
	delete_option( 'imagewright_settings' );
	delete_option( 'imagewright_api_key' );
	global $wpdb;
	// One for each image that was at work when PHP was killed. Only the database knows which.
	$imagewright_locks = $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock'" ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery
	array_map( 'delete_option', $imagewright_locks );
	foreach ( array( '_imagewright', '_imagewright_failure', '_imagewright_work', '_imagewright_version', '_imagewright_tries' ) as $imagewright_key ) {
		delete_metadata( 'post', 0, $imagewright_key, '', true );
	}
	foreach ( array( 'imagewright_run', 'imagewright_session' ) as $imagewright_key ) {
		delete_metadata( 'user', 0, $wpdb->get_blog_prefix() . $imagewright_key, '', true );
	}
}

if ( is_multisite() ) {
	foreach ( get_sites( array( 'fields' => 'ids', 'number' => 0 ) ) as $imagewright_site ) {
		switch_to_blog( $imagewright_site );
		imagewright_uninstall_site();
		restore_current_blog();
	}
} else {
	imagewright_uninstall_site();
}
