<?php
/**
 * Routes for bulk runs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * `imagewright/v1/run`: the bulk run of the current user. The script optimizes each image through its own route.
 */
class Imagewright_Rest_Runs {

	/** Most titles that are listed for each reason of leaving images out. */
	const EXAMPLES = 5;

	/** Registers the routes. */
	public static function register() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
	}

	/** Registers the routes in the REST API. */
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
		register_rest_route( 'imagewright/v1', '/run/preview', array( $route( 'GET', 'preview', array( 'ids' => Imagewright_Rest_Library::ids_arg() ) + Imagewright_Rest_Library::settings_args() ) ) );
	}

	/**
	 * Returns the run, or null.
	 *
	 * @return array
	 */
	public static function current() {
		return array( 'run' => Imagewright_Runs::current() );
	}

	/**
	 * Returns the cost of a run before it starts.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function preview( $request ) {
		if ( ! Imagewright_Access::may_spend() ) {
			return Imagewright_Access::refusal();
		}
		$ids       = $request['ids'] ? array_filter( $request['ids'], array( 'Imagewright_Library', 'may_change' ) ) : Imagewright_Library::ids( 'any' );
		$partition = Imagewright_Eligibility::partition( $ids, self::options( $request ) );
		$eligible  = $partition['eligible'];
		if ( ! $request['ids'] ) {
			// The page shows the number of optimized images separately.
			unset( $partition['left_out']['imagewright_optimized'] );
			$others = Imagewright_Library::ids_of_other_types();
			if ( $others ) {
				$partition['left_out']['imagewright_other_type'] = array(
					'message' => __( 'The image service does not accept this format.', 'imagewright' ),
					'ids'     => $others,
				);
			}
		}
		$left_out = array_values( array_map( array( __CLASS__, 'left_out' ), $partition['left_out'] ) );

		$described = $request['fillText'] ? Imagewright_Eligibility::undescribed( $eligible ) : 0;
		$export    = self::price( 'export', count( $eligible ) );
		$texts     = is_wp_error( $export ) || 0 === $described ? array( 'cost' => 0 ) : self::price( 'analyze', $described );
		foreach ( array( $export, $texts ) as $answer ) {
			if ( is_wp_error( $answer ) ) {
				return $answer;
			}
		}
		return array(
			'images'     => count( $eligible ),
			'leftOut'    => $left_out,
			'described'  => $described,
			'textCost'   => $texts['cost'],
			'cost'       => $export['cost'] + $texts['cost'],
			'balance'    => $export['balance'],
			'sufficient' => $export['balance'] >= $export['cost'] + $texts['cost'],
		);
	}

	/**
	 * Describes the images that are left out for one reason, with up to EXAMPLES titles.
	 *
	 * @param array $group `message`, `ids`.
	 * @return array{message:string,count:int,examples:array<int,array{id:int,title:string}>}
	 */
	private static function left_out( $group ) {
		$examples = array_map(
			static function ( $id ) {
				return array(
					'id'    => $id,
					'title' => Imagewright_Texts::title( $id ),
				);
			},
			array_slice( $group['ids'], 0, self::EXAMPLES )
		);
		return array(
			'message'  => $group['message'],
			'count'    => count( $group['ids'] ),
			'examples' => $examples,
		);
	}

	/**
	 * Asks the service for a price.
	 *
	 * @param string $operation `export` or `analyze`.
	 * @param int    $count     Images.
	 * @return array|WP_Error
	 */
	private static function price( $operation, $count ) {
		return Imagewright_Service::json(
			'POST',
			'/v1/credits/check',
			array(
				'imageCount' => $count,
				'operation'  => $operation,
			)
		);
	}

	/**
	 * Reads the settings of a run.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	private static function options( $request ) {
		return array(
			'format'   => $request['format'],
			'preset'   => $request['preset'],
			'fillText' => $request['fillText'],
		);
	}

	/**
	 * Starts a run.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function start( $request ) {
		if ( 'optimize' === $request['kind'] && ! Imagewright_Access::may_spend() ) {
			return Imagewright_Access::refusal();
		}
		return array( 'run' => Imagewright_Runs::start( $request['kind'], $request['ids'], self::options( $request ) ) );
	}

	/**
	 * Stops or resumes the run.
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
	 * Deletes the run.
	 *
	 * @return array
	 */
	public static function forget() {
		Imagewright_Runs::forget();
		return array( 'run' => null );
	}
}
