<?php
/**
 * Scripts and style sheets.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Loads the widget on the page of this plugin, and a small script on screens that show attachments.
 */
class Imagewright_Assets {

	/** Registers the hooks. */
	public static function register() {
		add_action( 'admin_enqueue_scripts', array( __CLASS__, 'on_screen' ) );
		add_action( 'wp_enqueue_media', array( __CLASS__, 'attachments' ) );
	}

	/**
	 * Loads the scripts of a screen.
	 *
	 * @param string $screen Hook of the screen.
	 */
	public static function on_screen( $screen ) {
		if ( Imagewright_Optimize_Page::hook() === $screen ) {
			wp_enqueue_media();
			wp_enqueue_script( 'imagewright-widget', self::url( 'build/widget.js' ), array(), IMAGEWRIGHT_VERSION, true );
			wp_enqueue_script( 'imagewright-page', self::url( 'build/page.js' ), array( 'imagewright-widget' ), IMAGEWRIGHT_VERSION, true );
			self::configure( 'imagewright-page' );
			self::style();
		} elseif ( 'upload.php' === $screen || 'post.php' === $screen ) {
			self::attachments();
		} elseif ( 'settings_page_imagewright' === $screen ) {
			wp_enqueue_script( 'imagewright-settings', self::url( 'build/settings.js' ), array(), IMAGEWRIGHT_VERSION, true );
			self::configure( 'imagewright-settings' );
			self::style();
		}
	}

	/** Loads the script for attachments: list, details and media modal. */
	public static function attachments() {
		if ( ! is_admin() || ! Imagewright_Access::may_use() || wp_script_is( 'imagewright-attachments' ) ) {
			return;
		}
		wp_enqueue_script( 'imagewright-attachments', self::url( 'build/attachments.js' ), array(), IMAGEWRIGHT_VERSION, true );
		self::configure( 'imagewright-attachments' );
		self::style();
	}

	/** Loads the style sheet. */
	private static function style() {
		wp_enqueue_style( 'imagewright', self::url( 'build/admin.css' ), array(), IMAGEWRIGHT_VERSION );
	}

	/**
	 * Prints the configuration before a script, once per page. It does not contain the API key.
	 *
	 * @param string $handle Script.
	 */
	private static function configure( $handle ) {
		static $is_done = false;
		if ( $is_done ) {
			return;
		}
		$is_done = true;
		$config  = array(
			'root'          => untrailingslashit( rest_url( 'imagewright/v1' ) ),
			'nonce'         => wp_create_nonce( 'wp_rest' ),
			'nonceUrl'      => admin_url( 'admin-ajax.php?action=rest-nonce' ),
			'locale'        => str_replace( '_', '-', get_user_locale() ),
			'isReady'       => Imagewright_Options::is_ready(),
			'settings'      => array_intersect_key( Imagewright_Options::all(), array_flip( array( 'format', 'preset' ) ) ),
			'fillText'      => (bool) Imagewright_Options::all()['fill_text'],
			'language'      => Imagewright_Options::language(),
			'formats'       => Imagewright_Options::formats(),
			'optimizeUrl'   => Imagewright_Optimize_Page::url(),
			'strings'       => Imagewright_Strings::all(),
			'nouns'         => Imagewright_Strings::nouns(),
			'widgetStrings' => (object) Imagewright_Strings::widget(),
		);
		wp_add_inline_script( $handle, 'window.imagewrightConfig = ' . wp_json_encode( $config, JSON_HEX_TAG | JSON_HEX_AMP ) . ';', 'before' );
	}

	/**
	 * Returns the URL of a file of this plugin.
	 *
	 * @param string $path Path.
	 * @return string
	 */
	private static function url( $path ) {
		return plugins_url( $path, IMAGEWRIGHT_FILE );
	}
}
