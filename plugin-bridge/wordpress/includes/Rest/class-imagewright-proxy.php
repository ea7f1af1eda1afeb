<?php
/**
 * Proxy between browser and service.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Forwards allowed requests from `imagewright/v1/service/v1/…` with the API key, streams included.
 */
class Imagewright_Proxy {

	const REQUEST_HEADERS = array( 'content_type', 'idempotency_key', 'last_event_id', 'accept', 'range', 'if_none_match' );

	const ANSWER_HEADERS  = array( 'content-type', 'retry-after', 'location', 'x-job-id', 'etag', 'content-disposition', 'content-range', 'accept-ranges', 'ratelimit', 'ratelimit-policy' );

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Event streams of the service. */
	private Imagewright_Event_Stream $event_stream;
	/** Service. */
	private Imagewright_Service $service;
	/** Budget of a user. */
	private Imagewright_Budget $budget;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access       $access       Permissions of users.
	 * @param Imagewright_Rest_Rules   $rest_rules   Rules of routes.
	 * @param Imagewright_Event_Stream $event_stream Event streams of the service.
	 * @param Imagewright_Service      $service      Service.
	 * @param Imagewright_Budget       $budget       Budget of a user.
	 * @param Imagewright_Sessions     $sessions     Ownership of sessions and jobs.
	 * @param Imagewright_Files        $files        Files below the uploads folder.
	 */
	public function __construct(
		Imagewright_Access $access,
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Event_Stream $event_stream,
		Imagewright_Service $service,
		Imagewright_Budget $budget,
		Imagewright_Sessions $sessions,
		Imagewright_Files $files
	) {
		$this->access       = $access;
		$this->rest_rules   = $rest_rules;
		$this->event_stream = $event_stream;
		$this->service      = $service;
		$this->budget       = $budget;
		$this->sessions     = $sessions;
		$this->files        = $files;
	}

	/** Registers one route for all paths. Imagewright_Rest_Rules checks the path. */
	public function routes() {
		register_rest_route(
			'imagewright/v1',
			'/service(?P<path>/v1/.+)',
			array(
				'methods'             => array( 'GET', 'POST', 'PATCH', 'DELETE' ),
				'callback'            => array( $this, 'pass' ),
				'permission_callback' => array( $this, 'may_use' ),
				'args'                => array(
					'path' => array(
						'type'              => 'string',
						'validate_callback' => static function ( $value ) {
							return is_string( $value ) && strlen( $value ) < 2048;
						},
						'sanitize_callback' => static function ( $value ) {
							return (string) $value;
						},
					),
				),
			)
		);
	}

	/**
	 * Requires the permission to use the plugin.
	 *
	 * @return bool
	 */
	public function may_use() {
		return $this->access->may_use();
	}

	/**
	 * Forwards one request.
	 *
	 * @param WP_REST_Request $request The browser's request.
	 * @return WP_REST_Response
	 */
	public function pass( $request ) {
		$query = $request->get_query_params();
		$path  = $request->get_url_params()['path'];
		// Without pretty permalinks the route is a query parameter that ends with the widget's query.
		if ( false !== strpos( $path, '?' ) ) {
			list( $path, $tail ) = explode( '?', $path, 2 );
			wp_parse_str( $tail, $more );
			$query = array_merge( $query, $more );
		}
		$method = $request->get_method();
		$rule   = $this->rest_rules->check_request( $method, $path, $query, (string) $request->get_body() );
		if ( is_wp_error( $rule ) ) {
			return Imagewright_Rest_Errors::as_service_answer( $rule );
		}
		$operation = $this->rest_rules->paid_operation( $method, $path );
		$options   = '' !== $operation && ! $this->access->may_spend() ? $this->access->refusal() : $this->request_options( $request );
		if ( is_wp_error( $options ) ) {
			return Imagewright_Rest_Errors::as_service_answer( $options );
		}
		if ( 'file' === $rule['kind'] ) {
			return $this->pass_file( $method, $rule['path'], $options );
		}
		$slip = '' === $operation ? null : $this->reserve( $operation, $path, $request );
		if ( is_wp_error( $slip ) ) {
			return Imagewright_Rest_Errors::as_service_answer( $slip );
		}
		$answer = 'stream' === $rule['kind']
			? $this->event_stream->pass( $method, $rule['path'], $options, $slip )
			: $this->service->request( $method, $rule['path'], $options );
		if ( is_wp_error( $answer ) ) {
			return Imagewright_Rest_Errors::as_service_answer( $answer );
		}
		return $this->answer( $answer, 'POST' === $method && '/v1/sessions' === $path );
	}

	/**
	 * Reserves the price of a request in the budget of the current user.
	 *
	 * @param string          $operation `export` or `analyze`.
	 * @param string          $path      Path from /v1 on, without query.
	 * @param WP_REST_Request $request   The browser's request.
	 * @return array|WP_Error|null Null without a limit.
	 */
	private function reserve( $operation, $path, $request ) {
		if ( 0 === $this->budget->limit() ) {
			return null;
		}
		$body = json_decode( (string) $request->get_body(), true );
		if ( ! is_array( $body ) ) {
			return new WP_Error( 'invalid_request', __( 'The operation failed.', 'imagewright' ), array( 'status' => 400 ) );
		}
		$images = $body['images'] ?? null;
		if ( ! is_array( $images ) ) {
			// An analysis without a list covers all images of the session.
			$session = preg_match( '#/sessions/([^/]+)/#', $path, $found ) ? $found[1] : (string) $body['sessionId'];
			$stored  = $this->service->json( 'GET', "/v1/sessions/$session" );
			if ( is_wp_error( $stored ) ) {
				return $stored;
			}
			$images = (array) $stored['images'];
		}
		$key = (string) $request->get_header( 'idempotency_key' );
		return $this->budget->reserve( $operation, count( $images ), '' === $key ? '' : "$path $key" );
	}

