<?php
/**
 * Stand-in for Regenerate Thumbnails 3.1.5 (Viper007Bond/regenerate-thumbnails, 75f1b46) with "skip regenerating existing correctly sized
 * thumbnails" switched off: makes all sizes again of the attached file and writes the metadata, which is often the same as before, so
 * that no hook of metadata fires but `wp_update_attachment_metadata`.
 */
defined( 'ABSPATH' ) || exit;

function stand_in_regenerate( $id, $time ) {
	require_once ABSPATH . 'wp-admin/includes/image.php';
	$old  = wp_get_attachment_metadata( $id );
	$path = wp_get_original_image_path( $id ) ? wp_get_original_image_path( $id ) : get_attached_file( $id );
	$new  = wp_generate_attachment_metadata( $id, $path );
	foreach ( $new['sizes'] as $size ) {
		// The time at which they were made, later than the upload.
		touch( dirname( $path ) . '/' . $size['file'], $time );
	}
	foreach ( $old['sizes'] as $name => $size ) {
		$new['sizes'][ $name ] = $new['sizes'][ $name ] ?? $size;
	}
	wp_update_attachment_metadata( $id, $new );
}
