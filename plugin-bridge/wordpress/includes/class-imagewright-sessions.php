<?php
/**
 * Sessions of the service that users of this site created.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Knows which sessions and jobs belong to whom. The account may serve other sites too, so an id alone opens nothing.
 */
class Imagewright_Sessions {

	const META = 'imagewright_session';
	/** Seconds after which a session is forgotten; the service forgets it 24 hours after its last use. */
	const KEEP = 3 * DAY_IN_SECONDS;

	/**
	 * Notes that the current user created a session. A row each, so that two tabs lose nothing.
	 *
	 * @param string $session_id Id from the service.
	 */
	public static function remember( $session_id ) {
		$user = get_current_user_id();
		if ( ! self::is_own( $session_id ) ) {
			add_user_meta( $user, self::META, time() . ' ' . $session_id );
		}
		foreach ( get_user_meta( $user, self::META ) as $row ) {
			if ( (int) $row < time() - self::KEEP ) {
				delete_user_meta( $user, self::META, $row );
			}
		}
	}

	/**
	 * Whether the current user created a session here.
	 *
	 * @param string $session_id Id of a session, without `-sample`.
	 * @return bool
	 */
	public static function is_own( $session_id ) {
		foreach ( get_user_meta( get_current_user_id(), self::META ) as $row ) {
			if ( substr( (string) strstr( $row, ' ' ), 1 ) === $session_id ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Forgets a session.
	 *
	 * @param string $session_id Id from the service.
	 */
	public static function forget( $session_id ) {
		$user = get_current_user_id();
		foreach ( get_user_meta( $user, self::META ) as $row ) {
			if ( substr( (string) strstr( $row, ' ' ), 1 ) === $session_id ) {
				delete_user_meta( $user, self::META, $row );
			}
		}
	}

	/**
	 * Reads a job of an own session.
	 *
	 * @param string $job_id Id from the service.
	 * @return array|WP_Error The job; another's job answers as one that does not exist.
	 */
	public static function own_job( $job_id ) {
		$job = Imagewright_Service::json( 'GET', '/v1/jobs/' . rawurlencode( $job_id ) );
		if ( ! is_wp_error( $job ) && ! self::is_own( (string) ( $job['sessionId'] ?? '' ) ) ) {
			return new WP_Error( 'job_not_found', __( 'No such job.', 'imagewright' ), array( 'status' => 404 ) );
		}
		return $job;
	}
}
