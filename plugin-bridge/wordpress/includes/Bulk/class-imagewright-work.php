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
class Imagewright_Work {

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
		$mark = self::mark( $id, $options );
		if ( is_wp_error( $mark ) ) {
			return $mark;
		}
		$work = self::known( $id, $options );
		if ( $work ) {
			return $work;
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
		$work = array(
			'session' => $sent['sessionId'],
			'image'   => $sent['image']['id'],
			'size'    => array(
				'width'  => (int) $sent['image']['width'],
				'height' => (int) $sent['image']['height'],
			),
			'mark'    => $mark,
			'at'      => time(),
		);
		update_post_meta( $id, self::META, $work );
		return $work;
	}

	/**
	 * What an earlier try of the same user, file and settings has left at the service, or null.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return array|null
	 */
	public static function known( $id, $options ) {
		$work = get_post_meta( $id, self::META, true );
		return is_array( $work ) && $work['mark'] === self::mark( $id, $options ) && $work['at'] > time() - self::SECONDS && Imagewright_Sessions::is_own( $work['session'] ) ? $work : null;
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
		$mark = self::mark( $id, $options );
		if ( ! is_wp_error( $mark ) && ! self::known( $id, $options ) ) {
			update_post_meta( $id, self::META, compact( 'session', 'image', 'job', 'mark' ) + array( 'at' => time() ) );
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
	 * @param array $work Of of().
	 */
	public static function finish( $id, $work ) {
		self::forget( $id );
		if ( empty( $work['job'] ) ) {
			Imagewright_Service::request( 'DELETE', '/v1/sessions/' . $work['session'], array( 'timeout' => 15 ) );
			Imagewright_Sessions::forget( $work['session'] );
		}
	}

	/**
	 * Stands for who sent which file for which settings.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return string|WP_Error
	 */
	private static function mark( $id, $options ) {
		$mark = Imagewright_Due::mark( $id, $options );
		return is_wp_error( $mark ) ? $mark : md5( get_current_user_id() . ' ' . $options['format'] . ' ' . $mark );
	}
}
