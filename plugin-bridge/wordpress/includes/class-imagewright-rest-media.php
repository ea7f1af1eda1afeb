<?php
/**
 * Routes for attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Lists, sends, optimizes, replaces and restores attachments. Every route checks the right to change that very attachment.
 */
class Imagewright_Rest_Media {

	/** Registers the routes. */
	public static function register() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
	}

	/** The routes. */
	public static function routes() {
		$one      = '/attachments/(?P<id>\d+)';
		$text     = array( 'type' => array( 'string', 'null' ) );
		$flag     = array(
			'type'    => 'boolean',
			'default' => false,
		);
		$settings = self::settings_args();
		$session  = array(
			'type'    => 'string',
			'pattern' => '^(sess_[0-9A-Za-z]{22})?$',
			'default' => '',
		);
		self::route( 'GET', '/attachments', 'find', 'may_list', self::list_args() );
		self::route( 'GET', '/status', 'status', 'may_list' );
		self::route( 'GET', '/export-settings', 'export_settings', 'may_list', array( 'ids' => self::ids_arg() ) + $settings );
		self::route( 'GET', $one, 'show', 'may_change' );
		self::route( 'POST', "$one/attach", 'attach', 'may_change', array( 'sessionId' => $session ) );
		self::route(
			'POST',
			"$one/optimize",
			'optimize',
			'may_change',
			$settings + array(
				'allowLarger' => $flag,
				'again'       => $flag,
				'run'         => array(
					'type'    => 'string',
					'default' => '',
				),
			)
		);
		self::route(
			'POST',
			"$one/replace",
			'replace',
			'may_change',
			array(
				'jobId'       => array(
					'type'     => 'string',
					'required' => true,
					'pattern'  => '^job_[0-9A-Za-z]{22}$',
				),
				'imageId'     => array(
					'type'     => 'string',
					'required' => true,
					'pattern'  => '^img_[0-9A-Za-z]{22}$',
				),
				'alt'         => $text,
				'title'       => $text,
				'filename'    => $text,
				'confirmed'   => $flag,
				'allowLarger' => $flag,
			)
		);
		self::route( 'POST', "$one/restore", 'restore', 'may_change', array( 'force' => $flag ) );
	}

	/**
	 * Registers one route.
	 *
	 * @param string $method     HTTP method.
	 * @param string $path       Pattern.
	 * @param string $callback   Method of this class.
	 * @param string $permission Method of this class.
	 * @param array  $args       Arguments; WordPress validates and sanitizes by their schema.
	 */
	private static function route( $method, $path, $callback, $permission, $args = array() ) {
		register_rest_route(
			'imagewright/v1',
			$path,
			array(
				'methods'             => $method,
				'callback'            => array( __CLASS__, $callback ),
				'permission_callback' => array( __CLASS__, $permission ),
				'args'                => $args,
			)
		);
	}

	/**
	 * Schema of the settings of an export; what is absent is as the site is set up.
	 *
	 * @return array
	 */
	public static function settings_args() {
		$all = Imagewright_Options::all();
		return array(
			'format'   => array(
				'type'    => 'string',
				'enum'    => Imagewright_Options::FORMATS,
				'default' => $all['format'],
			),
			'preset'   => array(
				'type'    => 'string',
				'enum'    => Imagewright_Options::PRESETS,
				'default' => $all['preset'],
			),
			'fillText' => array(
				'type'    => 'boolean',
				'default' => (bool) $all['fill_text'],
			),
		);
	}

	/**
	 * Schema of a list of ids.
	 *
	 * @return array
	 */
	public static function ids_arg() {
		return array(
			'type'    => 'array',
			'items'   => array( 'type' => 'integer' ),
			'default' => array(),
		);
	}

	/**
	 * Schema of the list's arguments.
	 *
	 * @return array
	 */
	private static function list_args() {
		return array(
			'ids'      => self::ids_arg(),
			'status'   => array(
				'type'    => 'string',
				'enum'    => array( 'any', 'none', 'optimized' ),
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
	 * Permission of lists.
	 *
	 * @return bool
	 */
	public static function may_list() {
		return current_user_can( 'upload_files' );
	}

	/**
	 * Permission of one attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return bool
	 */
	public static function may_change( $request ) {
		return Imagewright_Library::may_change( (int) $request['id'] );
	}

	/**
	 * Lists attachments.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function find( $request ) {
		return Imagewright_Library::find( $request->get_params() );
	}

	/**
	 * Balance of the account and counts of the library.
	 *
	 * @return array|WP_Error
	 */
	public static function status() {
		$balance = Imagewright_Service::json( 'GET', '/v1/credits/balance' );
		if ( is_wp_error( $balance ) ) {
			return $balance;
		}
		return Imagewright_Library::counts() + array(
			'balance' => (int) $balance['balance'],
			'plan'    => (string) $balance['plan'],
		);
	}

	/**
	 * Settings of an export that has every size this site wants.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function export_settings( $request ) {
		$images = array();
		foreach ( array_filter( $request['ids'], array( 'Imagewright_Library', 'may_change' ) ) as $id ) {
			$source = Imagewright_Source::of( $id );
			$size   = is_wp_error( $source ) ? false : wp_getimagesize( $source['path'] );
			if ( $size ) {
				$images[] = array(
					'width'  => (int) $size[0],
					'height' => (int) $size[1],
				);
			}
		}
		return Imagewright_Sizes::settings( $request['format'], $request['preset'], $images );
	}

	/**
	 * Shows one attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function show( $request ) {
		return Imagewright_Library::describe( (int) $request['id'] );
	}

	/**
	 * Sends an attachment's file to a session of the service.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function attach( $request ) {
		if ( '' !== $request['sessionId'] && ! Imagewright_Sessions::is_own( $request['sessionId'] ) ) {
			return new WP_Error( 'session_not_found', __( 'No such session, or it has expired.', 'imagewright' ), array( 'status' => 404 ) );
		}
		return Imagewright_Source::send( (int) $request['id'], $request['sessionId'], (string) $request->get_header( 'idempotency_key' ) );
	}

	/**
	 * Optimizes an attachment from end to end.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function optimize( $request ) {
		$id   = (int) $request['id'];
		$done = Imagewright_Lock::with(
			$id,
			static function () use ( $id, $request ) {
				return Imagewright_Optimization::run(
					$id,
					array(
						'format'       => $request['format'],
						'preset'       => $request['preset'],
						'fill_text'    => $request['fillText'],
						'allow_larger' => $request['allowLarger'],
						'again'        => $request['again'],
					)
				);
			}
		);
		return self::outcome( $id, $done, $request['run'] );
	}

	/**
	 * Replaces an attachment's files by the result of an export.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function replace( $request ) {
		$id   = (int) $request['id'];
		$done = Imagewright_Lock::with(
			$id,
			static function () use ( $id, $request ) {
				return Imagewright_Replacement::run(
					$id,
					$request['jobId'],
					$request['imageId'],
					array(
						'job'          => $request['jobId'],
						'alt'          => $request['alt'],
						'title'        => $request['title'],
						'filename'     => $request['filename'],
						'confirmed'    => $request['confirmed'],
						'allow_larger' => $request['allowLarger'],
					)
				);
			}
		);
		return self::outcome( $id, $done, '' );
	}

	/**
	 * Restores an attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function restore( $request ) {
		$id   = (int) $request['id'];
		$done = Imagewright_Lock::with(
			$id,
			static function () use ( $id, $request ) {
				return Imagewright_Restoration::run( $id, $request['force'] );
			}
		);
		return is_wp_error( $done ) ? $done : Imagewright_Library::describe( $id ) + array( 'restored' => $done );
	}

	/**
	 * What came of it, with the attachment as it is now. Only what is about this very image is noted with it.
	 *
	 * @param int            $id   Attachment.
	 * @param array|WP_Error $done Outcome.
	 * @param string         $run  Bulk run.
	 * @return array|WP_Error
	 */
	private static function outcome( $id, $done, $run ) {
		if ( is_wp_error( $done ) ) {
			$data = (array) $done->get_error_data();
			$all  = array( 402, 403, 408, 424, 429, 502, 503, 507 );
			if ( 'imagewright_busy' !== $done->get_error_code() && ! in_array( (int) ( $data['status'] ?? 500 ), $all, true ) ) {
				Imagewright_State::note_failure( $id, $done, $run );
				$done->add_data( array( 'noted' => true ) + $data );
			}
			return $done;
		}
		return Imagewright_Library::describe( $id ) + array( 'skipped' => $done['skipped'] ?? null );
	}
}
