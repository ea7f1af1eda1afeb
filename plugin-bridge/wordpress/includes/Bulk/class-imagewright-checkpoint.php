<?php
/**
 * Checkpoints of optimizations.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Works on a picture while no other request changes it, and stores its upload and export, so that the next attempt resumes instead of
 * paying again. What was written for an attachment that another request deleted meanwhile is removed: WordPress removed all that
 * existed at that moment.
 * 
 * Fields: `session`, `image`, `size` (`width`, `height`), `carries` (see Imagewright_Status_Text), `mark` (fingerprint of user, file and
 * settings), `at`, and `job` if the widget made the export. The session of the widget is not deleted here.
 */
class Imagewright_Checkpoint {

	const META = '_imagewright_work';

	/** Records of images. */
	private Imagewright_State $state;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Service. */
	private Imagewright_Service $service;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Sessions    $sessions    Ownership of sessions and jobs.
	 * @param Imagewright_Source      $source      Source files of attachments.
	 * @param Imagewright_Service     $service     Service.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Gathering   $gathering   Attachments that come to share a file.
	 * @param Imagewright_Lock        $lock        Locks of attachments.
	 * @param Imagewright_Index       $index       Rows of images.
	 * @param Imagewright_Files       $files       Files below the uploads folder.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Sessions $sessions,
		Imagewright_Source $source,
		Imagewright_Service $service,
		Imagewright_Eligibility $eligibility,
		Imagewright_Gathering $gathering,
		Imagewright_Lock $lock,
		Imagewright_Index $index,
		Imagewright_Files $files
	) {
		$this->state       = $state;
		$this->sessions    = $sessions;
		$this->source      = $source;
		$this->service     = $service;
		$this->eligibility = $eligibility;
		$this->gathering   = $gathering;
		$this->lock        = $lock;
		$this->index       = $index;
		$this->files       = $files;
	}

	/**
	 * Returns the checkpoint of an earlier attempt with the same user, file and settings; else uploads the file.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return array|WP_Error
	 */
	public function of( $id, $options ) {
		$fingerprint = $this->fingerprint( $id, $options );
		if ( is_wp_error( $fingerprint ) ) {
			return $fingerprint;
		}
		$checkpoint = $this->known( $id, $options );
		if ( $checkpoint ) {
			return $checkpoint;
		}
		$old = get_post_meta( $this->state->lead( $id ), self::META, true );
		if ( is_array( $old ) && $this->sessions->is_own( $old['session'] ) ) {
			// A checkpoint of other settings or of an older file.
			$this->finish( $id, $old );
		}
		$sent = $this->source->send( $id, '' );
		if ( is_wp_error( $sent ) ) {
			return $sent;
		}
		$checkpoint = array(
			'session' => $sent['sessionId'],
			'image'   => $sent['image']['id'],
			'size'    => array(
				'width'  => (int) $sent['image']['width'],
				'height' => (int) $sent['image']['height'],
			),
			'carries' => array_column( (array) ( $sent['image']['carries'] ?? array() ), 'keptBy', 'kind' ),
			'mark'    => $fingerprint,
			'at'      => time(),
		);
		update_post_meta( $this->state->lead( $id ), self::META, $checkpoint );
		return $checkpoint;
	}

	/**
	 * Returns the checkpoint of an earlier attempt with the same user, file and settings, or null.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return array|null
	 */
	public function known( $id, $options ) {
		$checkpoint = get_post_meta( $this->state->lead( $id ), self::META, true );
		return is_array( $checkpoint ) && $checkpoint['mark'] === $this->fingerprint( $id, $options ) && $checkpoint['at'] > time() - Imagewright_Source::USABLE && $this->sessions->is_own( $checkpoint['session'] ) ? $checkpoint : null;
	}

	/**
	 * Stores an export of the widget whose result is not smaller. The user may still accept it.
	 *
	 * @param int    $id      Attachment.
	 * @param string $session Session.
	 * @param string $image   Image.
	 * @param string $job     Export.
	 * @param array  $options `format`, `preset` of that export.
	 */
	public function keep( $id, $session, $image, $job, $options ) {
		$fingerprint = $this->fingerprint( $id, $options );
		if ( ! is_wp_error( $fingerprint ) && ! $this->known( $id, $options ) ) {
			update_post_meta(
				$this->state->lead( $id ),
				self::META,
				compact( 'session', 'image', 'job' ) + array(
				'mark' => $fingerprint,
				'at'   => time(),
				)
			);
		}
	}

	/**
	 * Deletes the checkpoint, but not the session.
	 *
	 * @param int $id Attachment.
	 */
	public function forget( $id ) {
		delete_post_meta( $this->state->lead( $id ), self::META );
	}

	/**
	 * Deletes the checkpoint and its session at the service.
	 *
	 * @param int   $id         Attachment.
	 * @param array $checkpoint Of of().
	 */
	public function finish( $id, $checkpoint ) {
		$this->forget( $id );
		if ( empty( $checkpoint['job'] ) ) {
			$this->service->request( 'DELETE', '/v1/sessions/' . $checkpoint['session'], array( 'timeout' => 15 ) );
			$this->sessions->forget( $checkpoint['session'] );
		}
	}

	/**
	 * Computes the fingerprint of user, file and settings.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return string|WP_Error
	 */
	private function fingerprint( $id, $options ) {
		$fingerprint = $this->eligibility->fingerprint( $id, $options );
		return is_wp_error( $fingerprint ) ? $fingerprint : md5( get_current_user_id() . ' ' . $options['format'] . ' ' . $fingerprint );
	}

	/**
	 * Runs a callback while holding the lock of the picture of an attachment.
	 *
	 * @param int      $id       Attachment.
	 * @param callable $callback Work.
	 * @return mixed Result of the callback, or WP_Error if another request holds the lock.
	 */
	public function exclusively( $id, $callback ) {
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
		$checkpoint = get_post_meta( $id, self::META, true );
		if ( is_array( $checkpoint ) ) {
			$this->finish( $id, $checkpoint );
		}
		foreach ( array( Imagewright_State::META, Imagewright_State::WAS, Imagewright_Texts::META, Imagewright_Texts::ALT, '_wp_attachment_backup_sizes', '_wp_attachment_metadata' ) as $key ) {
			delete_post_meta( $id, $key );
		}
		$this->index->remove( $id );
	}
}
