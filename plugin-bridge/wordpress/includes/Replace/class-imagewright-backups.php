<?php
/**
 * Originals of replaced images.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Deletes the originals that a replacement keeps, which then cannot be restored. Files in use stay, and so do the files of an image
 * whose old address any post, setting or other plugin still names.
 */
class Imagewright_Backups {

	/** Way in the settings of a row: the originals were deleted. */
	const GONE = 'final';

	/**
	 * Deletes the originals of an attachment. The caller holds its lock.
	 *
	 * @param int $id Attachment.
	 * @return true|WP_Error
	 */
	public static function discard( $id ) {
		$state = Imagewright_State::get( $id );
		if ( ! $state || 'optimized' !== $state['status'] || 'beside' === ( $state['way'] ?? '' ) || ! empty( $state['discarded'] ) ) {
			return true;
		}
		if ( ! current_user_can( 'manage_options' ) ) {
			return Imagewright_Rest_Errors::make( 'may_not_change', __( 'The user who started this may not change the image.', 'imagewright' ), 422 );
		}
		$dir    = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		$gone   = array();
		$copies = array_values( $state['copies'] );
		$named  = self::is_named( $state['snapshot'] ) || Imagewright_Kept_Files::is_used( $state['snapshot']['attached_file'], Imagewright_Shared::of( $id ) );
		foreach ( array_keys( $state['snapshot']['files'] ) as $name ) {
			$kept = $state['copies'][ $name ] ?? $name;
			if ( in_array( $kept, $copies, true ) || ( ! $named && ! in_array( $kept, self::in_use( $id, $state ), true ) ) ) {
				$gone[] = $kept;
			}
		}
		$state['discarded'] = true;
		// Stored first: after an interruption the image is not restored from half of its files.
		Imagewright_State::set( $id, $state );
		foreach ( $gone as $name ) {
			Imagewright_Files::remove( path_join( $dir, $name ) );
		}
		foreach ( Imagewright_Shared::of( $id ) as $one ) {
			self::unlist( $one, $gone );
		}
		return true;
	}

	/**
	 * Returns the error for an image whose originals were deleted, or null.
	 *
	 * @param array|null $state Record.
	 * @return WP_Error|null
	 */
	public static function loss( $state ) {
		if ( empty( $state['discarded'] ) ) {
			return null;
		}
		return Imagewright_Rest_Errors::make( 'originals_deleted', __( 'The originals of this image were deleted, so it stays as it is.', 'imagewright' ), 409 );
	}

	/**
	 * Lists the files that the attachment uses now.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string[] Names.
	 */
	private static function in_use( $id, $state ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		return array_merge( $state['created'], Imagewright_Snapshot::names( (string) get_post_meta( $id, '_wp_attached_file', true ), is_array( $metadata ) ? $metadata : array() ) );
	}

	/**
	 * Returns true if anything names an old address: posts, their metadata, widgets or settings of themes and plugins. Slashes may
	 * be written in any way, and any address that begins alike counts, so that none is lost.
	 *
	 * @param array $snapshot Snapshot.
	 * @return bool
	 */
	private static function is_named( $snapshot ) {
		global $wpdb;
		$stem  = preg_replace( '/(-scaled|-rotated)?\.\w+$/', '', $snapshot['attached_file'] );
		$like  = '%' . str_replace( '/', '%', $wpdb->esc_like( $stem ) ) . '%';
		$exact = '%' . str_replace( '/', '%', $wpdb->esc_like( implode( '/', array_map( 'rawurlencode', explode( '/', $stem ) ) ) ) ) . '%';
		$query = static function ( $from, $column, $others ) use ( $wpdb, $like, $exact ) {
			return $wpdb->prepare( "SELECT COUNT(*) FROM $from WHERE ( $column LIKE %s OR $column LIKE %s ) AND $others", $like, $exact ); // phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- names of tables and columns.
		};
		return Imagewright_Index::number( $query( $wpdb->posts, 'post_content', "post_type NOT IN ('attachment','revision')" ) ) > 0
			|| Imagewright_Index::number( $query( $wpdb->postmeta, 'meta_value', "meta_key NOT LIKE '_wp_attach%' AND meta_key NOT LIKE '_imagewright%'" ) ) > 0
			|| Imagewright_Index::number( $query( $wpdb->options, 'option_value', "option_name NOT LIKE '_transient%' AND option_name NOT LIKE '_site_transient%'" ) ) > 0;
	}

	/**
	 * Takes deleted files off the list of those that WordPress deletes with the attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names.
	 */
	private static function unlist( $id, $names ) {
		$sizes = array_filter(
			(array) get_post_meta( $id, '_wp_attachment_backup_sizes', true ),
			static function ( $size ) use ( $names ) {
				return is_array( $size ) && ! in_array( $size['file'], $names, true );
			}
		);
		if ( $sizes ) {
			update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( $sizes ) );
		} else {
			delete_post_meta( $id, '_wp_attachment_backup_sizes' );
		}
	}
}
