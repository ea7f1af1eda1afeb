<?php
/**
 * Ownership of sessions and jobs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Stores the sessions that each user created. Other sites may use the same account, so access requires this record.
 */
class Imagewright_Sessions {

	/** Key of the user metadata, after the prefix of the site: sites of a network do not share sessions. */
	const META = 'imagewright_session';

	/** Age in seconds at which a record is removed. The service removes a session 24 hours after its last use. */
	const KEEP = 3 * DAY_IN_SECONDS;

	/** Service. */
	private Imagewright_Service $service;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Service $service Service.
	 */
	public function __construct( Imagewright_Service $service ) {
		$this->service = $service;
	}

	/**
	 * Stores a session of the current user. One row per session, so that concurrent requests do not overwrite each other.
	 *
	 * @param string $session_id Id from the service.
	 */
	public function remember( $session_id ) {
		$user = get_current_user_id();
		if ( ! $this->is_own( $session_id ) ) {
			add_user_meta( $user, $this->key(), time() . ' ' . $session_id );
		}
		foreach ( get_user_meta( $user, $this->key() ) as $row ) {
			if ( (int) $row < time() - self::KEEP ) {
				delete_user_meta( $user, $this->key(), $row );
			}
		}
	}

	/**
	 * Returns true if the current user created the session on this site.
	 *
	 * @param string $session_id Id of a session, without `-sample`.
	 * @return bool
	 */
	public function is_own( $session_id ) {
		foreach ( get_user_meta( get_current_user_id(), $this->key() ) as $row ) {
			if ( substr( (string) strstr( $row, ' ' ), 1 ) === $session_id ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Removes the record of a session.
	 *
	 * @param string $session_id Id from the service.
	 */
	public function forget( $session_id ) {
		$user = get_current_user_id();
		foreach ( get_user_meta( $user, $this->key() ) as $row ) {
			if ( substr( (string) strstr( $row, ' ' ), 1 ) === $session_id ) {
				delete_user_meta( $user, $this->key(), $row );
			}
		}
	}

	/**
	 * Returns the key of the user metadata.
	 *
	 * @return string
	 */
	private function key() {
		global $wpdb;
		return $wpdb->get_blog_prefix() . self::META;
	}

	/**
	 * Reads a job of a session that the current user created.
	 *
	 * @param string $job_id Id from the service.
	 * @return array|WP_Error The job; `job_not_found` also for the job of another user.
	 */
	public function own_job( $job_id ) {
		$job = $this->service->json( 'GET', '/v1/jobs/' . rawurlencode( $job_id ) );
		if ( ! is_wp_error( $job ) && ! $this->is_own( (string) ( $job['sessionId'] ?? '' ) ) ) {
			return new WP_Error( 'job_not_found', __( 'No such job.', 'imagewright' ), array( 'status' => 404 ) );
		}
		return $job;
	}

	/**
	 * Finds the export job that made a file of an image, in a session of the current user.
	 *
	 * @param string $session_id Session.
	 * @param string $image      Image.
	 * @param string $sha256     Checksum of its `full` file.
	 * @return array{job:string,carries:array<string,string>}|WP_Error Id of the job, what the upload carries (Imagewright_Carried).
	 */
	public function export_with( $session_id, $image, $sha256 ) {
		$session = $this->is_own( $session_id ) ? $this->service->json( 'GET', '/v1/sessions/' . $session_id ) : null;
		if ( null === $session ) {
			return new WP_Error( 'session_not_found', __( 'No such session, or it has expired.', 'imagewright' ), array( 'status' => 404 ) );
		}
		if ( is_wp_error( $session ) ) {
			return $session;
		}
		foreach ( $session['jobs'] as $one ) {
			$job = 'export' === $one['kind'] ? $this->service->json( 'GET', '/v1/jobs/' . rawurlencode( $one['jobId'] ) ) : array();
			if ( is_wp_error( $job ) ) {
				return $job;
			}
			foreach ( (array) ( $job['results'] ?? array() ) as $result ) {
				if ( $result['imageId'] === $image && ( $result['variants'][0]['sha256'] ?? '' ) === $sha256 ) {
					$uploads = array_column( $session['images'], null, 'id' );
					return array(
						'job'     => $one['jobId'],
						'carries' => array_column( (array) ( $uploads[ $image ]['carries'] ?? array() ), 'keptBy', 'kind' ),
					);
				}
			}
		}
		return Imagewright_Rest_Errors::make( 'not_an_export', __( 'There is no full export of this image with this file. Samples are previews and replace nothing.', 'imagewright' ), 409 );
	}
}
