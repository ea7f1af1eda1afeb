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

	/** Records of images. */
	private Imagewright_State $state;
	/** Files that others use. */
	private Imagewright_Kept_Files $kept_files;
	/** Attachments of a picture. */
	private Imagewright_Shared $shared;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State      $state      Records of images.
	 * @param Imagewright_Kept_Files $kept_files Files that others use.
	 * @param Imagewright_Shared     $shared     Attachments of a picture.
	 * @param Imagewright_Files      $files      Files below the uploads folder.
	 * @param Imagewright_Snapshot   $snapshot   Snapshots of attachments.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Kept_Files $kept_files,
		Imagewright_Shared $shared,
		Imagewright_Files $files,
		Imagewright_Snapshot $snapshot
	) {
		$this->state      = $state;
		$this->kept_files = $kept_files;
		$this->shared     = $shared;
		$this->files      = $files;
		$this->snapshot   = $snapshot;
	}

	/**
	 * Deletes the originals of an attachment. The caller holds its lock.
	 *
	 * @param int $id Attachment.
	 * @return true|WP_Error
	 */
	public function discard( $id ) {
		$state = $this->state->get( $id );
		if ( ! $state || 'optimized' !== $state['status'] || 'beside' === ( $state['way'] ?? '' ) || ! empty( $state['discarded'] ) ) {
			return true;
		}
		if ( ! current_user_can( 'manage_options' ) ) {
			return Imagewright_Rest_Errors::make( 'may_not_change', __( 'The user who started this may not change the image.', 'imagewright' ), 422 );
		}
		$dir    = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		$gone   = array();
		$copies = array_values( $state['copies'] );
		$named  = $this->is_named( $state['snapshot'] ) || $this->kept_files->is_used( $state['snapshot']['attached_file'], $this->shared->of( $id ) );
		foreach ( array_keys( $state['snapshot']['files'] ) as $name ) {
			$kept = $state['copies'][ $name ] ?? $name;
			if ( in_array( $kept, $copies, true ) || ( ! $named && ! in_array( $kept, $this->in_use( $id, $state ), true ) ) ) {
				$gone[] = $kept;
			}
		}
		$state['discarded'] = true;
		// Stored first: after an interruption the image is not restored from half of its files.
		$this->state->set( $id, $state );
		foreach ( $gone as $name ) {
			$this->files->remove( path_join( $dir, $name ) );
		}
		foreach ( $this->shared->of( $id ) as $one ) {
			$this->unlist( $one, $gone );
		}
		return true;
	}

	/**
	 * Lists the files that the attachment uses now.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string[] Names.
	 */
	private function in_use( $id, $state ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		return array_merge( $state['created'], $this->snapshot->names( (string) get_post_meta( $id, '_wp_attached_file', true ), is_array( $metadata ) ? $metadata : array() ) );
	}

	/**
	 * Returns true if anything names an old address: posts, their metadata, widgets or settings of themes and plugins. Slashes may
	 * be written in any way, and any address that begins alike counts, so that none is lost.
	 *
	 * @param array $snapshot Snapshot.
	 * @return bool
	 */
	private function is_named( $snapshot ) {
		global $wpdb;
		$stem  = preg_replace( '/(-scaled|-rotated)?\.\w+$/', '', $snapshot['attached_file'] );
		$like  = '%' . str_replace( '/', '%', $wpdb->esc_like( $stem ) ) . '%';
		$exact = '%' . str_replace( '/', '%', $wpdb->esc_like( implode( '/', array_map( 'rawurlencode', explode( '/', $stem ) ) ) ) ) . '%';
		$finds = static function ( $from, $column, $others ) use ( $wpdb, $like, $exact ) {
			return (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM $from WHERE ( $column LIKE %s OR $column LIKE %s ) AND $others", $like, $exact ) ) > 0; // phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- names of tables and columns.
		};
		return $finds( $wpdb->posts, 'post_content', "post_type NOT IN ('attachment','revision')" )
			|| $finds( $wpdb->postmeta, 'meta_value', "meta_key NOT LIKE '_wp_attach%' AND meta_key NOT LIKE '_imagewright%'" )
			|| $finds( $wpdb->options, 'option_value', "option_name NOT LIKE '_transient%' AND option_name NOT LIKE '_site_transient%'" );
	}

	/**
	 * Removes deleted files from the list of files that WordPress deletes with the attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names.
	 */
	private function unlist( $id, $names ) {
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
