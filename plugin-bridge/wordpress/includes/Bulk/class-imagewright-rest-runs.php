<?php
/**
 * Routes for bulk runs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * `imagewright/v1/run`: the bulk run of the current user, and `imagewright/v1/states`: what lists show of attachments.
 */
class Imagewright_Rest_Runs {

	/** Seconds for which a request of an open page works on the queue. */
	const SECONDS = 10;

	/** Most attachments of one request for states. */
	const MAX_STATES = 100;

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
							'enum'    => array( 'optimize', 'restore', 'discard' ),
							'default' => 'optimize',
						),
						'ids'  => Imagewright_Rest_Library::ids_arg(),
						// A run of this user whose images are meant.
						'of'   => array(
							'type'    => 'string',
							'default' => '',
						),
					) + Imagewright_Rest_Library::settings_args()
				),
				$route(
					'PATCH',
					'change',
					array(
						'state' => array(
							'type'     => 'string',
							'enum'     => array( 'running', 'stopped' ),
							'required' => true,
						),
					)
				),
				$route( 'DELETE', 'forget' ),
			)
		);
		register_rest_route( 'imagewright/v1', '/run/work', array( $route( 'POST', 'work' ) ) );
		register_rest_route( 'imagewright/v1', '/states', array( $route( 'GET', 'states', array( 'ids' => array( 'required' => true ) + Imagewright_Rest_Library::ids_arg() ) ) ) );
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
		$options   = self::options( $request );
		Imagewright_Nightly::check( Imagewright_Nightly::SAMPLE, 0.15 );
		$preview   = Imagewright_Candidates::preview( $options, $request['ids'] );
		$lacks     = $request['fillText'] && ! Imagewright_Vision::exists();
		$described = $request['fillText'] && ! $lacks ? Imagewright_Candidates::count( 'optimize', $options, $request['ids'], true ) : 0;
		$export    = self::price( 'export', $preview['images'] - $preview['repairs'] );
		$texts     = is_wp_error( $export ) || 0 === $described ? array( 'cost' => 0 ) : self::price( 'analyze', $described );
		foreach ( array( $export, $texts ) as $answer ) {
			if ( is_wp_error( $answer ) ) {
				return $answer;
			}
		}
		return array(
			'images'     => $preview['images'],
			'repairs'    => $preview['repairs'],
			'leftOut'    => $preview['leftOut'],
			'described'  => $described,
			'textNote'   => $lacks ? Imagewright_Vision::refusal()->get_error_message() : '',
			'textCost'   => $texts['cost'],
			'cost'       => $export['cost'] + $texts['cost'],
			'balance'    => $export['balance'],
			'sufficient' => $export['balance'] >= $export['cost'] + $texts['cost'],
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
	 * @return array|WP_Error 409 if the images of a run are meant and it has none.
	 */
	public static function start( $request ) {
		if ( 'optimize' === $request['kind'] && ! Imagewright_Access::may_spend() ) {
			return Imagewright_Access::refusal();
		}
		if ( 'discard' === $request['kind'] && ! current_user_can( 'manage_options' ) ) {
			return Imagewright_Rest_Errors::make( 'may_not_change', __( 'Only an administrator can delete originals.', 'imagewright' ), 403 );
		}
		$ids = '' === $request['of'] ? $request['ids'] : self::images_of( $request['of'] );
		if ( '' !== $request['of'] && ! $ids ) {
			// No ids would mean the whole library.
			return Imagewright_Rest_Errors::make( 'no_images', __( 'This run has no optimized images any more.', 'imagewright' ), 409 );
		}
		return array( 'run' => Imagewright_Runs::start( $request['kind'], $ids, self::options( $request ) ) );
	}

	/**
	 * Lists the optimized images of the current user's run.
	 *
	 * @param string $id Run.
	 * @return int[] Empty if it is not their run.
	 */
	private static function images_of( $id ) {
		global $wpdb;
		$run = Imagewright_Runs::current();
		return $run && $run['id'] === $id ? array_map( 'intval', array_column( Imagewright_Index::all( $wpdb->prepare( 'run = %s', $id ) . " AND task = '' AND status = 'done'" ), 'attachment_id' ) ) : array();
	}

	/**
	 * Stops or resumes the run.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function change( $request ) {
		return array( 'run' => Imagewright_Runs::set_state( $request['state'] ) );
	}

	/**
	 * Works on the queue for some seconds: faster than WP-Cron, and for sites whose WP-Cron is switched off.
	 *
	 * @return array
	 */
	public static function work() {
		$worked = Imagewright_Worker::run( self::SECONDS );
		return self::current() + compact( 'worked' );
	}

	/**
	 * Returns the HTML of the status of attachments.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function states( $request ) {
		$ids = array_slice( array_filter( $request['ids'] ), 0, self::MAX_STATES );
		_prime_post_caches( $ids, false, true );
		Imagewright_Index::expect( array_map( 'get_post', $ids ) );
		$states = array();
		foreach ( array_filter( $ids, array( 'Imagewright_Library', 'may_change' ) ) as $id ) {
			$item     = Imagewright_Library::describe( $id );
			$states[] = array(
				'id'   => $id,
				'html' => Imagewright_Attachment_Field::html( $item ),
				'cell' => Imagewright_Attachment_Field::cell( $item ),
			);
		}
		return $states;
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
