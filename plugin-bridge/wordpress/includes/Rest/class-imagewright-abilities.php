<?php
/**
 * Abilities.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Registers what the plugin can do in WordPress's Abilities API (6.9 and later), for assistants and other plugins. Each ability calls
 * a route of the plugin, so that permissions, locks, budgets and errors are the same.
 */
class Imagewright_Abilities {

	const CATEGORY = 'imagewright';

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Routes for alternative texts. */
	private Imagewright_Rest_Texts $rest_texts;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access     $access     Permissions of users.
	 * @param Imagewright_Rest_Rules $rest_rules Rules of routes.
	 * @param Imagewright_Rest_Texts $rest_texts Routes for alternative texts.
	 */
	public function __construct(
		Imagewright_Access $access,
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Rest_Texts $rest_texts
	) {
		$this->access     = $access;
		$this->rest_rules = $rest_rules;
		$this->rest_texts = $rest_texts;
	}

	/**
	 * Registers the hooks. Earlier versions of WordPress never fire them.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'wp_abilities_api_categories_init', array( __CLASS__, 'categories' ) );
		$hooks->action( 'wp_abilities_api_init', array( __CLASS__, 'abilities' ) );
	}

	/** Registers the category. */
	public function categories() {
		if ( function_exists( 'wp_register_ability_category' ) ) {
			wp_register_ability_category(
				self::CATEGORY,
				array(
					'label'       => __( 'Image optimization', 'imagewright' ),
					'description' => __( 'Optimizes, describes and restores images of the media library.', 'imagewright' ),
				)
			);
		}
	}

	/** Registers the abilities. */
	public function abilities() {
		if ( ! function_exists( 'wp_register_ability' ) ) {
			return;
		}
		foreach ( $this->reading() + $this->changing() as $name => $ability ) {
			$args = array(
				'label'               => $ability['label'],
				'description'         => $ability['description'],
				'category'            => self::CATEGORY,
				'input_schema'        => $ability['input'],
				'output_schema'       => array( 'type' => 'object' ) + $ability['output'],
				'permission_callback' => array( $this, $ability['permission'] ),
				'execute_callback'    => function ( $input = array() ) use ( $ability ) {
					return $this->call( $ability['method'], $ability['path'], (array) $input );
				},
				'meta'                => array(
					'show_in_rest' => true,
					'annotations'  => $ability['annotations'],
					// WordPress's MCP adapter lists only abilities that say so.
					'mcp'          => array( 'public' => true ),
				),
			);
			// An empty schema would refuse a call without input.
			wp_register_ability( 'imagewright/' . $name, array_filter( $args ) );
		}
	}

	/**
	 * Requires the permission to use the plugin.
	 *
	 * @return bool
	 */
	public function may_use() {
		return $this->access->may_use();
	}

	/**
	 * Requires the permission to change an image.
	 *
	 * @param array $input Input.
	 * @return bool
	 */
	public function may_use_image( $input ) {
		return $this->access->may_change( (int) ( $input['id'] ?? 0 ) );
	}

	/**
	 * Requires the permission to spend credits on an image.
	 *
	 * @param array $input Input.
	 * @return bool
	 */
	public function may_spend_on_image( $input ) {
		return $this->may_use_image( $input ) && $this->access->may_spend();
	}

	/**
	 * Calls a route of the plugin as the current user.
	 *
	 * @param string $method HTTP method.
	 * @param string $path   Path below `/imagewright/v1`; `{id}` is the attachment.
	 * @param array  $input  Input.
	 * @return array|WP_Error
	 */
	private function call( $method, $path, $input ) {
		$request = new WP_REST_Request( $method, '/imagewright/v1' . str_replace( '{id}', (string) ( $input['id'] ?? '' ), $path ) );
		unset( $input['id'] );
		foreach ( $input as $name => $value ) {
			$request->set_param( $name, $value );
		}
		$answer = rest_do_request( $request );
		return $answer->is_error() ? $answer->as_error() : (array) $answer->get_data();
	}

