<?php
/**
 * Work on one picture at a time.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Works on a picture while no other request changes it. What was written for an attachment that another request deleted meanwhile is removed: WordPress
 * removed all that existed at that moment.
 */
class Imagewright_Exclusive {

	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Records of images. */
	private Imagewright_State $state;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Checkpoints of optimizations. */
	private Imagewright_Checkpoint $checkpoint;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Gathering  $gathering  Attachments that come to share a file.
	 * @param Imagewright_Lock       $lock       Locks of attachments.
	 * @param Imagewright_Index      $index      Rows of images.
	 * @param Imagewright_State      $state      Records of images.
	 * @param Imagewright_Files      $files      Files below the uploads folder.
	 * @param Imagewright_Checkpoint $checkpoint Checkpoints of optimizations.
	 */
	public function __construct(
		Imagewright_Gathering $gathering,
		Imagewright_Lock $lock,
		Imagewright_Index $index,
		Imagewright_State $state,
		Imagewright_Files $files,
		Imagewright_Checkpoint $checkpoint
	) {
		$this->gathering  = $gathering;
		$this->lock       = $lock;
		$this->index      = $index;
		$this->state      = $state;
		$this->files      = $files;
		$this->checkpoint = $checkpoint;
	}

	/**
	 * Runs a callback while holding the lock of the picture of an attachment.
	 *
	 * @param int      $id       Attachment.
	 * @param callable $callback Work.
	 * @return mixed Result of the callback, or WP_Error if another request holds the lock.
	 */
	public function run( $id, $callback ) {
		// PHP remembers for minutes where links lead: a folder may have moved to another disk meanwhile.
		clearstatcache( true );
		$this->gathering->gather( $id );
		return $this->lock->with(
			$id,
			function () use ( $id, $callback ) {
				try {
					return $callback();
				} finally {
					$this->tidy( $id );
				}
			}
		);
	}

	/**
	 * Removes files, records and the session of an attachment that does not exist any more.
	 *
	 * @param int $id Attachment.
	 */
	private function tidy( $id ) {
		if ( $this->index->exists( $id ) ) {
			return;
		}
		wp_cache_delete( $id, 'post_meta' );
		$state = $this->state->get( $id );
		// The files stay while another attachment of the picture exists.
		if ( $state && ! array_filter( array_diff( array_keys( $state['own'] ?? array() ), array( (int) $id ) ), array( $this->index, 'exists' ) ) ) {
			$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
			foreach ( array_merge( $state['created'] ?? array(), array_values( $state['copies'] ?? array() ) ) as $name ) {
				$this->files->remove( path_join( $dir, $name ) );
			}
		}
		$checkpoint = get_post_meta( $id, Imagewright_Checkpoint::META, true );
		if ( is_array( $checkpoint ) ) {
			$this->checkpoint->finish( $id, $checkpoint );
		}
		foreach ( array( Imagewright_State::META, Imagewright_State::WAS, Imagewright_Texts::META, Imagewright_Texts::ALT, '_wp_attachment_backup_sizes', '_wp_attachment_metadata' ) as $key ) {
			delete_post_meta( $id, $key );
		}
		$this->index->remove( $id );
	}
}
