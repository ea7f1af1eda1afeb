<?php
/**
 * Routes for bulk runs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * `imagewright/v1/run`: the current user's run. The images themselves are worked on through their own routes.
 */
class Imagewright_Rest_Runs {

	/** Registers the routes. */
	public static function register() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
	}

	/** The routes. */
	public static function routes() {
		$route = static function ( $method, $callback, $args = array() ) {
			return array(
				'methods'             => $method,
				'callback'            => array( __CLASS__, $callback ),
				'permission_callback' => array( 'Imagewright_Rest_Library', 'may_list' ),
				'args'                => $args,
			);
		};
		register_rest_route(
			'imagewright/v1',
			'/run',
			array(
				$route( 'GET', 'current' ),
				$route(
					'POST',
					'start',
					array(
						'kind' => array(
							'type'    => 'string',
							'enum'    => array( 'optimize', 'restore' ),
							'default' => 'optimize',
						),
						'ids'  => Imagewright_Rest_Library::ids_arg(),
					) + Imagewright_Rest_Library::settings_args()
				),
				$route(
					'PATCH',
					'change',
					array(
						'state'   => array(
							'type'     => 'string',
							'enum'     => array( 'running', 'stopped' ),
							'required' => true,
						),
						'code'    => array(
							'type'              => 'string',
							'default'           => '',
							'sanitize_callback' => 'sanitize_key',
						),
						'message' => array(
							'type'              => 'string',
							'default'           => '',
							'sanitize_callback' => 'sanitize_text_field',
						),
					)
				),
				$route( 'DELETE', 'forget' ),
			)
		);
		register_rest_route( 'imagewright/v1', '/run/preview', array( $route( 'GET', 'preview', array( 'ids' => Imagewright_Rest_Library::ids_arg() ) ) ) );
	}

	/**
	 * The run, or null.
	 *
	 * @return array
	 */
	public static function current() {
		return array( 'run' => Imagewright_Runs::current() );
	}

	/**
	 * What a run would cost, before anything is spent.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function preview( $request ) {
		$ids = $request['ids'] ? array_filter( $request['ids'], array( 'Imagewright_Library', 'may_change' ) ) : Imagewright_Library::ids( 'none' );
		$due = array_filter(
			$ids,
			static function ( $id ) {
				return in_array( Imagewright_State::status( $id ), array( 'none', 'failed', 'interrupted' ), true );
			}
		);
		$check = Imagewright_Service::json( 'POST', '/v1/credits/check', array( 'imageCount' => count( $due ) ) );
		return is_wp_error( $check ) ? $check : array(
			'images'     => count( $due ),
			'skipped'    => count( $ids ) - count( $due ),
			'cost'       => $check['cost'],
			'balance'    => $check['balance'],
			'sufficient' => $check['sufficient'],
		);
	}

	/**
	 * Starts a run.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function start( $request ) {
		$options = array(
			'format'   => $request['format'],
			'preset'   => $request['preset'],
			'fillText' => $request['fillText'],
		);
		return array( 'run' => Imagewright_Runs::start( $request['kind'], $request['ids'], $options ) );
	}

	/**
	 * Stops or goes on with the run.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function change( $request ) {
		$reason = '' === $request['code'] ? null : array(
			'code'    => $request['code'],
			'message' => $request['message'],
		);
		return array( 'run' => Imagewright_Runs::set_state( $request['state'], $reason ) );
	}

	/**
	 * Forgets the run.
	 *
	 * @return array
	 */
	public static function forget() {
		Imagewright_Runs::forget();
		return array( 'run' => null );
	}
}
