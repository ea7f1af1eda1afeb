<?php
/**
 * Translations.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Registers the translations of this plugin. Translations in `wp-content/languages/plugins` take precedence.
 */
class Imagewright_Languages {

	/**
	 * Registers the folder and the hook. WordPress before 6.8 ignores `Domain Path` in the plugin header.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		global $wp_textdomain_registry;
		if ( $wp_textdomain_registry instanceof WP_Textdomain_Registry ) {
			$wp_textdomain_registry->set_custom_path( 'imagewright', IMAGEWRIGHT_DIR . 'languages' );
		}
		$hooks->filter( 'load_textdomain_mofile', array( __CLASS__, 'nearest' ), 10, 2 );
	}

	/**
	 * Falls back to the translation of another region: `de_DE` for `de_AT`, `es_ES` for `es_MX`.
	 *
	 * @param string $file   Path of the translation.
	 * @param string $domain Text domain.
	 * @return string
	 */
	public function nearest( $file, $domain ) {
		$is_ours = 'imagewright' === $domain && preg_match( '/^imagewright-([a-z]{2,3})(?:_\w+)?\.mo$/', wp_basename( $file ), $found );
		// Since WordPress 6.5 a translation may exist as PHP only.
		if ( ! $is_ours || is_readable( $file ) || is_readable( substr_replace( $file, '.l10n.php', -strlen( '.mo' ) ) ) ) {
			return $file;
		}
		$others = glob( IMAGEWRIGHT_DIR . "languages/imagewright-{$found[1]}[_.]*mo" );
		return $others ? $others[0] : $file;
	}
}
