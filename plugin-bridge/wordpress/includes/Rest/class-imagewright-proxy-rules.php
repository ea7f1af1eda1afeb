<?php
/**
 * Allow-list of the proxy.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Checks methods and paths against an allow-list, and sessions and jobs against their owner.
 */
class Imagewright_Proxy_Rules {

	const SESSION = '(?P<session>sess_[0-9A-Za-z]{22})';
	const IMAGE   = '(?P<image>img_[0-9A-Za-z]{22})';
	const JOB     = '(?P<job>job_[0-9A-Za-z]{22})';

	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Sessions $sessions Ownership of sessions and jobs.
	 */
	public function __construct( Imagewright_Sessions $sessions ) {
		$this->sessions = $sessions;
	}

	/**
	 * Returns the rules: method, path pattern, kind of response (`json`, `stream`, `file`), forwarded query parameters.
	 *
	 * @return array<int,array{0:string,1:string,2:string,3?:string[]}>
	 */
	private function rules() {
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
	public function check( $method, $path, $query, $body ) {
		foreach ( $this->rules() as $rule ) {
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