	/**
	 * Lists the abilities that change nothing.
	 *
	 * @return array<string,array{label:string,description:string,method:string,path:string,permission:string,input:array,output:array,annotations:array}>
	 */
	private function reading() {
		$reads = array(
			'readonly'    => true,
			'destructive' => false,
			'idempotent'  => true,
		);
		return array(
			'status' => array(
				'label'       => __( 'Status of optimization', 'imagewright' ),
				'description' => __( 'Returns how many images of the media library are optimized, and how many credits are left.', 'imagewright' ),
				'method'      => 'GET',
				'path'        => '/status',
				'permission'  => 'may_use',
				'input'       => array(),
				'output'      => $this->output( array( 'optimized', 'total', 'balance' ), 'integer' ),
				'annotations' => $reads,
			),
			'cost'   => array(
				'label'       => __( 'Cost of optimization', 'imagewright' ),
				'description' => __( 'Returns how many credits it costs to optimize images, and which images are left out. Changes nothing.', 'imagewright' ),
				'method'      => 'GET',
				'path'        => '/run/preview',
				'permission'  => 'may_use',
				'input'       => array(
					'type'                 => 'object',
					'additionalProperties' => false,
					'default'              => array(),
					'properties'           => array( 'ids' => $this->schema( $this->rest_rules->ids_arg(), __( 'Attachments. Default: all that can be optimized.', 'imagewright' ) ) ) + $this->settings(),
				),
				'output'      => $this->output( array( 'images', 'cost', 'balance' ), 'integer' ),
				'annotations' => $reads,
			),
		);
	}

	/**
	 * Lists the abilities that change one image.
	 *
	 * @return array<string,array{label:string,description:string,method:string,path:string,permission:string,input:array,output:array,annotations:array}>
	 */
	private function changing() {
		$changes = array(
			'readonly'    => false,
			'destructive' => false,
			'idempotent'  => true,
		);
		return array(
			'optimize' => array(
				'label'       => __( 'Optimize an image', 'imagewright' ),
				'description' => __( 'Makes smaller files of an image in all sizes of this site. Costs one credit, or nothing if no file becomes smaller; imagewright/cost tells the price before.', 'imagewright' ),
				'method'      => 'POST',
				'path'        => '/attachments/{id}/optimize',
				'permission'  => 'may_spend_on_image',
				'input'       => $this->one( $this->settings() ),
				'output'      => $this->output( array( 'status', 'statusText' ), 'string' ),
				'annotations' => array( 'idempotent' => false ) + $changes,
			),
			'restore'  => array(
				'label'       => __( 'Restore an image', 'imagewright' ),
				'description' => __( 'Restores the original files of an optimized image. Costs nothing.', 'imagewright' ),
				'method'      => 'POST',
				'path'        => '/attachments/{id}/restore',
				'permission'  => 'may_use_image',
				'input'       => $this->one( array() ),
				'output'      => $this->output( array( 'status', 'statusText' ), 'string' ),
				'annotations' => $changes,
			),
			'describe' => array(
				'label'       => __( 'Describe an image', 'imagewright' ),
				'description' => __( 'Writes an alternative text for an image and the page around it. The media library takes it if it has none that a person wrote or confirmed. May cost credits.', 'imagewright' ),
				'method'      => 'POST',
				'path'        => '/attachments/{id}/describe',
				'permission'  => 'may_spend_on_image',
				'input'       => $this->one( array_map( array( $this, 'schema' ), $this->rest_texts->describe_args() ) ),
				'output'      => $this->output( array( 'alt', 'by' ), 'string' ),
				'annotations' => array( 'idempotent' => false ) + $changes,
			),
		);
	}

	/**
	 * Returns the input schema of an ability for one image.
	 *
	 * @param array $more Further properties.
	 * @return array
	 */
	private function one( $more ) {
		$id = array(
			'type'        => 'integer',
			'minimum'     => 1,
			'description' => __( 'Attachment.', 'imagewright' ),
		);
		return array(
			'type'                 => 'object',
			'additionalProperties' => false,
			'properties'           => array( 'id' => $id ) + $more,
			'required'             => array( 'id' ),
		);
	}

	/**
	 * Returns the schema of the export settings.
	 *
	 * @return array
	 */
	private function settings() {
		return array_map( array( $this, 'schema' ), $this->rest_rules->settings_args() );
	}

	/**
	 * Returns the schema of an argument of a route. Its default depends on the settings of the site, so the route fills it in.
	 *
	 * @param array  $arg         Argument.
	 * @param string $description Description, or an empty string.
	 * @return array
	 */
	private function schema( $arg, $description = '' ) {
		unset( $arg['default'] );
		return '' === $description ? $arg : $arg + array( 'description' => $description );
	}

	/**
	 * Returns the schema of an output whose named properties are always there.
	 *
	 * @param string[] $names Properties.
	 * @param string   $type  Their type.
	 * @return array
	 */
	private function output( $names, $type ) {
		return array(
			'properties' => array_fill_keys( $names, array( 'type' => $type ) ),
			'required'   => $names,
		);
	}
}
