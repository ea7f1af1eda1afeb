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
	/** Lifetime in seconds. The service removes a session 24 hours after its last use. */
	const SECONDS = 20 * HOUR_IN_SECONDS;

	/**
	 * Returns the checkpoint of an earlier attempt with the same user, file and settings; else uploads the file.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return array|WP_Error
	 */
	public static function of( $id, $options ) {
		$fingerprint = self::fingerprint( $id, $options );
		if ( is_wp_error( $fingerprint ) ) {
			return $fingerprint;
		}
		$checkpoint = self::known( $id, $options );
		if ( $checkpoint ) {
			return $checkpoint;
		}
		$old = get_post_meta( Imagewright_Shared::lead( $id ), self::META, true );
		if ( is_array( $old ) && Imagewright_Sessions::is_own( $old['session'] ) ) {
			// A checkpoint of other settings or of an older file.
			self::finish( $id, $old );
		}
		$sent = Imagewright_Source::send( $id, '' );
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
		update_post_meta( Imagewright_Shared::lead( $id ), self::META, $checkpoint );
		return $checkpoint;
	}

	/**
	 * Returns the checkpoint of an earlier attempt with the same user, file and settings, or null.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return array|null
	 */
	public static function known( $id, $options ) {
		$checkpoint = get_post_meta( Imagewright_Shared::lead( $id ), self::META, true );
		return is_array( $checkpoint ) && $checkpoint['mark'] === self::fingerprint( $id, $options ) && $checkpoint['at'] > time() - self::SECONDS && Imagewright_Sessions::is_own( $checkpoint['session'] ) ? $checkpoint : null;
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
	public static function keep( $id, $session, $image, $job, $options ) {
		$fingerprint = self::fingerprint( $id, $options );
		if ( ! is_wp_error( $fingerprint ) && ! self::known( $id, $options ) ) {
			update_post_meta(
				Imagewright_Shared::lead( $id ),
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
	public static function forget( $id ) {
		delete_post_meta( Imagewright_Shared::lead( $id ), self::META );
	}

	/**
	 * Deletes the checkpoint and its session at the service.
	 *
	 * @param int   $id         Attachment.
	 * @param array $checkpoint Of of().
	 */
	public static function finish( $id, $checkpoint ) {
		self::forget( $id );
		if ( empty( $checkpoint['job'] ) ) {
			Imagewright_Service::request( 'DELETE', '/v1/sessions/' . $checkpoint['session'], array( 'timeout' => 15 ) );
			Imagewright_Sessions::forget( $checkpoint['session'] );
		}
	}

	/**
	 * Computes the fingerprint of user, file and settings.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return string|WP_Error
	 */
	private static function fingerprint( $id, $options ) {
		$fingerprint = Imagewright_Eligibility::fingerprint( $id, $options );
		return is_wp_error( $fingerprint ) ? $fingerprint : md5( get_current_user_id() . ' ' . $options['format'] . ' ' . $fingerprint );
	}
}
