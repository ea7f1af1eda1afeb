<?php
/**
 * Jobs of the service.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Runs a job of the service to its end, within the budget of the user.
 */
class Imagewright_Jobs {

	/** Budget of a user. */
	private Imagewright_Budget $budget;
	/** Service. */
	private Imagewright_Service $service;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Budget  $budget  Budget of a user.
	 * @param Imagewright_Service $service Service.
	 */
	public function __construct( Imagewright_Budget $budget, Imagewright_Service $service ) {
		$this->budget  = $budget;
		$this->service = $service;
	}

	/**
	 * Sends a request and reads its event stream to the end.
	 *
	 * @param string $path Path.
	 * @param array  $body Body.
	 * @param string $key  Idempotency key.
	 * @return string|WP_Error Id of the job. Its images may have failed.
	 */
	public function run( $path, $body, $key ) {
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
