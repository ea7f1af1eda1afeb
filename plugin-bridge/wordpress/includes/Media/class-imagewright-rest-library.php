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

	/** Registers the routes. */
	public static function register() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
	}

	/** Registers the routes in the REST API. */
	public static function routes() {
		$route = static function ( $path, $callback, $args = array() ) {
			$one = false !== strpos( $path, '?P<id>' );
			register_rest_route(
				'imagewright/v1',
				$path,
				array(
					'methods'             => 'GET',
					'callback'            => array( __CLASS__, $callback ),
					'permission_callback' => $one ? array( 'Imagewright_Rest_Media', 'may_change' ) : array( __CLASS__, 'may_list' ),
					'args'                => $args,
				)
			);
		};
		$route( '/attachments', 'find', self::list_args() );
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
		$route( '/status', 'status' );
		$route( '/export-settings', 'export_settings', array( 'ids' => self::ids_arg() ) + self::settings_args() );
	}

	/**
	 * Returns the schema of the export settings. The defaults are the settings of the site.
	 *
	 * @return array
	 */
	public static function settings_args() {
		$all     = Imagewright_Options::all();
		$formats = Imagewright_Options::formats();
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
	public static function ids_arg() {
		return array(
			'type'    => 'array',
			'items'   => array( 'type' => 'integer' ),
			'default' => array(),
		);
	}

	/**
	 * Returns the schema of the arguments of a list.
	 *
	 * @return array
	 */
	private static function list_args() {
		return array(
			'ids'      => self::ids_arg(),
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
	 * Requires the permission to use the plugin.
	 *
	 * @return bool
	 */
	public static function may_list() {
		return Imagewright_Access::may_use();
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
	 * Returns the balance of the account and the counts of the library.
	 *
	 * @return array|WP_Error
	 */
	public static function status() {
		$balance = Imagewright_Service::json( 'GET', '/v1/credits/balance' );
		if ( is_wp_error( $balance ) ) {
			return $balance;
		}
		Imagewright_Nightly::check( Imagewright_Nightly::SAMPLE, 0.15 );
		return Imagewright_Overview::of_library() + array(
			'balance'  => (int) $balance['balance'],
			'replaced' => current_user_can( 'manage_options' ) ? Imagewright_Candidates::count( 'discard', array() ) : 0,
			'plan'     => (string) $balance['plan'],
		);
	}

	/**
	 * Returns export settings with all sizes of the site.
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
	 * Describes one attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public static function show( $request ) {
		return Imagewright_Library::describe( (int) $request['id'] );
	}

	/**
	 * Checks that an attachment can still be replaced by a result of the file that was sent earlier.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function check( $request ) {
		$id       = (int) $request['id'];
		$obstacle = Imagewright_Eligibility::obstacle( $id );
		$obstacle = $obstacle ? $obstacle : Imagewright_Result::change( $id, (int) $request['size'], (string) $request['sha256'] );
		if ( $obstacle ) {
			return $obstacle;
		}
		$source = Imagewright_Source::of( $id );
		$size   = is_wp_error( $source ) ? false : wp_getimagesize( $source['path'] );
		return array(
			'replaces' => $size ? Imagewright_Shown::replaces(
				$id,
				array(
					'width'  => (int) $size[0],
					'height' => (int) $size[1],
				)
			) : array(),
		);
	}

	/**
	 * Sends the source file of an attachment; the original of an optimized image.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return WP_Error An error. Exits after the file was sent.
	 */
	public static function original( $request ) {
		$source = Imagewright_Source::of( (int) $request['id'] );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		Imagewright_Event_Stream::discard_output();
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
