<?php
/**
 * Routes that change attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Sends, optimizes, replaces and restores attachments. Every route requires the permission to edit the attachment.
 */
class Imagewright_Rest_Media {

	/** Registers the routes. */
	public static function register() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
	}

	/** Registers the routes in the REST API. */
	public static function routes() {
		$one      = '/attachments/(?P<id>\d+)';
		$text     = array( 'type' => array( 'string', 'null' ) );
		$flag     = array(
			'type'    => 'boolean',
			'default' => false,
		);
		$settings = Imagewright_Rest_Library::settings_args();
		$session  = array(
			'type'    => 'string',
			'pattern' => '^(sess_[0-9A-Za-z]{22})?$',
			'default' => '',
		);
		self::route( "$one/attach", 'attach', array( 'sessionId' => $session ) );
		self::route(
			"$one/optimize",
			'optimize',
			$settings + array(
				'allowLarger' => $flag,
				'again'       => $flag,
			)
		);
		self::route(
			"$one/replace",
			'replace',
			array(
				'sessionId'   => array( 'required' => true ) + $session,
				'imageId'     => array(
					'type'     => 'string',
					'required' => true,
					'pattern'  => '^img_[0-9A-Za-z]{22}$',
				),
				'alt'         => $text,
				'title'       => $text,
				'filename'    => $text,
				'confirmed'   => array(
					'type'    => 'array',
					'items'   => array(
						'type' => 'string',
						'enum' => array( 'alt', 'title' ),
					),
					'default' => array(),
				),
				'sha256'      => array(
					'type'     => 'string',
					'required' => true,
					// Empty for an image of which no file would get smaller.
					'pattern'  => '^([0-9a-f]{64})?$',
				),
				'allowLarger' => $flag,
			)
		);
		self::route( "$one/restore", 'restore', array( 'force' => $flag ) );
	}

	/**
	 * Registers one route.
	 *
	 * @param string $path     Pattern.
	 * @param string $callback Method of this class.
	 * @param array  $args     Arguments; WordPress validates and sanitizes by their schema.
	 */
	private static function route( $path, $callback, $args ) {
		register_rest_route(
			'imagewright/v1',
			$path,
			array(
				'methods'             => 'POST',
				'callback'            => array( __CLASS__, $callback ),
				'permission_callback' => array( __CLASS__, 'may_change' ),
				'args'                => $args,
			)
		);
	}

	/**
	 * Requires the permission to change the attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return bool
	 */
	public static function may_change( $request ) {
		return Imagewright_Library::may_change( (int) $request['id'] ) && Imagewright_Shared::may_change( (int) $request['id'] );
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
		// An image that cannot be replaced must not be exported and charged.
		$obstacle = Imagewright_Eligibility::obstacle( (int) $request['id'] );
		return $obstacle ? $obstacle : Imagewright_Source::send( (int) $request['id'], $request['sessionId'], Imagewright_Proxy::own_key( $request ) );
	}

	/**
	 * Sends, exports and replaces an attachment in one request.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function optimize( $request ) {
		if ( ! Imagewright_Access::may_spend() ) {
			return Imagewright_Access::refusal();
		}
		$id      = (int) $request['id'];
		$options = array(
			'format'       => $request['format'],
			'preset'       => $request['preset'],
			'fill_text'    => $request['fillText'],
			'allow_larger' => $request['allowLarger'],
			'again'        => $request['again'],
		);
		$done    = Imagewright_Lock::with(
			$id,
			static function () use ( $id, $options ) {
				return Imagewright_Optimization::run( $id, $options );
			}
		);
		return self::outcome( $id, $done, Imagewright_Eligibility::settings( $options ) );
	}

	/**
	 * Replaces an attachment's files by the result of an export.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function replace( $request ) {
		$id       = (int) $request['id'];
		$settings = '';
		$done     = Imagewright_Lock::with(
			$id,
			static function () use ( $id, $request, &$settings ) {
				$found = Imagewright_Sessions::export_with( $request['sessionId'], $request['imageId'], $request['sha256'] );
				if ( is_wp_error( $found ) ) {
					return $found;
				}
				$job  = $found['job'];
				$done = Imagewright_Replacement::run(
					$id,
					$job,
					$request['imageId'],
					array(
						'job'          => $job,
						'carries'      => $found['carries'],
						'alt'          => $request['alt'],
						'title'        => $request['title'],
						'filename'     => $request['filename'],
						'confirmed'    => $request['confirmed'],
						'allow_larger' => $request['allowLarger'],
					)
				);
				if ( is_wp_error( $done ) && 'imagewright_not_smaller' === $done->get_error_code() ) {
					$export   = ( (array) $done->get_error_data() )['details']['settings'];
					$settings = Imagewright_Eligibility::settings( $export );
					Imagewright_Checkpoint::keep( $id, $request['sessionId'], $request['imageId'], $job, $export );
				}
				return $done;
			}
		);
		return self::outcome( $id, $done, $settings );
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
		return is_wp_error( $done ) ? $done : self::shown( $id ) + array( 'restored' => $done );
	}

	/**
	 * Builds the response, with the state of the attachment. Stores failures that concern this image only.
	 *
	 * @param int            $id       Attachment.
	 * @param array|WP_Error $done     Outcome.
	 * @param string         $settings Settings for which a failure is valid.
	 * @return array|WP_Error
	 */
	private static function outcome( $id, $done, $settings ) {
		if ( ! Imagewright_Deletion::exists( $id ) ) {
			return Imagewright_Rest_Errors::make( 'deleted', __( 'The image was deleted meanwhile.', 'imagewright' ), 404 );
		}
		if ( is_wp_error( $done ) ) {
			$data = (array) $done->get_error_data();
			$all  = array_merge( Imagewright_Worker::TEMPORARY, Imagewright_Worker::UNTIL_CHANGED );
			if ( 'imagewright_busy' !== $done->get_error_code() && ! in_array( (int) ( $data['status'] ?? 500 ), $all, true ) ) {
				Imagewright_State::note_failure( $id, $done, $settings );
				$done->add_data( array( 'noted' => true ) + $data );
			}
			return $done;
		}
		return self::shown( $id ) + array( 'skipped' => $done['skipped'] ?? null );
	}

	/**
	 * Describes an attachment, with the HTML of its status.
	 *
	 * @param int $id Attachment.
	 * @return array
	 */
	private static function shown( $id ) {
		$item = Imagewright_Library::describe( $id );
		return $item + array(
			'html' => Imagewright_Attachment_Field::html( $item ),
			'cell' => Imagewright_Attachment_Field::cell( $item ),
		);
	}
}
