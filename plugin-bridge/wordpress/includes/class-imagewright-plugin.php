<?php
/**
 * Composition of the plugin.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Makes each object once, with the others that its constructor names, and connects them with WordPress. No other place makes one.
 */
class Imagewright_Plugin {

	/** Classes with hooks of their own, in each request. */
	const ALWAYS = array(
		'Imagewright_Lifecycle',
		'Imagewright_Caches',
		'Imagewright_Index',
		'Imagewright_Uploads',
		'Imagewright_Worker',
		'Imagewright_Old_Addresses',
		'Imagewright_Original_Addresses',
		'Imagewright_Social_Tags',
		'Imagewright_Beside',
		'Imagewright_Gathering',
		'Imagewright_Kept_Sizes',
		'Imagewright_Schedule',
		'Imagewright_Statistics',
		'Imagewright_Picture',
	);

	/** The same, on screens of the administration. */
	const ON_SCREENS = array(
		'Imagewright_Assets',
		'Imagewright_Settings_Page',
		'Imagewright_Pages',
		'Imagewright_Media_List',
		'Imagewright_Attachment_Field',
	);

	/** Classes with routes. */
	const WITH_ROUTES = array(
		'Imagewright_Proxy',
		'Imagewright_Rest_Library',
		'Imagewright_Rest_Media',
		'Imagewright_Rest_Runs',
		'Imagewright_Rest_Texts',
		'Imagewright_Rest_Reports',
		'Imagewright_Settings_Page',
	);

	/**
	 * Objects by class.
	 *
	 * @var array<string,object>
	 */
	private $made = array();

	/**
	 * Returns the object of a class.
	 *
	 * @param string $class_name Class.
	 * @return object
	 */
	public function get( $class_name ) {
		if ( ! isset( $this->made[ $class_name ] ) ) {
			$constructor = ( new ReflectionClass( $class_name ) )->getConstructor();
			$needed      = array();
			foreach ( $constructor ? $constructor->getParameters() : array() as $parameter ) {
				$needed[] = $this->get( $parameter->getType()->getName() );
			}
			$this->made[ $class_name ] = new $class_name( ...$needed );
		}
		return $this->made[ $class_name ];
	}

	/** Connects the plugin with WordPress. */
	public function start() {
		$hooks = new Imagewright_Hooks( array( $this, 'get' ) );
		foreach ( array_merge( self::ALWAYS, is_admin() ? self::ON_SCREENS : array() ) as $class_name ) {
			$class_name::register( $hooks );
		}
		foreach ( self::WITH_ROUTES as $class_name ) {
			$hooks->action( 'rest_api_init', array( $class_name, 'routes' ) );
		}
		$hooks->filter( 'big_image_size_threshold', array( 'Imagewright_Sizes', 'limit' ), 5 );
		$hooks->filter( 'woocommerce_available_variation', array( 'Imagewright_Picture', 'variation' ), 30 );
		$hooks->action( 'woocommerce_before_variations_form', array( 'Imagewright_Picture', 'form' ) );
		if ( isset( $_GET['imagewright_view'] ) ) { // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- signed.
			$hooks->action( 'plugins_loaded', array( 'Imagewright_Page_View', 'begin' ) );
		}
		if ( function_exists( 'wp_register_ability' ) ) {
			Imagewright_Abilities::register( $hooks );
		}
		if ( defined( 'WP_CLI' ) && WP_CLI ) {
			$this->add_commands();
		}
	}

	/** Adds the commands to WP-CLI. */
	public function add_commands() {
		$texts = $this->get( 'Imagewright_Cli_Texts' );
		WP_CLI::add_command( 'imagewright', $this->get( 'Imagewright_Cli' ) );
		WP_CLI::add_command( 'imagewright describe', array( $texts, 'describe' ) );
		WP_CLI::add_command( 'imagewright audit', array( $texts, 'audit' ) );
	}
}
