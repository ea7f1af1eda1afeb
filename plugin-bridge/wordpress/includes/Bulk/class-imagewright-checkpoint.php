<?php
/**
 * What was sent and paid for.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Remembers with an attachment what the service has of it, so that the next try goes on with that instead of paying again.
 *
 * Fields: `session`, `image`, `size` (`width`, `height`), `mark` (stands for user, file and settings), `at`, and `job` when an
 * export of the widget made the result: its session is not ours to end.
 */
class Imagewright_Checkpoint {

	const META = '_imagewright_work';
	/** The service forgets a session 24 hours after its last use. */
	const SECONDS = 20 * HOUR_IN_SECONDS;

	/**
	 * The upload that an export is made of: the one of an earlier try if user, file and settings are the same.
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
		$old = get_post_meta( $id, self::META, true );
		if ( is_array( $old ) && Imagewright_Sessions::is_own( $old['session'] ) ) {
			// Of other settings, or of the file as it was.
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
			'mark'    => $fingerprint,
			'at'      => time(),
		);
		update_post_meta( $id, self::META, $checkpoint );
		return $checkpoint;
	}

	/**
	 * What an earlier try of the same user, file and settings has left at the service, or null.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return array|null
	 */
	public static function known( $id, $options ) {
		$checkpoint = get_post_meta( $id, self::META, true );
		return is_array( $checkpoint ) && $checkpoint['mark'] === self::fingerprint( $id, $options ) && $checkpoint['at'] > time() - self::SECONDS && Imagewright_Sessions::is_own( $checkpoint['session'] ) ? $checkpoint : null;
	}

	/**
	 * Keeps the result of an export of the widget, in case that somebody wants it although it is no gain.
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
			update_post_meta( $id, self::META, compact( 'session', 'image', 'job' ) + array(
				'mark' => $fingerprint,
				'at'   => time(),
			) );
		}
	}

	/**
	 * Forgets what the service has, without telling it.
	 *
	 * @param int $id Attachment.
	 */
	public static function forget( $id ) {
		delete_post_meta( $id, self::META );
	}

	/**
	 * Removes the upload from the service: it has done its work.
	 *
	 * @param int   $id   Attachment.
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
	 * Stands for who sent which file for which settings.
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
