<?php
/**
 * Pictures that other programs replaced.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Lets go of the record of an optimized image when another program has replaced its picture and deleted the originals: nothing can be
 * restored, so the new picture is an ordinary one. What remains of the old files is deleted with the attachment, and their addresses stay.
 */
class Imagewright_Former {

	/** Key of the snapshots of earlier pictures, newest first: `attached_file`, and the names of `metadata`. */
	const META = '_imagewright_former';

	/** Most snapshots. */
	const MOST = 5;

	/** Part of the names of files that WordPress deletes with the attachment. */
	const MARK = '-imagewright';

	/** Records of images. */
	private Imagewright_State $state;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Files that attachments use. */
	private Imagewright_Owners $owners;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Versions of URLs and caches of pages. */
	private Imagewright_Caches $caches;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State    $state    Records of images.
	 * @param Imagewright_Snapshot $snapshot Snapshots of attachments.
	 * @param Imagewright_Owners   $owners   Files that attachments use.
	 * @param Imagewright_Files    $files    Files below the uploads folder.
	 * @param Imagewright_Caches   $caches   Versions of URLs and caches of pages.
	 * @param Imagewright_Lock     $lock     Locks of attachments.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Snapshot $snapshot,
		Imagewright_Owners $owners,
		Imagewright_Files $files,
		Imagewright_Caches $caches,
		Imagewright_Lock $lock
	) {
		$this->state    = $state;
		$this->snapshot = $snapshot;
		$this->owners   = $owners;
		$this->files    = $files;
		$this->caches   = $caches;
		$this->lock     = $lock;
	}

	/**
	 * Lets go of a record if its picture was replaced and cannot be restored.
	 *
	 * @param int  $id      Attachment.
	 * @param bool $certain True to compare checksums, false to compare only sizes, for lists.
	 * @return bool True if the attachment has an ordinary picture now.
	 */
	public function let_go( $id, $certain = false ) {
		$state = $this->state->get( $id );
		if ( ! $state || ! $this->is_over( $id, $state, $certain ) || ( $this->lock->is_held( $id ) && ! $this->lock->is_mine( $id ) ) ) {
			return false;
		}
		$ids  = $this->state->attachments( $id );
		$old  = array();
		$rest = $this->rest( $id, $state );
		foreach ( $ids as $one ) {
			$own         = $this->state->get( $one ) ?? $state;
			$old[ $one ] = array_slice( array_merge( array( $this->names( $own['snapshot'] ) ), $this->snapshots( $one ) ), 0, self::MOST );
		}
		$this->state->clear( $id );
		foreach ( $ids as $one ) {
			update_post_meta( $one, self::META, wp_slash( $old[ $one ] ) );
			if ( get_post_meta( $one, '_wp_attached_file', true ) !== $state['snapshot']['attached_file'] ) {
				add_post_meta( $one, Imagewright_State::WAS, wp_slash( $state['snapshot']['attached_file'] ) );
			}
			$this->list_for( $one, $rest );
			$this->caches->renew( $one, array_keys( $state['copies'] ) );
			clean_attachment_cache( $one );
		}
		/**
		 * Fires after the record of an attachment was let go: another program has replaced its picture and deleted the originals.
		 *
		 * @param int $id Attachment.
		 */
		do_action( 'imagewright_let_go', $id );
		return true;
	}

	/**
	 * Returns true if another picture took the place of the optimized one, and the original cannot be restored.
	 *
	 * @param int   $id      Attachment.
	 * @param array $state   Record.
	 * @param bool  $certain Of let_go().
	 * @return bool
	 */
	private function is_over( $id, $state, $certain ) {
		$replaced = 'optimized' === $state['status'] && 'beside' !== ( $state['way'] ?? '' );
		// Another host may have the originals.
		if ( ! $replaced || ! $this->state->is_edited( $id, $state, $certain ) || $this->files->is_offloaded( $id ) ) {
			return false;
		}
		// Without the picture that took the place, the uploads folder may be away for a while, and the originals with it.
		if ( ! $this->files->is_local( get_attached_file( $id, true ) ) ) {
			return false;
		}
		$snapshot = $state['snapshot'];
		$dir      = dirname( path_join( wp_get_upload_dir()['basedir'], $snapshot['attached_file'] ) );
		foreach ( $this->snapshot->essential( $snapshot['attached_file'], $snapshot['metadata'] ) as $name ) {
			$known = $snapshot['files'][ $name ] ?? null;
			$there = array_filter(
				$known ? array( $name, $state['copies'][ $name ] ?? $name ) : array(),
				static function ( $one ) use ( $dir, $known, $certain ) {
					$path = path_join( $dir, $one );
					return is_file( $path ) && wp_filesize( $path ) === $known['size'] && ( ! $certain || in_array( md5_file( $path ), array( false, $known['md5'] ), true ) );
				}
			);
			if ( $known && ! $there ) {
				return true;
			}
		}
		return ! empty( $state['discarded'] );
	}

	/**
	 * Lists what remains of the files of a record, in the folder of the attachment. Files of the plugin in another folder are removed, since WordPress
	 * deletes files of one folder alone.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string[] Names.
	 */
	private function rest( $id, $state ) {
		$file     = $state['snapshot']['attached_file'];
		$dir      = dirname( path_join( wp_get_upload_dir()['basedir'], $file ) );
		$attached = (string) get_post_meta( $id, '_wp_attached_file', true );
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$is_here  = dirname( $attached ) === dirname( $file );
		$in_use   = $is_here ? $this->snapshot->names( $attached, is_array( $metadata ) ? $metadata : array() ) : array();
		$names    = array_merge( $state['created'], array_values( $state['copies'] ), array_keys( $state['snapshot']['files'] ), $state['snapshot']['others'] ?? array(), $is_here ? $this->listed( $id ) : array() );
		$names    = array_diff( array_unique( $names ), $in_use );
		$names    = array_filter( $names, static fn( $name ) => is_file( path_join( $dir, $name ) ) );
		$names    = array_values( array_diff( $names, $this->owners->foreign( $id, $state, $names ) ) );
		if ( $is_here ) {
			return $names;
		}
		// An original that is still there may be the only one of its size.
		foreach ( array_diff( $names, array_keys( $state['snapshot']['files'] ) ) as $name ) {
			$this->files->remove( path_join( $dir, $name ) );
		}
		return array();
	}

	/**
	 * Lists the files that WordPress deletes with an attachment and that are of this plugin.
	 *
	 * @param int $id Attachment.
	 * @return string[] Names.
	 */
	private function listed( $id ) {
		$names = array();
		foreach ( (array) get_post_meta( $id, '_wp_attachment_backup_sizes', true ) as $key => $size ) {
			if ( is_array( $size ) && preg_match( '/' . self::MARK . '$/', (string) $key ) ) {
				$names[] = (string) ( $size['file'] ?? '' );
			}
		}
		return array_filter( $names, 'strlen' );
	}

	/**
	 * Lists files for WordPress to delete with an attachment, in the place of those that the record had listed: their names may be those
	 * of other uploads by now.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names.
	 */
	private function list_for( $id, $names ) {
		$sizes = array();
		foreach ( (array) get_post_meta( $id, '_wp_attachment_backup_sizes', true ) as $key => $size ) {
			if ( is_array( $size ) && ! preg_match( '/' . self::MARK . '$/', (string) $key ) ) {
				$sizes[ $key ] = $size;
			}
		}
		foreach ( $names as $number => $name ) {
			$sizes[ "former-$number-" . substr( md5( $name ), 0, 8 ) . self::MARK ] = array(
				'file'   => $name,
				'width'  => 0,
				'height' => 0,
			);
		}
		if ( $sizes ) {
			update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( $sizes ) );
		} else {
			delete_post_meta( $id, '_wp_attachment_backup_sizes' );
		}
	}

	/**
	 * Returns the names in a snapshot.
	 *
	 * @param array $snapshot Snapshot.
	 * @return array
	 */
	private function names( $snapshot ) {
		$metadata = $snapshot['metadata'];
		return array(
			'attached_file' => $snapshot['attached_file'],
			'metadata'      => array(
				'original_image' => (string) ( $metadata['original_image'] ?? '' ),
				'sizes'          => array_map( static fn( $size ) => array( 'file' => (string) ( $size['file'] ?? '' ) ), (array) ( $metadata['sizes'] ?? array() ) ),
			),
		);
	}

	/**
	 * Returns the snapshots of all files that an attachment had, newest first. Files beside those of WordPress replaced none.
	 *
	 * @param int $id Attachment.
	 * @return array<int,array> Without `files` where the record was let go.
	 */
	public function replaced( $id ) {
		$state   = $this->state->get( $id );
		$present = $state && 'optimized' === $state['status'] && 'beside' !== ( $state['way'] ?? '' ) ? array( $state['snapshot'] ) : array();
		return array_merge( $present, $this->snapshots( $id ) );
	}

	/**
	 * Returns the snapshots of the earlier pictures of an attachment, whose addresses posts may name.
	 *
	 * @param int $id Attachment.
	 * @return array<int,array{attached_file:string,metadata:array}> Newest first.
	 */
	private function snapshots( $id ) {
		return array_filter( (array) get_post_meta( $id, self::META, true ), 'is_array' );
	}
}
