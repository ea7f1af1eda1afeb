<?php
/**
 * Settings of the plugin.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads the settings. Address and key are read from the environment, else from a constant, else from the options.
 */
class Imagewright_Options {

	/** Types in the order in which browsers are offered them. */
	const DELIVERABLE = array( 'image/avif', 'image/webp', 'image/jpeg', 'image/png', 'image/gif' );

	const SETTINGS = 'imagewright_settings';

	const KEY      = 'imagewright_api_key';

	/** Autoloaded: every page reads it. */
	const DELIVERED = 'imagewright_delivered';

	/** Ways of delivery: optimized files beside those of WordPress, or in their place. */
	const WAYS = array( 'beside', 'replace' );

	/**
	 * Returns the settings with all defaults filled in.
	 *
	 * @return array{url:string,format:string,preset:string,language:string,delivery:string,metadata:string,flatten_hdr:bool,fill_text:bool,auto:bool,daily_credits:int,delete_files:bool,user_credits:int,skip_below:int,skip_names:string,max_edge:int}
	 */
	public function all() {
		$stored = get_option( self::SETTINGS, array() );
		return array_merge( $this->defaults(), is_array( $stored ) ? $stored : array() );
	}

	/**
	 * Returns the default settings.
	 *
	 * @return array
	 */
	public function defaults() {
		return array(
			'url'           => '',
			'format'        => 'webp',
			'preset'        => 'high',
			'language'      => '',
			'delivery'      => 'beside',
			'metadata'      => 'rights',
			'flatten_hdr'   => false,
			'fill_text'     => false,
			'auto'          => true,
			'daily_credits' => 200,
			'delete_files'  => false,
			'user_credits'  => 0,
			'skip_below'    => 0,
			'skip_names'    => '',
			'max_edge'      => 0,
		);
	}

	/**
	 * Returns the settings that hold for every export of the site. Defaults are left out.
	 *
	 * @return array{metadata?:string,hdr?:string}
	 */
	public function for_exports() {
		$all = $this->all();
		return array_filter(
			array(
				'metadata' => 'rights' === $all['metadata'] ? '' : $all['metadata'],
				// WordPress keeps gain maps in all sizes since 7.1. A flat picture in place of an HDR one is never offered by itself.
				'hdr'      => $all['flatten_hdr'] ? '' : 'keep',
			)
		);
	}

	/**
	 * Returns the address of the service without a trailing slash; empty if none is configured or the key must not be sent to it.
	 *
	 * @return string
	 */
	public function url() {
		$fixed = $this->fixed( 'IMAGEWRIGHT_URL' );
		$typed = $this->lacks_fixed_url() ? '' : $this->all()['url'];
		return untrailingslashit( '' !== $fixed ? $fixed : $typed );
	}

	/**
	 * Returns true if the key comes from the server configuration and the address does not. Such a key is never sent: users who
	 * can edit the form could send it to their own host.
	 *
	 * @return bool
	 */
	public function lacks_fixed_url() {
		return $this->key_is_fixed() && ! $this->url_is_fixed();
	}

	/**
	 * Returns true if the address comes from the environment or a constant. Such an address may be in a private network.
	 *
	 * @return bool
	 */
	public function url_is_fixed() {
		return '' !== $this->fixed( 'IMAGEWRIGHT_URL' );
	}

	/**
	 * Returns the API key. It is never sent to a browser.
	 *
	 * @return string
	 */
	public function key() {
		$fixed = $this->fixed( 'IMAGEWRIGHT_API_KEY' );
		return '' !== $fixed ? $fixed : (string) get_option( self::KEY, '' );
	}

	/**
	 * Returns true if the key comes from the environment or a constant. The form cannot change such a key.
	 *
	 * @return bool
	 */
	public function key_is_fixed() {
		return '' !== $this->fixed( 'IMAGEWRIGHT_API_KEY' );
	}

	/**
	 * Returns the last 4 characters of the key for display.
	 *
	 * @return string
	 */
	public function key_hint() {
		$key = $this->key();
		return strlen( $key ) > 8 ? substr( $key, -4 ) : '';
	}

