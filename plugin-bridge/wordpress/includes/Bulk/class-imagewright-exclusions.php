<?php
/**
 * Images that the settings exclude.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Leaves images out of what happens to many at once, new uploads and runs over the library: by size of the file, name or folder.
 * Images that somebody chooses are not excluded.
 */
class Imagewright_Exclusions {

	/** Most patterns. */
	const MAX = 50;

	/**
	 * Returns the size below which files are left out.
	 *
	 * @return int Bytes; 0 for no limit.
	 */
	public static function least_bytes() {
		return 1024 * max( 0, (int) Imagewright_Options::all()['skip_below'] );
	}

	/**
	 * Returns true if the settings name files or folders.
	 *
	 * @return bool
	 */
	public static function exist() {
		return array() !== self::patterns();
	}

	/**
	 * Returns true if a file is excluded. Names are compared without `-scaled`, upper and lower case alike.
	 *
	 * @param string $file Path of a file, relative to the uploads folder.
	 * @return bool
	 */
	public static function cover_file( $file ) {
		foreach ( self::patterns() as $pattern ) {
			if ( 1 === preg_match( $pattern, str_replace( '-scaled.', '.', $file ) ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns true if the name or folder of an attachment is excluded.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function covers( $id ) {
		return self::cover_file( (string) get_post_meta( $id, '_wp_attached_file', true ) );
	}

	/**
	 * Returns the reason why a task of many is not done, or null: the file is too small.
	 *
	 * @param int $id Attachment.
	 * @return WP_Error|null
	 */
	public static function refusal( $id ) {
		$least  = self::least_bytes();
		$source = $least > 0 ? Imagewright_Source::of( $id ) : null;
		if ( null === $source || is_wp_error( $source ) || filesize( $source['path'] ) >= $least ) {
			return null;
		}
		/* translators: %s: size of a file */
		return Imagewright_Rest_Errors::make( 'excluded', sprintf( __( 'The file is smaller than %s, and the settings leave such files out.', 'imagewright' ), size_format( $least ) ), 409 );
	}

	/**
	 * Cleans submitted patterns: one a line, slashes as on the web, relative to the uploads folder.
	 *
	 * @param string $text Patterns.
	 * @return string
	 */
	public static function sanitize( $text ) {
		$lines = array();
		foreach ( preg_split( '/[\r\n]+/', sanitize_textarea_field( $text ) ) as $line ) {
			$lines[] = mb_substr( ltrim( str_replace( '\\', '/', trim( $line ) ), '/' ), 0, 200 );
		}
		return implode( "\n", array_slice( array_unique( array_filter( $lines, 'strlen' ) ), 0, self::MAX ) );
	}

	/**
	 * Returns the patterns as regular expressions. A folder covers all that is in it; a pattern without a folder covers names in all
	 * folders.
	 *
	 * @return string[]
	 */
	private static function patterns() {
		static $of = null;
		static $patterns = array();
		$lines = (string) Imagewright_Options::all()['skip_names'];
		if ( $of === $lines ) {
			return $patterns;
		}
		$of       = $lines;
		$patterns = array();
		foreach ( array_filter( explode( "\n", $lines ), 'strlen' ) as $line ) {
			$literal    = str_replace( '\*', '.*', preg_quote( '/' === substr( $line, -1 ) ? "$line*" : $line, '#' ) );
			$patterns[] = '#' . ( false === strpos( $line, '/' ) ? '(?:^|/)' : '^' ) . $literal . '$#iuD';
		}
		return $patterns;
	}
}
