<?php
/**
 * What is configured: where the service is, the key, the defaults of an export.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads the settings. Each of address and key is looked for in the environment, then in a constant, then in the options.
 */
class Imagewright_Options {

	const SETTINGS = 'imagewright_settings';
	const KEY      = 'imagewright_api_key';

	const FORMATS = array( 'webp', 'avif', 'jpeg', 'png', 'original' );
	const PRESETS = array( 'maximum', 'very_high', 'high', 'medium', 'low', 'minimum' );

	/**
	 * The settings with every default filled in.
	 *
	 * @return array{url:string,format:string,preset:string,language:string,fill_text:bool}
	 */
	public static function all() {
		$stored = get_option( self::SETTINGS, array() );
		return array_merge( self::defaults(), is_array( $stored ) ? $stored : array() );
	}

	/**
	 * What holds until somebody saves settings.
	 *
	 * @return array
	 */
	public static function defaults() {
		return array(
			'url'       => '',
			'format'    => 'webp',
			'preset'    => 'high',
			'language'  => '',
			'fill_text' => false,
		);
	}

	/**
	 * Address of the service without a slash at the end; empty when none is configured that the key may be sent to.
	 *
	 * @return string
	 */
	public static function url() {
		$fixed = self::fixed( 'IMAGEWRIGHT_URL' );
		$typed = self::lacks_fixed_url() ? '' : self::all()['url'];
		return untrailingslashit( '' !== $fixed ? $fixed : $typed );
	}

	/**
	 * Whether the key is that of who runs the server, but the address is not: whoever may fill in the form could have the key
	 * sent to themselves.
	 *
	 * @return bool
	 */
	public static function lacks_fixed_url() {
		return self::key_is_fixed() && ! self::url_is_fixed();
	}

	/**
	 * Whether the address comes from who runs the server, and not from a form: then any host may be meant.
	 *
	 * @return bool
	 */
	public static function url_is_fixed() {
		return '' !== self::fixed( 'IMAGEWRIGHT_URL' );
	}

	/**
	 * The API key. It never leaves the server.
	 *
	 * @return string
	 */
	public static function key() {
		$fixed = self::fixed( 'IMAGEWRIGHT_API_KEY' );
		return '' !== $fixed ? $fixed : (string) get_option( self::KEY, '' );
	}

	/**
	 * Whether the key comes from the environment or a constant, so that the form cannot change it.
	 *
	 * @return bool
	 */
	public static function key_is_fixed() {
		return '' !== self::fixed( 'IMAGEWRIGHT_API_KEY' );
	}

	/**
	 * The last 4 characters of the key: all that is ever shown of it.
	 *
	 * @return string
	 */
	public static function key_hint() {
		$key = self::key();
		return strlen( $key ) > 8 ? substr( $key, -4 ) : '';
	}

	/**
	 * Whether there is an address and a key.
	 *
	 * @return bool
	 */
	public static function is_ready() {
		return '' !== self::url() && '' !== self::key();
	}

	/**
	 * Output formats that this WordPress can show and resize.
	 *
	 * @return string[]
	 */
	public static function formats() {
		$able = array(
			'webp' => wp_image_editor_supports( array( 'mime_type' => 'image/webp' ) ),
			'avif' => in_array( 'image/avif', get_allowed_mime_types(), true )
				&& wp_image_editor_supports( array( 'mime_type' => 'image/avif' ) ),
		);
		return array_values(
			array_filter(
				self::FORMATS,
				static function ( $format ) use ( $able ) {
					return $able[ $format ] ?? true;
				}
			)
		);
	}

	/**
	 * Language of descriptions as BCP 47; that of the site unless another is set.
	 *
	 * @return string
	 */
	public static function language() {
		$language = self::all()['language'];
		return '' !== $language ? $language : str_replace( '_', '-', get_locale() );
	}

	/**
	 * A value that the environment or a constant fixes.
	 *
	 * @param string $name Name of the variable and of the constant.
	 * @return string
	 */
	private static function fixed( $name ) {
		$value = getenv( $name );
		if ( is_string( $value ) && '' !== trim( $value ) ) {
			return trim( $value );
		}
		return defined( $name ) ? trim( (string) constant( $name ) ) : '';
	}
}
