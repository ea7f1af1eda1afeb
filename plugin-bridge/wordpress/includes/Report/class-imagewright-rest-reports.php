<?php
/**
 * Routes for reports.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Weighs pages, lists texts that nobody confirmed, and audits the texts of the site.
 */
class Imagewright_Rest_Reports {

	/** Registers the routes. */
	public static function register() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
	}

	/** Registers the routes in the REST API. */
	public static function routes() {
		$route = static function ( $method, $path, $callback, $args ) {
			register_rest_route(
				'imagewright/v1',
				$path,
				array(
					'methods'             => $method,
					'callback'            => array( __CLASS__, $callback ),
					'permission_callback' => array( 'Imagewright_Rest_Library', 'may_list' ),
					'args'                => $args,
				)
			);
		};
		$cursor = array(
			'cursor' => array(
				'type'    => 'string',
				'default' => '',
			),
		);
		$route(
			'POST',
			'/weigh',
			'weigh',
			array(
				'url' => array(
					'type'     => 'string',
					'required' => true,
				),
			)
		);
		$route( 'GET', '/texts/unconfirmed', 'unconfirmed', $cursor );
		$route( 'GET', '/texts/audit', 'audit', $cursor );
	}

	/**
	 * Weighs a page.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function weigh( $request ) {
		return Imagewright_Page_Weight::of( (string) $request['url'] );
	}

	/**
	 * Lists texts of AI that nobody confirmed.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function unconfirmed( $request ) {
		return Imagewright_Unconfirmed::batch( (int) $request['cursor'] );
	}

	/**
	 * Audits the next part of the site.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function audit( $request ) {
		return Imagewright_Audit::batch( (string) $request['cursor'] );
	}
}
