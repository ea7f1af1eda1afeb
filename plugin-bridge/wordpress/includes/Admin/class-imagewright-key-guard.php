<?php
/**
 * The key when the address changes.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Keeps a key that one administrator stored from being sent to a host that another one typed in.
 */
class Imagewright_Key_Guard {

	/**
	 * Whether a text has the form of a key.
	 *
	 * @param string $text Text.
	 * @return bool
	 */
	public static function is_key( $text ) {
		return 1 === preg_match( '/^iw_[0-9A-Za-z]{36}$/D', $text );
	}

	/**
	 * Removes the stored key when the form brought an address on another host, and no key for it.
	 *
	 * @param mixed $old Settings before.
	 * @param mixed $new Settings now.
	 */
	public static function drop( $old, $new ) {
		// The form's own field; options.php has checked its nonce, and only its form is looked at.
		$brought = isset( $_POST[ Imagewright_Options::KEY ] ) ? sanitize_text_field( wp_unslash( $_POST[ Imagewright_Options::KEY ] ) ) : ''; // phpcs:ignore WordPress.Security.NonceVerification.Missing
		if ( self::host( $old ) === self::host( $new ) || self::is_key( trim( $brought ) ) || '' === get_option( Imagewright_Options::KEY, '' ) ) {
			return;
		}
		// Not updated: the form's check of the key takes an empty one for the one that is stored.
		delete_option( Imagewright_Options::KEY );
		add_option( Imagewright_Options::KEY, '', '', false );
		add_settings_error( Imagewright_Options::KEY, 'imagewright_key_removed', __( 'The address leads to another host, so the stored API key was removed: it was not meant for that host. Enter the key of the service there.', 'imagewright' ), 'warning' );
	}

	/**
	 * Host and port of the address in settings.
	 *
	 * @param mixed $settings Settings.
	 * @return string
	 */
	private static function host( $settings ) {
		$parts = wp_parse_url( is_array( $settings ) ? (string) ( $settings['url'] ?? '' ) : '' );
		return strtolower( (string) ( $parts['host'] ?? '' ) ) . ':' . ( $parts['port'] ?? '' );
	}
}
