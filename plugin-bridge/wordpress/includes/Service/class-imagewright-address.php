<?php
/**
 * Addresses without encryption.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Decides whether the key may be sent to an address without encryption.
 */
class Imagewright_Address {

	/**
	 * Returns true if the address uses https, is on this machine or in a private network, or the filter allows it.
	 *
	 * @param string $url Address.
	 * @return bool
	 */
	public static function is_safe( $url ) {
		if ( 'http' !== strtolower( (string) wp_parse_url( $url, PHP_URL_SCHEME ) ) ) {
			return true;
		}
		$host = trim( strtolower( (string) wp_parse_url( $url, PHP_URL_HOST ) ), '[]' );
		/**
		 * Filters whether an address without encryption is allowed.
		 *
		 * @param bool   $is_allowed True for a host on this machine or in a private network.
		 * @param string $url        Address.
		 */
		return (bool) apply_filters( 'imagewright_allow_http', self::is_private( $host ), $url );
	}

	/**
	 * Returns the text about an address without encryption.
	 *
	 * @return string
	 */
	public static function warning() {
		return __( 'An address with http:// sends the API key and the images unencrypted. Use https://.', 'imagewright' );
	}

	/**
	 * Returns true if a host is on this machine or in a private network.
	 *
	 * @param string $host Lower case, without brackets.
	 * @return bool
	 */
	private static function is_private( $host ) {
		if ( filter_var( $host, FILTER_VALIDATE_IP ) ) {
			// An IPv4 address within IPv6 counts as reserved, and may be public.
			return 0 !== strpos( $host, '::ffff:' ) && ! filter_var( $host, FILTER_VALIDATE_IP, FILTER_FLAG_NO_PRIV_RANGE | FILTER_FLAG_NO_RES_RANGE );
		}
		// A name begins with a letter: 134744072 and 0x8080808 are IP addresses.
		return 1 === preg_match( '/^[a-z][a-z0-9_-]*$/D', $host ) || 1 === preg_match( '/\.(?:local|test|internal)$/D', $host );
	}

	/**
	 * Returns true if WordPress opens an address that comes from a form.
	 *
	 * @param string $url Address.
	 * @return bool
	 */
	public static function is_allowed( $url ) {
		return (bool) wp_http_validate_url( $url );
	}

	/**
	 * Returns the text for an address that WordPress does not open.
	 *
	 * @return string
	 */
	public static function refusal() {
		return __( 'WordPress does not allow this address in a setting, since it is in the server\'s own network or has an unusual port. If the service runs there, define IMAGEWRIGHT_URL in wp-config.php.', 'imagewright' );
	}
}