	/**
	 * Builds body and headers of the forwarded request. Uploaded files become a new multipart body.
	 *
	 * @param WP_REST_Request $request The browser's request.
	 * @return array|WP_Error
	 */
	private function request_options( $request ) {
		$headers = array();
		foreach ( self::REQUEST_HEADERS as $name ) {
			$value = 'idempotency_key' === $name ? $this->rest_rules->own_key( $request ) : $request->get_header( $name );
			if ( null !== $value && '' !== $value ) {
				$headers[ str_replace( '_', '-', $name ) ] = $value;
			}
		}
		if ( 0 === strpos( (string) $request->get_header( 'content_type' ), 'multipart/form-data' ) ) {
			$files = $this->received_files( $request->get_file_params() );
			if ( is_wp_error( $files ) ) {
				return $files;
			}
			$metadata          = $request->get_body_params()['metadata'] ?? '';
			$upload            = $this->sessions->multipart( $files, is_string( $metadata ) ? $metadata : '' );
			$upload['headers'] = is_wp_error( $upload ) ? array() : array_merge( array_diff_key( $headers, array( 'content-type' => 1 ) ), $upload['headers'] );
			return $upload;
		}
		$options = array( 'headers' => $headers );
		if ( 'GET' !== $request->get_method() && '' !== (string) $request->get_body() ) {
			$options['body'] = $request->get_body();
		}
		return $options;
	}

	/**
	 * Lists the uploaded files of single and multiple fields.
	 *
	 * @param array $fields As PHP has them.
	 * @return array|WP_Error
	 */
	private function received_files( $fields ) {
		$files = array();
		foreach ( $fields as $field ) {
			foreach ( (array) $field['tmp_name'] as $index => $path ) {
				$error = (array) $field['error'];
				if ( UPLOAD_ERR_OK !== (int) $error[ $index ] ) {
					$too_large = in_array( (int) $error[ $index ], array( UPLOAD_ERR_INI_SIZE, UPLOAD_ERR_FORM_SIZE ), true );
					return new WP_Error(
						$too_large ? 'file_too_large' : 'invalid_multipart',
						$too_large ? __( 'The file is larger than this site accepts.', 'imagewright' ) : __( 'The upload is incomplete.', 'imagewright' ),
						array(
							'status'  => $too_large ? 413 : 400,
							'details' => $too_large ? array( 'limit' => wp_max_upload_size() ) : array(),
						)
					);
				}
				$names   = (array) $field['name'];
				$files[] = array(
					'path' => $path,
					'name' => (string) $names[ $index ],
					'type' => 'application/octet-stream',
				);
			}
		}
		return $files;
	}

	/**
	 * Converts a response of the service to a response of this route.
	 *
	 * @param array $answer  Status, headers, body.
	 * @param bool  $created True if a session was created.
	 * @return WP_REST_Response
	 */
	private function answer( $answer, $created ) {
		$body = json_decode( $answer['body'], true );
		if ( $created && $answer['status'] < 300 && is_array( $body ) && isset( $body['sessionId'] ) ) {
			$this->sessions->remember( $body['sessionId'] );
		}
		if ( $answer['status'] >= 400 ) {
			$error    = Imagewright_Rest_Errors::from_service( $answer['status'], is_array( $body ) ? $body : array(), $answer['headers'] );
			$response = Imagewright_Rest_Errors::as_service_answer( $error );
		} else {
			// Decoded to objects: an array would turn `{}` into `[]`.
			$response = new WP_REST_Response( '' === $answer['body'] ? null : json_decode( $answer['body'] ), $answer['status'] );
		}
		foreach ( array_diff( self::ANSWER_HEADERS, array( 'content-type' ) ) as $name ) {
			if ( isset( $answer['headers'][ $name ] ) ) {
				$response->header( $name, (string) $answer['headers'][ $name ] );
			}
		}
		return $response;
	}

	/**
	 * Forwards a file through a temporary file, so that its headers are known before the first byte is sent.
	 *
	 * @param string $method  HTTP method.
	 * @param string $path    Path with query.
	 * @param array  $options Request options.
	 * @return WP_REST_Response An error. Exits after a file was sent.
	 */
	private function pass_file( $method, $path, $options ) {
		$file            = $this->files->temporary();
		$options['file'] = $file;
		$answer          = $this->service->request( $method, $path, $options );
		if ( is_wp_error( $answer ) || $answer['status'] >= 400 ) {
			$body  = $this->files->read( $file );
			$error = is_wp_error( $answer ) ? $answer : Imagewright_Rest_Errors::from_service( $answer['status'], (array) json_decode( $body, true ), $answer['headers'] );
			wp_delete_file( $file );
			return Imagewright_Rest_Errors::as_service_answer( $error );
		}
		$this->event_stream->discard_output();
		status_header( $answer['status'] );
		header_remove( 'Content-Type' );
		foreach ( self::ANSWER_HEADERS as $name ) {
			if ( isset( $answer['headers'][ $name ] ) ) {
				header( $name . ': ' . $answer['headers'][ $name ] );
			}
		}
		header( 'X-Content-Type-Options: nosniff' );
		header( "Content-Security-Policy: sandbox; default-src 'none'" );
		header( 'Cache-Control: private, no-cache' );
		if ( 304 !== $answer['status'] ) {
			header( 'Content-Length: ' . wp_filesize( $file ) );
			// Sends the temporary file without loading it into memory.
			readfile( $file );
		}
		wp_delete_file( $file );
		exit;
	}
}
