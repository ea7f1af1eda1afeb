<?php
/**
 * HTTP client of the service.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Sends requests with the API key to the service.
 */
class Imagewright_Service {

	/** Timeout of a whole request, in seconds, streams included. */
	const TIMEOUT = 600;

	/** Settings. */
	private Imagewright_Options $options;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 */
	public function __construct( Imagewright_Options $options ) {
		$this->options = $options;
	}

	/**
	 * Sends a request.
	 *
	 * @param string $method  HTTP method.
	 * @param string $path    Path with query, from /v1 on.
	 * @param array  $options `body` (string), `headers` (name => value), `timeout` (seconds), `file` (path for the response
	 *                        body), `progress` (callable that receives each chunk of the response).
	 * @return array{status:int,headers:array<string,string>,body:string}|WP_Error
	 */
	public function request( $method, $path, $options = array() ) {
		if ( ! $this->options->is_ready() ) {
			return new WP_Error( 'imagewright_not_configured', $this->options->not_ready(), array( 'status' => 424 ) );
		}
		$args = array(
			'method'      => $method,
			'timeout'     => $options['timeout'] ?? self::TIMEOUT,
			// A redirect would send the key to another host.
			'redirection' => 0,
			'headers'     => array_merge( $options['headers'] ?? array(), array( 'X-API-Key' => $this->options->key() ) ),
			'user-agent'  => 'Imagewright-WordPress/' . IMAGEWRIGHT_VERSION,
		);
		if ( isset( $options['body'] ) ) {
			$args['body'] = $options['body'];
		}
		if ( isset( $options['file'] ) ) {
			$args['stream']   = true;
			$args['filename'] = $options['file'];
		}
		$progress = $options['progress'] ?? null;
		if ( $progress ) {
			add_action( 'requests-request.progress', $progress );
		}
		$url = $this->options->url() . $path;
		// Only an address from the server configuration may be in a private network.
		$answer = $this->options->url_is_fixed() ? wp_remote_request( $url, $args ) : wp_safe_remote_request( $url, $args );
		if ( $progress ) {
			remove_action( 'requests-request.progress', $progress );
		}
		if ( is_wp_error( $answer ) ) {
			return $this->unreachable( $answer );
		}
		$headers = wp_remote_retrieve_headers( $answer );
		return array(
			'status'  => (int) wp_remote_retrieve_response_code( $answer ),
			'headers' => array_change_key_case( is_array( $headers ) ? $headers : $headers->getAll() ),
			'body'    => isset( $options['file'] ) ? '' : wp_remote_retrieve_body( $answer ),
		);
	}

	/**
	 * Sends a request and decodes its JSON response.
	 *
	 * @param string $method  HTTP method.
	 * @param string $path    Path with query.
	 * @param mixed  $body    Body, sent as JSON; null for none.
	 * @param array  $headers Additional headers.
	 * @param int    $timeout Timeout in seconds.
	 * @return array|WP_Error The decoded body, or an error with the status and code of the service.
	 */
	public function json( $method, $path, $body = null, $headers = array(), $timeout = 60 ) {
		$options = array(
			'headers' => $headers,
			'timeout' => $timeout,
		);
		if ( null !== $body ) {
			$options['body']                    = wp_json_encode( $body );
			$options['headers']['Content-Type'] = 'application/json';
		}
		$answer = $this->request( $method, $path, $options );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$decoded = '' === $answer['body'] ? array() : json_decode( $answer['body'], true );
		if ( $answer['status'] >= 400 || ! is_array( $decoded ) ) {
			return Imagewright_Rest_Errors::from_service( $answer['status'], is_array( $decoded ) ? $decoded : array(), $answer['headers'] );
		}
		return $decoded;
	}

	/**
	 * Creates the error for a missing response. The cause may contain host names, never the key.
	 *
	 * @param WP_Error $cause Error of the HTTP API.
	 * @return WP_Error
	 */
	private function unreachable( $cause ) {
		if ( 'http_request_failed' === $cause->get_error_code() && ! $this->options->url_is_fixed() && ! Imagewright_Address::is_allowed( $this->options->url() ) ) {
			return new WP_Error(
				'imagewright_address_refused',
				Imagewright_Address::refusal(),
				array( 'status' => 424 )
			);
		}
		return new WP_Error(
			'imagewright_unreachable',
			/* translators: %s: technical reason */
			sprintf( __( 'The image service does not respond: %s', 'imagewright' ), $cause->get_error_message() ),
			array( 'status' => 502 )
		);
	}
}
