<?php
/**
 * Restoration of attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Restores the original files of an attachment byte for byte and removes the files of the replacement. Every step can be repeated.
 */
class Imagewright_Restoration {

	/**
	 * Restores an attachment. The caller holds its lock.
	 *
	 * @param int  $id    Attachment.
	 * @param bool $force True to discard edits made after the replacement.
	 * @return bool|WP_Error True if it was restored, false if it was not optimized.
	 */
	public static function run( $id, $force ) {
		$state = Imagewright_State::get( $id );
		if ( ! $state ) {
			return false;
		}
		if ( 'optimized' === $state['status'] && ! $force && Imagewright_State::is_edited( $id, $state ) ) {
			return Imagewright_Rest_Errors::make( 'edited', __( 'The image was edited after it was optimized. Restoring discards these edits.', 'imagewright' ), 409, array( 'needs' => 'force' ) );
		}
		/**
		 * Fires before an attachment is restored.
		 *
		 * @param int $id Attachment.
		 */
		do_action( 'imagewright_before_restore', $id );
		$done = self::put_back( $id, $state, $force );
		if ( true === $done ) {
			Imagewright_State::clear_failure( $id );
			/**
			 * Fires after an attachment was restored: for caches and for plugins that copy files elsewhere.
			 *
			 * @param int $id Attachment.
			 */
			do_action( 'imagewright_restored', $id );
		}
		return $done;
	}

	/**
	 * Restores files, metadata and texts.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @param bool  $all   True to also remove files of later edits and to regenerate lost sizes.
	 * @return true|WP_Error
	 */
	public static function put_back( $id, $state, $all ) {
		if ( 'beside' === ( $state['way'] ?? '' ) ) {
			return Imagewright_Addition::take_away( $id, $state );
		}
		$loss = Imagewright_Backups::loss( $state );
		if ( $loss ) {
			return $loss;
		}
		$snapshot = $state['snapshot'];
		$dir      = dirname( path_join( wp_get_upload_dir()['basedir'], $snapshot['attached_file'] ) );
		$sources  = self::sources( $snapshot, $state['copies'], $dir, $all );
		if ( is_wp_error( $sources ) ) {
			return $sources;
		}
		$state['status'] = 'optimized' === $state['status'] ? 'restoring' : $state['status'];
		Imagewright_State::set( $id, $state );
		foreach ( $sources as $name => $source ) {
			if ( $source !== $name && ! Imagewright_Files::move( path_join( $dir, $source ), path_join( $dir, $name ) ) ) {
				return Imagewright_Rest_Errors::make( 'not_saved', __( 'The files could not be saved in the uploads folder.', 'imagewright' ), 500 );
			}
		}
		$remove = self::leftovers( $id, $state, $all );
		$lost   = array_diff( array_keys( $snapshot['files'] ), array_keys( $sources ) );
		foreach ( Imagewright_Shared::of( $id ) as $one ) {
			$own = Imagewright_State::get( $one ) ?? $state;
			Imagewright_Versions::renew( $one, array_keys( $state['copies'] ) );
			self::describe( $one, $own['snapshot'], $lost );
			Imagewright_Texts::take_back( $one, $own['snapshot'], $own['after']['texts'] ?? array() );
		}
		foreach ( $remove as $name ) {
			Imagewright_Files::remove( path_join( $dir, $name ) );
		}
		Imagewright_State::clear( $id );
		clean_attachment_cache( $id );
		if ( $lost ) {
			Imagewright_Sizes::make_missing( $id );
			Imagewright_Shared::spread_metadata( $id );
		}
		return true;
	}

