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

	/**
	 * True if the configuration is printed on this page.
	 *
	 * @var bool
	 */
	private $is_configured = false;

	/** Pages below Media. */
	private Imagewright_Pages $pages;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Settings. */
	private Imagewright_Options $options;
	/** Service. */
	private Imagewright_Service $service;
	/** List of the media library. */
	private Imagewright_Media_List $media_list;
	/** Translated texts of single screens. */
	private Imagewright_Screen_Strings $screen_strings;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Pages          $pages          Pages below Media.
	 * @param Imagewright_Access         $access         Permissions of users.
	 * @param Imagewright_Options        $options        Settings.
	 * @param Imagewright_Service        $service        Service.
	 * @param Imagewright_Media_List     $media_list     List of the media library.
	 * @param Imagewright_Screen_Strings $screen_strings Translated texts of single screens.
	 */
	public function __construct(
		Imagewright_Pages $pages,
		Imagewright_Access $access,
		Imagewright_Options $options,
		Imagewright_Service $service,
		Imagewright_Media_List $media_list,
		Imagewright_Screen_Strings $screen_strings
	) {
		$this->pages          = $pages;
		$this->access         = $access;
		$this->options        = $options;
		$this->service        = $service;
		$this->media_list     = $media_list;
		$this->screen_strings = $screen_strings;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'admin_enqueue_scripts', array( __CLASS__, 'on_screen' ) );
		$hooks->action( 'wp_enqueue_media', array( __CLASS__, 'attachments' ) );
		$hooks->action( 'enqueue_block_editor_assets', array( __CLASS__, 'editor' ) );
	}

	/**
	 * Loads the scripts of a screen.
	 *
	 * @param string $screen Hook of the screen.
	 */
	public function on_screen( $screen ) {
		if ( $this->pages->hook() === $screen ) {
			wp_enqueue_media();
			wp_enqueue_script( 'imagewright-widget', $this->url( 'build/widget.js' ), array(), IMAGEWRIGHT_VERSION, true );
			wp_enqueue_script( 'imagewright-page', $this->url( 'build/page.js' ), array( 'imagewright-widget' ), IMAGEWRIGHT_VERSION, true );
			$this->configure( 'imagewright-page' );
			$this->style();
		} elseif ( $this->pages->texts_hook() === $screen ) {
			wp_enqueue_script( 'imagewright-texts', $this->url( 'build/texts.js' ), array(), IMAGEWRIGHT_VERSION, true );
			$this->configure( 'imagewright-texts' );
			$this->style();
		} elseif ( 'upload.php' === $screen || 'post.php' === $screen ) {
			$this->attachments();
		} elseif ( 'settings_page_imagewright' === $screen ) {
			wp_enqueue_script( 'imagewright-settings', $this->url( 'build/settings.js' ), array(), IMAGEWRIGHT_VERSION, true );
			$this->configure( 'imagewright-settings' );
			$this->style();
		}
	}

	/** Loads the script for attachments: list, details and media modal. */
	public function attachments() {
		if ( ! is_admin() || ! $this->access->may_use() || wp_script_is( 'imagewright-attachments' ) ) {
			return;
		}
		wp_enqueue_script( 'imagewright-attachments', $this->url( 'build/attachments.js' ), array(), IMAGEWRIGHT_VERSION, true );
		$this->configure( 'imagewright-attachments' );
		$this->style();
	}

	/** Loads the panels of the block editor. */
	public function editor() {
		if ( ! is_admin() || ! $this->access->may_use() || ! $this->options->is_ready() ) {
			return;
		}
		$needed = array( 'wp-api-fetch', 'wp-block-editor', 'wp-components', 'wp-compose', 'wp-data', 'wp-element', 'wp-hooks', 'wp-plugins' );
		// Posts have a pre-publish panel; widgets and templates have none.
		$needed[] = 'post' === get_current_screen()->base ? 'wp-edit-post' : 'wp-blocks';
		wp_enqueue_script( 'imagewright-editor', $this->url( 'build/editor.js' ), $needed, IMAGEWRIGHT_VERSION, true );
		$this->configure( 'imagewright-editor' );
		$this->style();
	}

	/** Loads the style sheet. */
	private function style() {
		wp_enqueue_style( 'imagewright', $this->url( 'build/admin.css' ), array(), IMAGEWRIGHT_VERSION );
	}

	/**
	 * Prints the configuration before a script, once per page. It does not contain the API key.
	 *
	 * @param string $handle Script.
	 */
	private function configure( $handle ) {
		if ( $this->is_configured ) {
			return;
		}
		$this->is_configured = true;

		$config = array(
			'root'          => untrailingslashit( rest_url( 'imagewright/v1' ) ),
			'nonce'         => wp_create_nonce( 'wp_rest' ),
			'nonceUrl'      => admin_url( 'admin-ajax.php?action=rest-nonce' ),
			'locale'        => str_replace( '_', '-', get_user_locale() ),
			'units'         => $this->units(),
			'numbers'       => $this->numbers(),
			'isReady'       => $this->options->is_ready(),
			'maySpend'      => $this->access->may_spend(),
			'settings'      => array_intersect_key( $this->options->all(), array_flip( array( 'format', 'preset' ) ) ),
			'fillText'      => (bool) $this->options->all()['fill_text'],
			'describes'     => ! $this->may_describe() || $this->service->has_model(),
			'language'      => $this->options->language(),
			'formats'       => $this->options->formats(),
			'optimizeUrl'   => $this->media_list->optimize_url(),
			'libraryUrl'    => admin_url( 'upload.php?mode=list' ),
			'homeUrl'       => home_url( '/' ),
			'states'        => array( '' => __( 'Optimized or not', 'imagewright' ) ) + $this->media_list->states(),
			'strings'       => $this->strings(),
			'nouns'         => $this->screen_strings->nouns(),
			'widgetStrings' => (object) $this->screen_strings->widget(),
		);
		wp_add_inline_script( $handle, 'window.imagewrightConfig = ' . wp_json_encode( $config, JSON_HEX_TAG | JSON_HEX_AMP ) . ';', 'before' );
	}

	/**
	 * Returns the signs of bytes, kilobytes, megabytes, gigabytes and terabytes, as WordPress writes them.
	 *
	 * @return string[]
	 */
	private function units() {
		$units = array();
		foreach ( array( 1, KB_IN_BYTES, MB_IN_BYTES, GB_IN_BYTES, TB_IN_BYTES ) as $bytes ) {
			$units[] = trim( (string) preg_replace( '/^[^\p{L}]+/u', '', (string) size_format( $bytes ) ) );
		}
		return $units;
	}

	/**
	 * Returns the signs of number_format_i18n().
	 *
	 * @return array{decimal:string,thousands:string}
	 */
	private function numbers() {
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
	private function strings() {
		$screen = get_current_screen();
		if ( $this->is_editor() ) {
			return $this->screen_strings->all() + $this->screen_strings->editor();
		}
		$has_reports = $screen && in_array( $screen->id, array( $this->pages->hook(), $this->pages->texts_hook() ), true );
		return $this->screen_strings->all() + ( $has_reports ? $this->screen_strings->reports() : array() );
	}

	/**
	 * Returns true in the block editor.
	 *
	 * @return bool
	 */
	private function is_editor() {
		$screen = get_current_screen();
		return $screen && $screen->is_block_editor();
	}

	/**
	 * Returns true on screens that offer descriptions.
	 *
	 * @return bool
	 */
	private function may_describe() {
		$screen = get_current_screen();
		return $this->is_editor() || ( $screen && $this->pages->hook() === $screen->id );
	}

	/**
	 * Returns the URL of a file of this plugin.
	 *
	 * @param string $path Path.
	 * @return string
	 */
	private function url( $path ) {
		return plugins_url( $path, IMAGEWRIGHT_FILE );
	}
}
