<?php
/**
 * Removes the plugin's data from the database. Image files stay: optimized files are in use, and WordPress deletes the
 * original files together with their attachment. Restore all images before uninstalling to get the originals back.
 *
 * @package Imagewright
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

/** Removes the plugin's options and metadata from one site. */
function imagewright_uninstall_site() {
	delete_option( 'imagewright_settings' );
	delete_option( 'imagewright_api_key' );
	foreach ( array( 'delivered', 'table', 'pause', 'today' ) as $imagewright_option ) {
		delete_option( "imagewright_$imagewright_option" );
	}
	global $wpdb;
	// A killed PHP process leaves the lock of its image behind.
	$imagewright_locks = $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock' OR option_name LIKE 'imagewright_budget_%' OR option_name LIKE 'imagewright_run_%' OR option_name LIKE 'imagewright_cursor_%'" );
	array_map( 'delete_option', $imagewright_locks );
	foreach ( array( '_imagewright', '_imagewright_work', '_imagewright_version', '_imagewright_was' ) as $imagewright_key ) {
		delete_metadata( 'post', 0, $imagewright_key, '', true );
	}
	delete_metadata( 'user', 0, $wpdb->get_blog_prefix() . 'imagewright_session', '', true );
	$wpdb->query( "DROP TABLE IF EXISTS {$wpdb->prefix}imagewright" ); // phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- the prefix of the site.
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
