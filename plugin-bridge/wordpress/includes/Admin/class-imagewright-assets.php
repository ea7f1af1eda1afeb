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
		add_action( 'enqueue_block_editor_assets', array( __CLASS__, 'editor' ) );
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
		} elseif ( Imagewright_Texts_Page::hook() === $screen ) {
			wp_enqueue_script( 'imagewright-texts', self::url( 'build/texts.js' ), array(), IMAGEWRIGHT_VERSION, true );
			self::configure( 'imagewright-texts' );
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

	/** Loads the panels of the block editor. */
	public static function editor() {
		if ( ! is_admin() || ! Imagewright_Access::may_use() || ! Imagewright_Options::is_ready() ) {
			return;
		}
		$needed = array( 'wp-api-fetch', 'wp-block-editor', 'wp-components', 'wp-compose', 'wp-data', 'wp-element', 'wp-hooks', 'wp-plugins' );
		// Posts have a pre-publish panel; widgets and templates have none.
		$needed[] = 'post' === get_current_screen()->base ? 'wp-edit-post' : 'wp-blocks';
		wp_enqueue_script( 'imagewright-editor', self::url( 'build/editor.js' ), $needed, IMAGEWRIGHT_VERSION, true );
		self::configure( 'imagewright-editor' );
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
			'units'         => self::units(),
			'numbers'       => self::numbers(),
			'isReady'       => Imagewright_Options::is_ready(),
			'maySpend'      => Imagewright_Access::may_spend(),
			'settings'      => array_intersect_key( Imagewright_Options::all(), array_flip( array( 'format', 'preset' ) ) ),
			'fillText'      => (bool) Imagewright_Options::all()['fill_text'],
			'describes'     => ! self::may_describe() || Imagewright_Vision::exists(),
			'language'      => Imagewright_Options::language(),
			'formats'       => Imagewright_Options::formats(),
			'optimizeUrl'   => Imagewright_Optimize_Page::url(),
			'libraryUrl'    => admin_url( 'upload.php?mode=list' ),
			'homeUrl'       => home_url( '/' ),
			'states'        => array( '' => __( 'Optimized or not', 'imagewright' ) ) + Imagewright_Media_List::states(),
			'strings'       => self::strings(),
			'nouns'         => Imagewright_Strings::nouns(),
			'widgetStrings' => (object) Imagewright_Strings::widget(),
		);
		wp_add_inline_script( $handle, 'window.imagewrightConfig = ' . wp_json_encode( $config, JSON_HEX_TAG | JSON_HEX_AMP ) . ';', 'before' );
	}

	/**
	 * Returns the signs of bytes, kilobytes, megabytes and gigabytes, as WordPress writes them.
	 *
	 * @return string[]
	 */
	private static function units() {
		$units = array();
		foreach ( array( 1, KB_IN_BYTES, MB_IN_BYTES, GB_IN_BYTES ) as $bytes ) {
			$units[] = trim( (string) preg_replace( '/^[^\p{L}]+/u', '', (string) size_format( $bytes ) ) );
		}
		return $units;
	}

	/**
	 * Returns the signs of number_format_i18n().
	 *
	 * @return array{decimal:string,thousands:string}
	 */
	private static function numbers() {
		global $wp_locale;
		$signs = isset( $wp_locale ) ? $wp_locale->number_format : array();
		return array(
			'decimal'   => (string) ( $signs['decimal_point'] ?? '.' ),
			// WordPress writes a space as an entity.
			'thousands' => html_entity_decode( (string) ( $signs['thousands_sep'] ?? ',' ), ENT_QUOTES, 'UTF-8' ),
		);
	}

	/**
	 * Returns the texts of the scripts of this screen.
	 *
	 * @return array<string,string>
	 */
	private static function strings() {
		$screen = get_current_screen();
		if ( self::is_editor() ) {
			return Imagewright_Strings::all() + Imagewright_Editor_Strings::all();
		}
		$has_reports = $screen && in_array( $screen->id, array( Imagewright_Optimize_Page::hook(), Imagewright_Texts_Page::hook() ), true );
		return Imagewright_Strings::all() + ( $has_reports ? Imagewright_Report_Strings::all() : array() );
	}

	/**
	 * Returns true in the block editor.
	 *
	 * @return bool
	 */
	private static function is_editor() {
		$screen = get_current_screen();
		return $screen && $screen->is_block_editor();
	}

	/**
	 * Returns true on screens that offer descriptions.
	 *
	 * @return bool
	 */
	private static function may_describe() {
		$screen = get_current_screen();
		return self::is_editor() || ( $screen && Imagewright_Optimize_Page::hook() === $screen->id );
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
