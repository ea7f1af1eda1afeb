<?php
/**
 * Removes the plugin's data from the database. Optimized files beside the originals are deleted if a setting says so. All other
 * image files stay: files that replaced originals are in use, and WordPress deletes the originals with their attachment.
 * Restore all images before uninstalling to get the originals back.
 *
 * @package Imagewright
 */

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

defined( 'IMAGEWRIGHT_DIR' ) || define( 'IMAGEWRIGHT_DIR', plugin_dir_path( __FILE__ ) );
require_once IMAGEWRIGHT_DIR . 'includes/autoload.php';

/** Deletes the optimized files beside the originals of one site. */
function imagewright_delete_files() {
	global $wpdb;
	$imagewright_last = 0;
	do {
		$imagewright_rows = $wpdb->get_results( $wpdb->prepare( "SELECT meta_id, post_id, meta_value FROM $wpdb->postmeta WHERE meta_key = '_imagewright' AND meta_id > %d ORDER BY meta_id LIMIT 500", $imagewright_last ) );
		foreach ( $imagewright_rows as $imagewright_row ) {
			$imagewright_last  = (int) $imagewright_row->meta_id;
			$imagewright_state = maybe_unserialize( $imagewright_row->meta_value );
			if ( is_array( $imagewright_state ) && 'beside' === ( $imagewright_state['way'] ?? '' ) ) {
				imagewright()->get( 'Imagewright_Addition' )->remove_files( (int) $imagewright_row->post_id, $imagewright_state );
			}
		}
	} while ( $imagewright_rows );
}

/** Removes the plugin's options and metadata from one site. */
function imagewright_uninstall_site() {
	if ( ! empty( imagewright()->get( 'Imagewright_Options' )->all()['delete_files'] ) ) {
		imagewright_delete_files();
		// Cached pages still offer the deleted files.
		imagewright()->get( 'Imagewright_Caches' )->purge();
	}
	imagewright()->get( 'Imagewright_Access' )->revoke_spending();
	wp_clear_scheduled_hook( 'imagewright_check' );
	delete_transient( 'imagewright_vision' );
	delete_option( 'imagewright_settings' );
	delete_option( 'imagewright_api_key' );
	foreach ( array( 'delivered', 'table', 'pause', 'today', 'backgrounds', 'checked' ) as $imagewright_option ) {
		delete_option( "imagewright_$imagewright_option" );
	}
	global $wpdb;
	// A killed PHP process leaves the lock of its image behind.
	$imagewright_locks = $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock' OR option_name LIKE 'imagewright_budget_%' OR option_name LIKE 'imagewright_run_%' OR option_name LIKE 'imagewright_cursor_%'" );
	array_map( 'delete_option', $imagewright_locks );
	foreach ( array( '_imagewright', '_imagewright_work', '_imagewright_describe', '_imagewright_version', '_imagewright_was', '_imagewright_former', '_imagewright_text' ) as $imagewright_key ) {
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
