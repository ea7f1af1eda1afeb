<?php
/**
 * Images that were deleted while they were optimized.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Removes what a request has written for an attachment that another request deleted meanwhile. WordPress removed all that existed
 * at that moment.
 */
class Imagewright_Deletion {

	/**
	 * Returns true if the attachment exists in the database. The cache of this process may be older.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function exists( $id ) {
		global $wpdb;
		return (bool) $wpdb->get_var( $wpdb->prepare( "SELECT 1 FROM $wpdb->posts WHERE ID = %d", $id ) );
	}

	/**
	 * Removes files, records and the session of an attachment that does not exist any more.
	 *
	 * @param int $id Attachment.
	 */
	public static function tidy( $id ) {
		if ( self::exists( $id ) ) {
			return;
		}
		wp_cache_delete( $id, 'post_meta' );
		$state = Imagewright_State::get( $id );
		// The files stay while another attachment of the picture exists.
		if ( $state && ! array_filter( array_diff( array_keys( $state['own'] ?? array() ), array( (int) $id ) ), array( __CLASS__, 'exists' ) ) ) {
			$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
			foreach ( array_merge( $state['created'] ?? array(), array_values( $state['copies'] ?? array() ) ) as $name ) {
				Imagewright_Files::remove( path_join( $dir, $name ) );
			}
		}
		$checkpoint = get_post_meta( $id, Imagewright_Checkpoint::META, true );
		if ( is_array( $checkpoint ) ) {
			Imagewright_Checkpoint::finish( $id, $checkpoint );
		}
		foreach ( array( Imagewright_State::META, Imagewright_State::WAS, Imagewright_Text_Record::META, Imagewright_Texts::ALT, '_wp_attachment_backup_sizes', '_wp_attachment_metadata' ) as $key ) {
			delete_post_meta( $id, $key );
		}
		Imagewright_Index::remove( $id );
	}
}
