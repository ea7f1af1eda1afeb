<?php
/**
 * Sessions of users and their jobs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Stores the sessions that each user created: other sites may use the same account, so access requires this record. Sends files and runs
 * jobs to their end.
 */
class Imagewright_Sessions {

	/** Key of the user metadata, after the prefix of the site: sites of a network do not share sessions. */
	const META = 'imagewright_session';

	/** Age in seconds at which a record is removed. The service removes a session 24 hours after its last use. */
	const KEEP = 3 * DAY_IN_SECONDS;

	/** Service. */
	private Imagewright_Service $service;
	/** Budget of a user. */
	private Imagewright_Budget $budget;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Service $service Service.
	 * @param Imagewright_Budget  $budget  Budget of a user.
	 */
	public function __construct(
		Imagewright_Service $service,
		Imagewright_Budget $budget
	) {
		$this->service = $service;
		$this->budget  = $budget;
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
	 * @return array{job:string,carries:array<string,string>}|WP_Error Id of the job, what the upload carries (Imagewright_Status_Text).
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

	/**
	 * Builds a request body of files and the `metadata` field.
	 *
	 * @param array<int,array{path:string,name:string,type:string}> $files    Files on disk.
	 * @param string                                                $metadata JSON array in file order, or an empty string.
	 * @return array{body:string,headers:array<string,string>}|WP_Error
	 */
	public function multipart( $files, $metadata = '' ) {
		wp_raise_memory_limit( 'image' );
		$parts = array();
		$sum   = '';
		foreach ( $files as $file ) {
			// A local file. Its path never comes from a request.
			$bytes = is_readable( $file['path'] ) ? file_get_contents( $file['path'] ) : false;
			if ( false === $bytes || '' === $bytes ) {
				return Imagewright_Rest_Errors::make( 'unreadable', __( 'The file cannot be read.', 'imagewright' ), 422 );
			}
			$sum    .= md5( $bytes );
			$parts[] = array( $file, $bytes );
			unset( $bytes );
		}
		// Derived from the contents: a repeated request needs an equal body for its idempotency key.
		$boundary = 'imagewright-' . md5( $sum . $metadata );
		$body     = '';
		foreach ( $parts as $index => list( $file, $bytes ) ) {
			$body .= "--$boundary\r\nContent-Disposition: form-data; name=\"images\"; filename=\"" . $this->quoted( $file['name'] ) . "\"\r\n";
			$body .= 'Content-Type: ' . $file['type'] . "\r\n\r\n";
			$body .= $bytes;
			$body .= "\r\n";
			unset( $parts[ $index ], $bytes );
		}
		if ( '' !== $metadata ) {
			$body .= "--$boundary\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n$metadata\r\n";
		}
		return array(
			'body'    => $body . "--$boundary--\r\n",
			'headers' => array( 'Content-Type' => "multipart/form-data; boundary=$boundary" ),
		);
	}

	/**
	 * Escapes a file name for a quoted parameter in the same way as browsers.
	 *
	 * @param string $name File name.
	 * @return string
	 */
	private function quoted( $name ) {
		return str_replace( array( '"', "\r", "\n", '\\' ), array( '%22', '%0D', '%0A', '_' ), $name );
	}

	/**
	 * Sends a request and reads its event stream to the end.
	 *
	 * @param string $path Path.
	 * @param array  $body Body.
	 * @param string $key  Idempotency key.
	 * @return string|WP_Error Id of the job. Its images may have failed.
	 */
	public function run_job( $path, $body, $key ) {
		$slip = $this->budget->reserve( wp_basename( $path ), count( $body['images'] ), "$path $key" );
		if ( is_wp_error( $slip ) ) {
			return $slip;
		}
		$answer = $this->service->request(
			'POST',
			$path,
			array(
				'body'    => wp_json_encode( $body ),
				'headers' => array(
					'Content-Type'    => 'application/json',
					'Idempotency-Key' => $key,
				),
			)
		);
		$this->budget->settle( $slip, $answer );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		if ( $answer['status'] >= 400 ) {
			return Imagewright_Rest_Errors::from_service( $answer['status'], (array) json_decode( $answer['body'], true ), $answer['headers'] );
		}
		if ( ! preg_match( '/^event: (complete|error)\r?$/m', $answer['body'] ) || empty( $answer['headers']['x-job-id'] ) ) {
			return Imagewright_Rest_Errors::make( 'interrupted', __( 'The connection to the image service was interrupted. Nothing is lost: trying again continues the same work.', 'imagewright' ), 502 );
		}
		return (string) $answer['headers']['x-job-id'];
	}

	/**
	 * Returns true if the service no longer has the upload, or its idempotency key belongs to another request.
	 *
	 * @param WP_Error $error Error of the service.
	 * @return bool
	 */
	public function is_gone( $error ) {
		return in_array( $error->get_error_code(), array( 'session_not_found', 'image_not_found', 'idempotency_mismatch' ), true );
	}
}
