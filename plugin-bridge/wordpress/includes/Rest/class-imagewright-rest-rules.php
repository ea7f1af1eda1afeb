<?php
/**
 * Rules of routes.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Arguments and permissions that several routes have.
 */
class Imagewright_Rest_Rules {

	const SESSION = '(?P<session>sess_[0-9A-Za-z]{22})';

	const IMAGE   = '(?P<image>img_[0-9A-Za-z]{22})';

	const JOB     = '(?P<job>job_[0-9A-Za-z]{22})';

	/** Settings. */
	private Imagewright_Options $options;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Records of images. */
	private Imagewright_State $state;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options  $options  Settings.
	 * @param Imagewright_Access   $access   Permissions of users.
	 * @param Imagewright_State    $state    Records of images.
	 * @param Imagewright_Sessions $sessions Ownership of sessions and jobs.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Access $access,
		Imagewright_State $state,
		Imagewright_Sessions $sessions
	) {
		$this->options  = $options;
		$this->access   = $access;
		$this->state    = $state;
		$this->sessions = $sessions;
	}

	/**
	 * Returns the schema of the export settings. The defaults are the settings of the site.
	 *
	 * @return array
	 */
	public function settings_args() {
		$all     = $this->options->all();
		$formats = $this->options->formats();
		return array(
			'format'   => array(
				'type'    => 'string',
				'enum'    => $formats,
				// The stored format may come from a server that supported more formats.
				'default' => in_array( $all['format'], $formats, true ) ? $all['format'] : $formats[0],
			),
			'preset'   => array(
				'type'    => 'string',
				'enum'    => Imagewright_Contract::PRESETS,
				'default' => $all['preset'],
			),
			'fillText' => array(
				'type'    => 'boolean',
				'default' => (bool) $all['fill_text'],
			),
		);
	}

	/**
	 * Returns the schema of a list of ids.
	 *
	 * @return array
	 */
	public function ids_arg() {
		return array(
			'type'    => 'array',
			'items'   => array( 'type' => 'integer' ),
			'default' => array(),
		);
	}

	/**
	 * Requires the permission to use the plugin.
	 *
	 * @return bool
	 */
	public function may_list() {
		return $this->access->may_use();
	}

	/**
	 * Requires the permission to change the attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return bool
	 */
	public function may_change( $request ) {
		return $this->access->may_change( (int) $request['id'] ) && $this->state->may_change( (int) $request['id'] );
	}

	/**
	 * Makes the idempotency key of a request one of its user and site: another user's equal key must not be answered with this one's
	 * session.
	 *
	 * @param WP_REST_Request $request The browser's request.
	 * @return string An empty string without a key.
	 */
	public function own_key( $request ) {
		$key = (string) $request->get_header( 'idempotency_key' );
		return '' === $key ? '' : hash( 'sha256', get_current_blog_id() . ' ' . get_current_user_id() . ' ' . $key );
	}

	/**
	 * Returns the rules: method, path pattern, kind of response (`json`, `stream`, `file`), forwarded query parameters.
	 *
	 * @return array<int,array{0:string,1:string,2:string,3?:string[]}>
	 */
	private function proxy_rules() {
		$session = '/v1/sessions/' . self::SESSION;
		return array(
			array( 'POST', '/v1/sessions', 'json' ),
			array( 'GET', $session, 'json' ),
			array( 'DELETE', $session, 'json' ),
			array( 'POST', "$session/images", 'json' ),
			array( 'PATCH', "$session/images/" . self::IMAGE, 'json' ),
			array( 'GET', "$session/images/" . self::IMAGE . '/preview', 'file', array( 'width' ) ),
			array( 'GET', "$session/analysis", 'json' ),
			array( 'POST', "$session/(?:analyze|export|sample)", 'stream' ),
			array( 'POST', '/v1/(?:analyze|export)', 'stream' ),
			array( 'GET', '/v1/sessions/' . self::SESSION . '(?:' . preg_quote( Imagewright_Contract::SAMPLE_SUFFIX, '#' ) . ')?/download', 'file', array( 'filename' ) ),
			array( 'GET', '/v1/jobs/' . self::JOB, 'json' ),
			array( 'GET', '/v1/jobs/' . self::JOB . '/events', 'stream' ),
			array( 'POST', '/v1/jobs/' . self::JOB . '/cancel', 'json' ),
			array( 'GET', '/v1/(?:credits/balance|limits)', 'json' ),
			array( 'POST', '/v1/credits/check', 'json' ),
		);
	}

	/**
	 * Finds the rule of a request and checks that its session or job belongs to the current user.
	 *
	 * @param string $method HTTP method.
	 * @param string $path   Path from /v1 on, without query.
	 * @param array  $query  Query parameters.
	 * @param string $body   Body. `/v1/analyze` and `/v1/export` name their session there.
	 * @return array{path:string,kind:string}|WP_Error
	 */
	public function check_request( $method, $path, $query, $body ) {
		foreach ( $this->proxy_rules() as $rule ) {
			if ( $method !== $rule[0] || ! preg_match( '#^' . $rule[1] . '$#D', $path, $found ) ) {
				continue;
			}
			$session = $found['session'] ?? '';
			if ( '' === $session && preg_match( '#^/v1/(?:analyze|export)$#D', $path ) ) {
				$decoded = json_decode( $body, true );
				$session = is_array( $decoded ) && is_string( $decoded['sessionId'] ?? null ) ? $decoded['sessionId'] : 'none';
			}
			if ( '' !== $session && ! $this->sessions->is_own( $session ) ) {
				return new WP_Error( 'session_not_found', __( 'No such session, or it has expired.', 'imagewright' ), array( 'status' => 404 ) );
			}
			if ( isset( $found['job'] ) ) {
				$job = $this->sessions->own_job( $found['job'] );
				if ( is_wp_error( $job ) ) {
					return $job;
				}
			}
			return array(
				'path' => $path . $this->query_string( $query, $rule[3] ?? array() ),
				'kind' => $rule[2],
			);
		}
		return new WP_Error( 'not_found', __( 'This site does not allow this path of the image service.', 'imagewright' ), array( 'status' => 404 ) );
	}

	/**
	 * Returns the operation that a request may be charged for.
	 *
	 * @param string $method HTTP method.
	 * @param string $path   Path from /v1 on, without query.
	 * @return string `export`, `analyze`, or an empty string.
	 */
	public function paid_operation( $method, $path ) {
		return 'POST' === $method && preg_match( '#/(export|analyze)$#D', $path, $found ) ? $found[1] : '';
	}

	/**
	 * Builds a query string of the allowed parameters.
	 *
	 * @param array    $query   Received parameters.
	 * @param string[] $allowed Names.
	 * @return string
	 */
	private function query_string( $query, $allowed ) {
		$pairs = array();
		foreach ( $allowed as $name ) {
			if ( isset( $query[ $name ] ) && is_string( $query[ $name ] ) ) {
				$pairs[] = $name . '=' . rawurlencode( $query[ $name ] );
			}
		}
		return $pairs ? '?' . implode( '&', $pairs ) : '';
	}
}