	/**
	 * Returns true if address and key are set.
	 *
	 * @return bool
	 */
	public function is_ready() {
		return '' !== $this->url() && '' !== $this->key();
	}

	/**
	 * Returns the output formats that this WordPress can show and resize.
	 *
	 * @return string[]
	 */
	public function formats() {
		$able = array(
			'webp' => wp_image_editor_supports( array( 'mime_type' => 'image/webp' ) ),
			'avif' => in_array( 'image/avif', get_allowed_mime_types(), true )
				&& wp_image_editor_supports( array( 'mime_type' => 'image/avif' ) ),
		);
		return array_values(
			array_filter(
				Imagewright_Contract::OUTPUT_FORMATS,
				static function ( $format ) use ( $able ) {
					return $able[ $format ] ?? true;
				}
			)
		);
	}

	/**
	 * Returns the types of optimized files that lie beside files of WordPress, in the order in which browsers are offered them.
	 *
	 * @return string[]
	 */
	public function delivered() {
		return (array) get_option( self::DELIVERED, array() );
	}

	/**
	 * Adds a type to delivered().
	 *
	 * @param string $mime Type.
	 */
	public function deliver( $mime ) {
		$known = $this->delivered();
		if ( ! in_array( $mime, $known, true ) ) {
			update_option( self::DELIVERED, array_values( array_intersect( self::DELIVERABLE, array_merge( $known, array( $mime ) ) ) ), true );
		}
	}

	/**
	 * Returns the language of descriptions (BCP 47). Default: the language of the site.
	 *
	 * @return string
	 */
	public function language() {
		$language = $this->all()['language'];
		return '' !== $language ? $language : str_replace( '_', '-', get_locale() );
	}

	/**
	 * Reads a value from the environment, else from a constant.
	 *
	 * @param string $name Name of the variable and of the constant.
	 * @return string
	 */
	private function fixed( $name ) {
		$value = getenv( $name );
		if ( is_string( $value ) && '' !== trim( $value ) ) {
			return trim( $value );
		}
		return defined( $name ) ? trim( (string) constant( $name ) ) : '';
	}

	/**
	 * Returns the reason why the service cannot be used yet.
	 *
	 * @return string
	 */
	public function not_ready() {
		return $this->lacks_fixed_url()
			? __( 'The API key is set in the configuration of the server, so the address of the service must be set there, too: define IMAGEWRIGHT_URL. This key is not sent to an address from a form.', 'imagewright' )
			: __( 'The image service is not set up yet: its address or the API key is missing.', 'imagewright' );
	}

	/**
	 * Returns true if a text has the format of a key.
	 *
	 * @param string $text Text.
	 * @return bool
	 */
	public function is_key( $text ) {
		return 1 === preg_match( '/^iw_[0-9A-Za-z]{36}$/D', $text );
	}

	/**
	 * Removes the stored key if the form changed the host of the address without a new key.
	 *
	 * @param mixed $old Old settings.
	 * @param mixed $new New settings.
	 */
	public function drop_key( $old, $new ) {
		// A field of the settings form. options.php has checked the nonce.
		$brought = isset( $_POST[ self::KEY ] ) ? sanitize_text_field( wp_unslash( $_POST[ self::KEY ] ) ) : '';
		if ( $this->host_of( $old ) === $this->host_of( $new ) || $this->is_key( trim( $brought ) ) || '' === get_option( self::KEY, '' ) ) {
			return;
		}
		// Deleted and added: the sanitizer of update_option() would keep the stored key for an empty value.
		delete_option( self::KEY );
		add_option( self::KEY, '', '', false );
		add_settings_error( self::KEY, 'imagewright_key_removed', __( 'The address is on another host, so the stored API key was removed. Enter the key of the service there.', 'imagewright' ), 'warning' );
	}

	/**
	 * Returns host and port of the address in settings.
	 *
	 * @param mixed $settings Settings.
	 * @return string
	 */
	private function host_of( $settings ) {
		$parts = wp_parse_url( is_array( $settings ) ? (string) ( $settings['url'] ?? '' ) : '' );
		return strtolower( (string) ( $parts['host'] ?? '' ) ) . ':' . ( $parts['port'] ?? '' );
	}
}
