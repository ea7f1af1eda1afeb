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

	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Bulk runs. */
	private Imagewright_Runs $runs;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Schedule of the queue and of the nightly check. */
	private Imagewright_Schedule $schedule;
	/** Images that a run can work on. */
	private Imagewright_Candidates $candidates;
	/** Service. */
	private Imagewright_Service $service;
	/** Queue of tasks. */
	private Imagewright_Queue $queue;
	/** Worker of the queue. */
	private Imagewright_Worker $worker;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Status field of an attachment. */
	private Imagewright_Attachment_Field $attachment_field;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Rest_Rules       $rest_rules       Rules of routes.
	 * @param Imagewright_Runs             $runs             Bulk runs.
	 * @param Imagewright_Access           $access           Permissions of users.
	 * @param Imagewright_Schedule         $schedule         Schedule of the queue and of the nightly check.
	 * @param Imagewright_Candidates       $candidates       Images that a run can work on.
	 * @param Imagewright_Service          $service          Service.
	 * @param Imagewright_Queue            $queue            Queue of tasks.
	 * @param Imagewright_Worker           $worker           Worker of the queue.
	 * @param Imagewright_Index            $index            Rows of images.
	 * @param Imagewright_Attachment_Field $attachment_field Status field of an attachment.
	 */
	public function __construct(
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Runs $runs,
		Imagewright_Access $access,
		Imagewright_Schedule $schedule,
		Imagewright_Candidates $candidates,
		Imagewright_Service $service,
		Imagewright_Queue $queue,
		Imagewright_Worker $worker,
		Imagewright_Index $index,
		Imagewright_Attachment_Field $attachment_field
	) {
		$this->rest_rules       = $rest_rules;
		$this->runs             = $runs;
		$this->access           = $access;
		$this->schedule         = $schedule;
		$this->candidates       = $candidates;
		$this->service          = $service;
		$this->queue            = $queue;
		$this->worker           = $worker;
		$this->index            = $index;
		$this->attachment_field = $attachment_field;
	}

	/** Registers the routes in the REST API. */
	public function routes() {
		$route = function ( $method, $callback, $args = array() ) {
			return array(
				'methods'             => $method,
				'callback'            => array( $this, $callback ),
				'permission_callback' => array( $this->rest_rules, 'may_list' ),
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
						'ids'  => $this->rest_rules->ids_arg(),
						// A run of this user whose images are meant.
						'of'   => array(
							'type'    => 'string',
							'default' => '',
						),
					) + $this->rest_rules->settings_args()
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
		register_rest_route( 'imagewright/v1', '/states', array( $route( 'GET', 'states', array( 'ids' => array( 'required' => true ) + $this->rest_rules->ids_arg() ) ) ) );
		register_rest_route( 'imagewright/v1', '/run/preview', array( $route( 'GET', 'preview', array( 'ids' => $this->rest_rules->ids_arg() ) + $this->rest_rules->settings_args() ) ) );
	}

	/**
	 * Returns the run, or null.
	 *
	 * @return array
	 */
	public function current() {
		return array( 'run' => $this->runs->current() );
	}

	/**
	 * Returns the cost of a run before it starts.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function preview( $request ) {
		if ( ! $this->access->may_spend() ) {
			return $this->access->refusal();
		}
		$options   = $this->options( $request );
		$this->schedule->check( Imagewright_Schedule::SAMPLE, 0.15 );
		$this->schedule->check_these( $request['ids'], 0.5 );
		$preview   = $this->candidates->preview( $options, $request['ids'] );
		$lacks     = $request['fillText'] && ! $this->service->has_model();
		$described = $request['fillText'] && ! $lacks ? $this->candidates->count( 'optimize', $options, $request['ids'], true ) : 0;
		$export    = $this->price( 'export', $preview['images'] - $preview['repairs'] );
		$texts     = is_wp_error( $export ) || 0 === $described ? array( 'cost' => 0 ) : $this->price( 'analyze', $described );
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
			'textNote'   => $lacks ? $this->service->no_model()->get_error_message() : '',
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
	private function price( $operation, $count ) {
		return $this->service->json(
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
	private function options( $request ) {
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
	public function start( $request ) {
		if ( 'optimize' === $request['kind'] && ! $this->access->may_spend() ) {
			return $this->access->refusal();
		}
		if ( 'discard' === $request['kind'] && ! current_user_can( 'manage_options' ) ) {
			return Imagewright_Rest_Errors::make( 'may_not_change', __( 'Only an administrator can delete originals.', 'imagewright' ), 403 );
		}
		$ids = '' === $request['of'] ? $request['ids'] : $this->images_of( $request['of'] );
		if ( '' !== $request['of'] && ! $ids ) {
			// No ids would mean the whole library.
			return Imagewright_Rest_Errors::make( 'no_images', __( 'This run has no optimized images any more.', 'imagewright' ), 409 );
		}
		return array( 'run' => $this->runs->start( $request['kind'], $ids, $this->options( $request ) ) );
	}

	/**
	 * Lists the optimized images of the current user's run.
	 *
	 * @param string $id Run.
	 * @return int[] Empty if it is not their run.
	 */
	private function images_of( $id ) {
		$run = $this->runs->current();
		return $run && $run['id'] === $id ? $this->queue->optimized( $id ) : array();
	}

	/**
	 * Stops or resumes the run.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public function change( $request ) {
		return array( 'run' => $this->runs->set_state( $request['state'] ) );
	}

	/**
	 * Works on the queue for some seconds: faster than WP-Cron, and for sites whose WP-Cron is switched off.
	 *
	 * @return array
	 */
	public function work() {
		$worked = $this->worker->run( self::SECONDS );
		return $this->current() + compact( 'worked' );
	}

	/**
	 * Returns the HTML of the status of attachments.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public function states( $request ) {
		$ids = array_slice( array_filter( $request['ids'] ), 0, self::MAX_STATES );
		_prime_post_caches( $ids, false, true );
		$this->index->expect( array_map( 'get_post', $ids ) );
		$states = array();
		foreach ( array_filter( $ids, array( $this->access, 'may_change' ) ) as $id ) {
			$states[] = array_intersect_key( $this->attachment_field->shown( $id ), array_flip( array( 'id', 'html', 'cell' ) ) );
		}
		return $states;
	}

	/**
	 * Deletes the run.
	 *
	 * @return array
	 */
	public function forget() {
		$this->runs->forget();
		return array( 'run' => null );
	}
}