	/**
	 * Finds the original files and verifies them, before any file is moved.
	 *
	 * @param array                $snapshot Snapshot.
	 * @param array<string,string> $copies   Name of an overwritten file => name of its copy.
	 * @param string               $dir      Folder.
	 * @param bool                 $some     True if the files from which WordPress can regenerate the others are enough.
	 * @return array<string,string>|WP_Error Original name => current name.
	 */
	private static function sources( $snapshot, $copies, $dir, $some ) {
		$sources = array();
		$lost    = array();
		foreach ( $snapshot['files'] as $name => $file ) {
			foreach ( array( $name, $copies[ $name ] ?? $name ) as $candidate ) {
				$path = path_join( $dir, $candidate );
				if ( is_file( $path ) && md5_file( $path ) === $file['md5'] ) {
					$sources[ $name ] = $candidate;
					break;
				}
			}
			if ( ! isset( $sources[ $name ] ) ) {
				$lost[] = $name;
			}
		}
		$needed = array_intersect( $lost, Imagewright_Snapshot::essential( $snapshot['attached_file'], $snapshot['metadata'] ) );
		if ( $needed || ( $lost && ! $some ) ) {
			return Imagewright_Rest_Errors::make(
				'backup_missing',
				/* translators: %s: file names */
				sprintf( __( 'Nothing was changed: the original files are missing or were altered (%s).', 'imagewright' ), implode( ', ', $lost ) ),
				409,
				array( 'files' => $lost ) + ( $needed ? array() : array( 'needs' => 'force' ) )
			);
		}
		return $sources;
	}

	/**
	 * Lists the files to remove: new files, copies, and sizes made from the new files later.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @param bool  $all   True to include files of later edits.
	 * @return string[] Names.
	 */
	private static function leftovers( $id, $state, $all ) {
		$snapshot = $state['snapshot'];
		$names    = array_merge( $state['created'], array_values( $state['copies'] ) );
		$attached = (string) get_post_meta( $id, '_wp_attached_file', true );
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$same_dir = dirname( $attached ) === dirname( $snapshot['attached_file'] );
		$is_ours  = $attached === ( $state['after']['file'] ?? '' );
		if ( $same_dir && is_array( $metadata ) && ( $all || $is_ours ) ) {
			$names = array_merge( $names, Imagewright_Snapshot::names( $attached, $metadata ) );
			foreach ( (array) get_post_meta( $id, '_wp_attachment_backup_sizes', true ) as $size ) {
				$names[] = is_array( $size ) ? (string) $size['file'] : '';
			}
		}
		$keep = array_merge( array( '' ), array_keys( $snapshot['files'] ), array_column( (array) $snapshot['backup_sizes'], 'file' ) );
		return array_values( array_unique( array_diff( $names, $keep ) ) );
	}

	/**
	 * Restores the attachment's metadata.
	 *
	 * @param int      $id       Attachment.
	 * @param array    $snapshot Snapshot.
	 * @param string[] $lost     Names of missing files.
	 */
	private static function describe( $id, $snapshot, $lost ) {
		if ( null === $snapshot['backup_sizes'] ) {
			delete_post_meta( $id, '_wp_attachment_backup_sizes' );
		} else {
			update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( $snapshot['backup_sizes'] ) );
		}
		update_post_meta( $id, '_wp_attached_file', wp_slash( $snapshot['attached_file'] ) );
		if ( get_post_mime_type( $id ) !== $snapshot['mime'] ) {
			wp_update_post(
				array(
					'ID'             => $id,
					'post_mime_type' => $snapshot['mime'],
				)
			);
		}
		$metadata = $snapshot['metadata'];
		foreach ( (array) ( $metadata['sizes'] ?? array() ) as $name => $size ) {
			if ( in_array( $size['file'] ?? '', $lost, true ) ) {
				unset( $metadata['sizes'][ $name ] );
			}
		}
		wp_update_attachment_metadata( $id, wp_slash( $metadata ) );
		clean_attachment_cache( $id );
	}

	/**
	 * Removes the files of a deleted attachment that core does not find in its metadata.
	 *
	 * @param int $id Attachment.
	 */
	public static function forget_deleted( $id ) {
		$state = Imagewright_State::get( $id );
		if ( ! $state || Imagewright_Kept_Files::are_shared( $id ) ) {
			return;
		}
		$dir   = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		$names = array_merge( array_keys( $state['snapshot']['files'] ), $state['created'], array_values( $state['copies'] ) );
		foreach ( array_unique( $names ) as $name ) {
			Imagewright_Files::remove( path_join( $dir, $name ) );
		}
	}
}
