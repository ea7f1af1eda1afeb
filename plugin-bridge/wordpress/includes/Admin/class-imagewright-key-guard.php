<?php
/**
 * Protection of the API key when the address changes.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Prevents a stored key from being sent to another host.
 */
class Imagewright_Key_Guard {

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
	public function drop( $old, $new ) {
		// A field of the settings form. options.php has checked the nonce.
		$brought = isset( $_POST[ Imagewright_Options::KEY ] ) ? sanitize_text_field( wp_unslash( $_POST[ Imagewright_Options::KEY ] ) ) : '';
		if ( $this->host( $old ) === $this->host( $new ) || $this->is_key( trim( $brought ) ) || '' === get_option( Imagewright_Options::KEY, '' ) ) {
			return;
		}
		// Deleted and added: the sanitizer of update_option() would keep the stored key for an empty value.
		delete_option( Imagewright_Options::KEY );
		add_option( Imagewright_Options::KEY, '', '', false );
		add_settings_error( Imagewright_Options::KEY, 'imagewright_key_removed', __( 'The address is on another host, so the stored API key was removed. Enter the key of the service there.', 'imagewright' ), 'warning' );
	}

	/**
	 * Returns host and port of the address in settings.
	 *
	 * @param mixed $settings Settings.
	 * @return string
	 */
	private function host( $settings ) {
		$parts = wp_parse_url( is_array( $settings ) ? (string) ( $settings['url'] ?? '' ) : '' );
		return strtolower( (string) ( $parts['host'] ?? '' ) ) . ':' . ( $parts['port'] ?? '' );
	}
}
