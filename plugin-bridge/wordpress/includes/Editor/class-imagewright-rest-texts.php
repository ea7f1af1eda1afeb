<?php
/**
 * Routes for alternative texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Describes an image for a page, and confirms the text of an attachment.
 */
class Imagewright_Rest_Texts {

	/** Registers the routes. */
	public static function register() {
		add_action( 'rest_api_init', array( __CLASS__, 'routes' ) );
	}

	/** Registers the routes in the REST API, and the state in the responses to uploads of the block editor. */
	public static function routes() {
		register_rest_field(
			'attachment',
			'imagewright',
			array(
				'get_callback' => array( __CLASS__, 'state' ),
				'schema'       => array(
					'type'     => array( 'object', 'null' ),
					'context'  => array( 'edit' ),
					'readonly' => true,
				),
			)
		);
		register_rest_route(
			'imagewright/v1',
			'/attachments/(?P<id>\d+)/describe',
			array(
				'methods'             => 'POST',
				'callback'            => array( __CLASS__, 'describe' ),
				'permission_callback' => array( __CLASS__, 'may_describe' ),
				'args'                => self::describe_args(),
			)
		);
		register_rest_route(
			'imagewright/v1',
			'/attachments/(?P<id>\d+)/text',
			array(
				'methods'             => 'POST',
				'callback'            => array( __CLASS__, 'decide' ),
				'permission_callback' => array( 'Imagewright_Rest_Media', 'may_change' ),
				'args'                => array(
					'was' => array(
						'type'     => 'string',
						'required' => true,
					),
					'alt' => array(
						'type'     => 'string',
						'required' => true,
					),
				),
			)
		);
		register_rest_route(
			'imagewright/v1',
			'/attachments/(?P<id>\d+)/confirm',
			array(
				'methods'             => 'POST',
				'callback'            => array( __CLASS__, 'confirm' ),
				'permission_callback' => array( 'Imagewright_Rest_Media', 'may_change' ),
				'args'                => array(
					'alt' => array(
						'type'     => 'string',
						'required' => true,
					),
				),
			)
		);
	}

	/**
	 * Returns the state of an attachment in the response to its upload, so that an editor shows it without a further request.
	 *
	 * @param array           $item    Response.
	 * @param string          $field   Name of the field.
	 * @param WP_REST_Request $request Request.
	 * @return array|null
	 */
	public static function state( $item, $field, $request ) {
		$id = (int) ( $item['id'] ?? 0 );
		return 'POST' === $request->get_method() && wp_attachment_is_image( $id ) && Imagewright_Library::may_change( $id ) ? Imagewright_Library::describe( $id ) : null;
	}

	/**
	 * Returns the schema of the arguments of a description.
	 *
	 * @return array
	 */
	public static function describe_args() {
		return array(
			'context' => array(
				'type'    => 'string',
				'default' => '',
			),
			'usage'   => array(
				'type'    => 'string',
				'enum'    => array_merge( array( '' ), Imagewright_Description::USAGES ),
				'default' => '',
			),
		);
	}

	/**
	 * Requires the permission to use the plugin and to see the image, which another user may have uploaded.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return bool
	 */
	public static function may_describe( $request ) {
		return 'attachment' === get_post_type( (int) $request['id'] ) && Imagewright_Access::may_use() && current_user_can( 'read_post', (int) $request['id'] );
	}

	/**
	 * Describes an image. The library keeps the text if it has none of a person.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function describe( $request ) {
		$id    = (int) $request['id'];
		$found = Imagewright_Description::of( $id, (string) $request['context'], (string) $request['usage'] );
		if ( is_wp_error( $found ) ) {
			return $found;
		}
		return $found + array(
			'saved' => Imagewright_Description::save_all( $id, $found ),
			'image' => Imagewright_Library::describe( $id ),
		);
	}

	/**
	 * Confirms the text of an attachment, or one that was written for a use of it. Refused if it changed meanwhile.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function confirm( $request ) {
		$id   = (int) $request['id'];
		$text = (string) $request['alt'];
		if ( Imagewright_Text_Record::text( $id ) !== $text && ! Imagewright_Text_Record::of( $id, $text ) ) {
			return Imagewright_Rest_Errors::make( 'text_changed', __( 'The text was changed meanwhile.', 'imagewright' ), 409 );
		}
		Imagewright_Text_Record::confirm( $id, $text );
		return Imagewright_Library::describe( $id );
	}

	/**
	 * Accepts, changes or rejects the text of an attachment: `alt` is the same, another, or empty. Refused if it is not `was` any more.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public static function decide( $request ) {
		$id  = (int) $request['id'];
		$was = (string) $request['was'];
		$alt = sanitize_text_field( (string) $request['alt'] );
		if ( Imagewright_Text_Record::text( $id ) !== $was ) {
			return Imagewright_Rest_Errors::make( 'text_changed', __( 'The text was changed meanwhile.', 'imagewright' ), 409 );
		}
		if ( '' === $alt ) {
			delete_post_meta( $id, Imagewright_Texts::ALT );
			Imagewright_Text_Record::remove( $id, $was );
		} else {
			update_post_meta( $id, Imagewright_Texts::ALT, wp_slash( $alt ) );
			if ( $alt === $was ) {
				Imagewright_Text_Record::confirm( $id, $alt );
			} else {
				Imagewright_Text_Record::note( $id, $alt, 'user' );
			}
		}
		return Imagewright_Library::describe( $id );
	}
}
