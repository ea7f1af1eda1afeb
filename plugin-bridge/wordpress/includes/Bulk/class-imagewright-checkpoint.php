<?php
/**
 * Checkpoints of optimizations.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Stores the upload and export of an attachment, so that the next attempt resumes instead of paying again.
 *
 * Fields: `session`, `image`, `size` (`width`, `height`), `carries` (see Imagewright_Carried), `mark` (fingerprint of user, file and settings), `at`, and `job` if
 * the widget made the export. The session of the widget is not deleted here.
 */
class Imagewright_Checkpoint {

	const META = '_imagewright_work';

	/** Attachments of a picture. */
	private Imagewright_Shared $shared;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Service. */
	private Imagewright_Service $service;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Shared      $shared      Attachments of a picture.
	 * @param Imagewright_Sessions    $sessions    Ownership of sessions and jobs.
	 * @param Imagewright_Source      $source      Source files of attachments.
	 * @param Imagewright_Service     $service     Service.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 */
	public function __construct(
		Imagewright_Shared $shared,
		Imagewright_Sessions $sessions,
		Imagewright_Source $source,
		Imagewright_Service $service,
		Imagewright_Eligibility $eligibility
	) {
		$this->shared      = $shared;
		$this->sessions    = $sessions;
		$this->source      = $source;
		$this->service     = $service;
		$this->eligibility = $eligibility;
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
		$old = get_post_meta( $this->shared->lead( $id ), self::META, true );
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
		update_post_meta( $this->shared->lead( $id ), self::META, $checkpoint );
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
		$checkpoint = get_post_meta( $this->shared->lead( $id ), self::META, true );
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
				$this->shared->lead( $id ),
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
		delete_post_meta( $this->shared->lead( $id ), self::META );
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
}
