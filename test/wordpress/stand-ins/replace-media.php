<?php
/**
 * Stand-in for plugins that replace the picture of an attachment, as Enable Media Replace 4.2 was seen to do it: all files that WordPress
 * would delete with the attachment are deleted, the new file is attached, under the old name or its own, and its sizes are made. What the
 * attachment's metadata lists besides, such as backups, stays in the database.
 */

/**
 * Replaces the picture of an attachment.
 *
 * @param int    $id    Attachment.
 * @param string $bytes New file.
 * @param string $name  Name of the new file; empty to keep the old one.
 */
function stand_in_replace_media( $id, $bytes, $name = '' ) {
	require_once ABSPATH . 'wp-admin/includes/image.php';
	$old = (string) wp_get_original_image_path( $id, true );
	wp_delete_attachment_files( $id, wp_get_attachment_metadata( $id ), get_post_meta( $id, '_wp_attachment_backup_sizes', true ), $old );
	$shown = get_attached_file( $id, true );
	if ( file_exists( $shown ) ) {
		unlink( $shown );
	}
	$new = '' === $name ? $old : dirname( $old ) . '/' . wp_unique_filename( dirname( $old ), $name );
	file_put_contents( $new, $bytes );
	update_attached_file( $id, $new );
	wp_update_post( array( 'ID' => $id, 'post_mime_type' => wp_get_image_mime( $new ) ) );
	wp_update_attachment_metadata( $id, wp_generate_attachment_metadata( $id, $new ) );
}
