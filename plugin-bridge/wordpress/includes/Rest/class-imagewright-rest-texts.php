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

	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Lists of the media library. */
	private Imagewright_Library $library;
	/** Description of one image. */
	private Imagewright_Description $description;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Rest_Rules  $rest_rules  Rules of routes.
	 * @param Imagewright_Access      $access      Permissions of users.
	 * @param Imagewright_Library     $library     Lists of the media library.
	 * @param Imagewright_Description $description Description of one image.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 */
	public function __construct(
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Access $access,
		Imagewright_Library $library,
		Imagewright_Description $description,
		Imagewright_Texts $texts
	) {
		$this->rest_rules  = $rest_rules;
		$this->access      = $access;
		$this->library     = $library;
		$this->description = $description;
		$this->texts       = $texts;
	}

	/** Registers the routes in the REST API, and the state in the responses to uploads of the block editor. */
	public function routes() {
		register_rest_field(
			'attachment',
			'imagewright',
			array(
				'get_callback' => array( $this, 'state' ),
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
				'callback'            => array( $this, 'describe' ),
				'permission_callback' => array( $this, 'may_describe' ),
				'args'                => $this->describe_args(),
			)
		);
		register_rest_route(
			'imagewright/v1',
			'/attachments/(?P<id>\d+)/text',
			array(
				'methods'             => 'POST',
				'callback'            => array( $this, 'decide' ),
				'permission_callback' => array( $this->rest_rules, 'may_change' ),
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
				'callback'            => array( $this, 'confirm' ),
				'permission_callback' => array( $this->rest_rules, 'may_change' ),
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
	public function state( $item, $field, $request ) {
		$id = (int) ( $item['id'] ?? 0 );
		return 'POST' === $request->get_method() && wp_attachment_is_image( $id ) && $this->access->may_change( $id ) ? $this->library->describe( $id ) : null;
	}

	/**
	 * Returns the schema of the arguments of a description.
	 *
	 * @return array
	 */
	public function describe_args() {
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
	public function may_describe( $request ) {
		return 'attachment' === get_post_type( (int) $request['id'] ) && $this->access->may_use() && current_user_can( 'read_post', (int) $request['id'] );
	}

	/**
	 * Describes an image. The library keeps the text if it has none of a person.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function describe( $request ) {
		$id    = (int) $request['id'];
		$found = $this->description->of( $id, (string) $request['context'], (string) $request['usage'] );
		if ( is_wp_error( $found ) ) {
			return $found;
		}
		return $found + array(
			'saved' => $this->description->save_all( $id, $found ),
			'image' => $this->library->describe( $id ),
		);
	}

	/**
	 * Confirms the text of an attachment, or one that was written for a use of it. Refused if it changed meanwhile.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function confirm( $request ) {
		$id   = (int) $request['id'];
		$text = (string) $request['alt'];
		if ( $this->texts->alt( $id ) !== $text && ! $this->texts->record( $id, $text ) ) {
			return Imagewright_Rest_Errors::make( 'text_changed', __( 'The text was changed meanwhile.', 'imagewright' ), 409 );
		}
		$this->texts->confirm( $id, $text );
		return $this->library->describe( $id );
	}

	/**
	 * Accepts, changes or rejects the text of an attachment: `alt` is the same, another, or empty. Refused if it is not `was` any more.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function decide( $request ) {
		$id  = (int) $request['id'];
		$was = (string) $request['was'];
		$alt = sanitize_text_field( (string) $request['alt'] );
		if ( $this->texts->alt( $id ) !== $was ) {
			return Imagewright_Rest_Errors::make( 'text_changed', __( 'The text was changed meanwhile.', 'imagewright' ), 409 );
		}
		if ( '' === $alt ) {
			delete_post_meta( $id, Imagewright_Texts::ALT );
			$this->texts->forget( $id, $was );
		} else {
			update_post_meta( $id, Imagewright_Texts::ALT, wp_slash( $alt ) );
			if ( $alt === $was ) {
				$this->texts->confirm( $id, $alt );
			} else {
				$this->texts->note( $id, $alt, 'user' );
			}
		}
		return $this->library->describe( $id );
	}
}
