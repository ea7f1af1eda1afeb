<?php
/**
 * The service over HTTP.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Sends requests with the API key to the service. Knows which addresses the key may be sent to, and whether the service has a model that
 * describes images.
 */
class Imagewright_Service {

	/** Timeout of a whole request, in seconds, streams included. */
	const TIMEOUT = 600;

	/** Transient on the service's model: `url`, `exists`. */
	const MODEL = 'imagewright_vision';

	/** Seconds for which the answer on the model is kept. */
	const MODEL_SECONDS = 300;

	/** Seconds until a service that did not answer is asked again. */
	const MODEL_RETRY = 30;

	/** Seconds to wait for the answer on the model. */
	const MODEL_TIMEOUT = 5;

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
			$args['headers']  = array_diff_key( $args['headers'], array( 'accept' => 1 ) );
			// The service may keep its files in a store, and names the address there to whoever accepts it.
			$args['headers']['Accept'] = Imagewright_Contract::ADDRESS_TYPE . ', */*';
		}
		$progress = $options['progress'] ?? null;
		if ( $progress ) {
			add_action( 'requests-request.progress', $progress );
		}
		$url = $this->options->url() . $path;
		$answer = $this->send( $url, $args );
		if ( isset( $options['file'] ) && ! is_wp_error( $answer ) && 0 === strpos( (string) wp_remote_retrieve_header( $answer, 'content-type' ), Imagewright_Contract::ADDRESS_TYPE ) ) {
			$answer = $this->from_store( $args );
		}
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
	 * Sends a request.
	 *
	 * @param string $url  Address.
	 * @param array  $args Of the HTTP API.
	 * @return array|WP_Error
	 */
	private function send( $url, $args ) {
		// Only an address from the server configuration may be in a private network.
		return $this->options->url_is_fixed() ? wp_remote_request( $url, $args ) : wp_safe_remote_request( $url, $args );
	}

	/**
	 * Fetches the file whose address in a store the service has written to its place: one step, without the key.
	 *
	 * @param array $args Of the request to the service.
	 * @return array|WP_Error
	 */
	private function from_store( $args ) {
		$told = wp_json_file_decode( $args['filename'], array( 'associative' => true ) );
		$url  = is_array( $told ) && is_string( $told['url'] ?? null ) ? $told['url'] : '';
		if ( ! $this->is_store_address( $url ) ) {
			return new WP_Error( 'imagewright_store', 'no address of a store' );
		}
		$args['headers'] = array_intersect_key( $args['headers'], array( 'range' => 1 ) );
		$answer          = $this->send( $url, $args );
		$status          = (int) wp_remote_retrieve_response_code( $answer );
		return is_wp_error( $answer ) || ( $status >= 200 && $status < 300 ) ? $answer : new WP_Error( 'imagewright_store', "the store answers $status" );
	}

	/**
	 * Returns true for an address of a file: HTTP without a password, and encrypted if the service is.
	 *
	 * @param string $url Address.
	 * @return bool
	 */
	private function is_store_address( $url ) {
		$parts  = wp_parse_url( $url );
		$scheme = strtolower( is_array( $parts ) ? ( $parts['scheme'] ?? '' ) : '' );
		$plain  = 0 !== stripos( $this->options->url(), 'https:' );
		return isset( $parts['host'] ) && ! isset( $parts['user'] ) && ! isset( $parts['pass'] ) && ( 'https' === $scheme || ( $plain && 'http' === $scheme ) );
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
		if ( 'http_request_failed' === $cause->get_error_code() && ! $this->options->url_is_fixed() && ! $this->may_open( $this->options->url() ) ) {
			return new WP_Error(
				'imagewright_address_refused',
				$this->may_not_open(),
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

	/**
	 * Returns true if the address uses https, is on this machine or in a private network, or the filter allows it.
	 *
	 * @param string $url Address.
	 * @return bool
	 */
	public function is_safe_address( $url ) {
		if ( 'http' !== strtolower( (string) wp_parse_url( $url, PHP_URL_SCHEME ) ) ) {
			return true;
		}
		$host = trim( strtolower( (string) wp_parse_url( $url, PHP_URL_HOST ) ), '[]' );
		/**
		 * Filters whether an address without encryption is allowed.
		 *
		 * @param bool   $is_allowed True for a host on this machine or in a private network.
		 * @param string $url        Address.
		 */
		return (bool) apply_filters( 'imagewright_allow_http', $this->is_private( $host ), $url );
	}

	/**
	 * Returns the text about an address without encryption.
	 *
	 * @return string
	 */
	public function unencrypted() {
		return __( 'An address with http:// sends the API key and the images unencrypted. Use https://.', 'imagewright' );
	}

	/**
	 * Returns true if a host is on this machine or in a private network.
	 *
	 * @param string $host Lower case, without brackets.
	 * @return bool
	 */
	private function is_private( $host ) {
		if ( filter_var( $host, FILTER_VALIDATE_IP ) ) {
			// An IPv4 address within IPv6 counts as reserved, and may be public.
			return 0 !== strpos( $host, '::ffff:' ) && ! filter_var( $host, FILTER_VALIDATE_IP, FILTER_FLAG_NO_PRIV_RANGE | FILTER_FLAG_NO_RES_RANGE );
		}
		// A name begins with a letter: 134744072 and 0x8080808 are IP addresses.
		return 1 === preg_match( '/^[a-z][a-z0-9_-]*$/D', $host ) || 1 === preg_match( '/\.(?:local|test|internal)$/D', $host );
	}

	/**
	 * Returns true if WordPress opens an address that comes from a form.
	 *
	 * @param string $url Address.
	 * @return bool
	 */
	public function may_open( $url ) {
		return (bool) wp_http_validate_url( $url );
	}

	/**
	 * Returns the text for an address that WordPress does not open.
	 *
	 * @return string
	 */
	public function may_not_open() {
		return __( 'WordPress does not allow this address in a setting, since it is in the server\'s own network or has an unusual port. If the service runs there, define IMAGEWRIGHT_URL in wp-config.php.', 'imagewright' );
	}

	/**
	 * Returns false if the service has no model. True if it has one or does not answer: a request then names the reason.
	 *
	 * @return bool
	 */
	public function has_model() {
		if ( ! $this->options->is_ready() ) {
			return true;
		}
		$known = (array) get_transient( self::MODEL );
		if ( $this->options->url() !== ( $known['url'] ?? '' ) ) {
			$health = $this->json( 'GET', '/healthz', null, array(), self::MODEL_TIMEOUT );
			$known  = array(
				'url'    => $this->options->url(),
				'exists' => is_wp_error( $health ) || 'none' !== ( $health['analysis']['provider'] ?? '' ),
			);
			set_transient( self::MODEL, $known, is_wp_error( $health ) ? self::MODEL_RETRY : self::MODEL_SECONDS );
		}
		return $known['exists'];
	}

	/**
	 * Creates the error for a service without a model.
	 *
	 * @return WP_Error
	 */
	public function no_model() {
		return Imagewright_Rest_Errors::make( 'no_model', __( 'The image service has no model that describes images, so no texts can be written. Whoever runs the service can set one up.', 'imagewright' ), 409 );
	}
}
