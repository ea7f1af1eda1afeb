<?php
/**
 * Routes that only read.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Serves the media library, the account and the export settings to the scripts of the plugin.
 */
class Imagewright_Rest_Library {

	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Lists of the media library. */
	private Imagewright_Library $library;
	/** Service. */
	private Imagewright_Service $service;
	/** Schedule of the queue and of the nightly check. */
	private Imagewright_Schedule $schedule;
	/** Images that a run can work on. */
	private Imagewright_Candidates $candidates;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Image sizes of the site. */
	private Imagewright_Sizes $sizes;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Results of exports, and their files. */
	private Imagewright_Result $result;
	/** Files that pages show. */
	private Imagewright_Shown $shown;
	/** Event streams of the service. */
	private Imagewright_Event_Stream $event_stream;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Rest_Rules   $rest_rules   Rules of routes.
	 * @param Imagewright_Library      $library      Lists of the media library.
	 * @param Imagewright_Service      $service      Service.
	 * @param Imagewright_Schedule     $schedule     Schedule of the queue and of the nightly check.
	 * @param Imagewright_Candidates   $candidates   Images that a run can work on.
	 * @param Imagewright_Access       $access       Permissions of users.
	 * @param Imagewright_Source       $source       Source files of attachments.
	 * @param Imagewright_Sizes        $sizes        Image sizes of the site.
	 * @param Imagewright_Eligibility  $eligibility  Eligibility for an export.
	 * @param Imagewright_Result       $result       Results of exports, and their files.
	 * @param Imagewright_Shown        $shown        Files that pages show.
	 * @param Imagewright_Event_Stream $event_stream Event streams of the service.
	 */
	public function __construct(
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Library $library,
		Imagewright_Service $service,
		Imagewright_Schedule $schedule,
		Imagewright_Candidates $candidates,
		Imagewright_Access $access,
		Imagewright_Source $source,
		Imagewright_Sizes $sizes,
		Imagewright_Eligibility $eligibility,
		Imagewright_Result $result,
		Imagewright_Shown $shown,
		Imagewright_Event_Stream $event_stream
	) {
		$this->rest_rules   = $rest_rules;
		$this->library      = $library;
		$this->service      = $service;
		$this->schedule     = $schedule;
		$this->candidates   = $candidates;
		$this->access       = $access;
		$this->source       = $source;
		$this->sizes        = $sizes;
		$this->eligibility  = $eligibility;
		$this->result       = $result;
		$this->shown        = $shown;
		$this->event_stream = $event_stream;
	}

	/** Registers the routes in the REST API. */
	public function routes() {
		$route = function ( $path, $callback, $args = array() ) {
			$one = false !== strpos( $path, '?P<id>' );
			register_rest_route(
				'imagewright/v1',
				$path,
				array(
					'methods'             => 'GET',
					'callback'            => array( $this, $callback ),
					'permission_callback' => $one ? array( $this->rest_rules, 'may_change' ) : array( $this->rest_rules, 'may_list' ),
					'args'                => $args,
				)
			);
		};
		$route( '/attachments', 'find', $this->list_args() );
		$route( '/attachments/(?P<id>\d+)', 'show' );
		$route( '/attachments/(?P<id>\d+)/original', 'original' );
		$route(
			'/attachments/(?P<id>\d+)/check',
			'check',
			array(
				'size'   => array(
					'type'     => 'integer',
					'required' => true,
				),
				'sha256' => array(
					'type'    => 'string',
					'pattern' => '^[0-9a-f]{64}$',
				),
			)
		);
		$balance = array(
			'type'    => 'boolean',
			'default' => true,
		);
		$route( '/status', 'status', compact( 'balance' ) );
		$route( '/export-settings', 'export_settings', array( 'ids' => $this->rest_rules->ids_arg() ) + $this->rest_rules->settings_args() );
	}

	/**
	 * Returns the schema of the arguments of a list.
	 *
	 * @return array
	 */
	private function list_args() {
		return array(
			'ids'      => $this->rest_rules->ids_arg(),
			'status'   => array(
				'type'    => 'string',
				'enum'    => array( 'any', 'none', 'optimized', 'waiting', 'outdated', 'offloaded', 'shared', 'failed' ),
				'default' => 'any',
			),
			'search'   => array(
				'type'    => 'string',
				'default' => '',
			),
			'page'     => array(
				'type'    => 'integer',
				'minimum' => 1,
				'default' => 1,
			),
			'per_page' => array(
				'type'    => 'integer',
				'minimum' => 1,
				'maximum' => 100,
				'default' => 50,
			),
		);
	}

	/**
	 * Lists attachments.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public function find( $request ) {
		return $this->library->find( $request->get_params() );
	}

	/**
	 * Returns the counts of the library, and the balance of the account unless only the counts are wanted, which need no service.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function status( $request ) {
		$balance = $request['balance'] ? $this->service->json( 'GET', '/v1/credits/balance' ) : array();
		if ( is_wp_error( $balance ) ) {
			return $balance;
		}
		$this->schedule->check( Imagewright_Schedule::SAMPLE, 0.15 );
		$counts = $this->library->of_library() + array( 'replaced' => current_user_can( 'manage_options' ) ? $this->candidates->count( 'discard', array() ) : 0 );
		return ! $balance ? $counts : $counts + array(
			'balance' => (int) $balance['balance'],
			'plan'    => (string) $balance['plan'],
		);
	}

	/**
	 * Returns export settings with all sizes of the site.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public function export_settings( $request ) {
		$images = array();
		foreach ( array_filter( $request['ids'], array( $this->access, 'may_change' ) ) as $id ) {
			$source = $this->source->of( $id );
			$size   = is_wp_error( $source ) ? false : wp_getimagesize( $source['path'] );
			if ( $size ) {
				$images[] = array(
					'width'  => (int) $size[0],
					'height' => (int) $size[1],
				);
			}
		}
		return $this->sizes->settings( $request['format'], $request['preset'], $images );
	}

	/**
	 * Describes one attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public function show( $request ) {
		return $this->library->describe( (int) $request['id'] );
	}

	/**
	 * Checks that an attachment can still be replaced by a result of the file that was sent earlier.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function check( $request ) {
		$id       = (int) $request['id'];
		$obstacle = $this->eligibility->obstacle( $id );
		$obstacle = $obstacle ? $obstacle : $this->result->change( $id, (int) $request['size'], (string) $request['sha256'] );
		if ( $obstacle ) {
			return $obstacle;
		}
		$source = $this->source->of( $id );
		$size   = is_wp_error( $source ) ? false : wp_getimagesize( $source['path'] );
		if ( ! $size ) {
			return array( 'replaces' => array() );
		}
		$size     = array(
			'width'  => (int) $size[0],
			'height' => (int) $size[1],
		);
		$replaces = $this->shown->replaces( $id, $size );
		return array(
			'replaces'  => $replaces,
			'leastGain' => $this->shown->least_gain( $id, $size, $replaces ),
		);
	}

	/**
	 * Sends the source file of an attachment; the original of an optimized image.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return WP_Error An error. Exits after the file was sent.
	 */
	public function original( $request ) {
		$source = $this->source->of( (int) $request['id'] );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		$this->event_stream->discard_output();
		status_header( 200 );
		header( 'Content-Type: ' . $source['type'] );
		header( 'Content-Length: ' . wp_filesize( $source['path'] ) );
		header( 'X-Content-Type-Options: nosniff' );
		header( 'Cache-Control: private, no-cache' );
		// Sends the upload without loading it into memory.
		readfile( $source['path'] );
		exit;
	}
}
