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
	 * Builds the condition for attachments (`p`) whose name or folder is excluded. Names are compared without `-scaled`. The
	 * database computes a subquery of one value only for attachments that meet all other conditions; `IN` compares all of the library.
	 *
	 * @return string Condition, true or false; an empty string if there are no patterns.
	 */
	public static function condition() {
		global $wpdb;
		$expressions = array_map( array( __CLASS__, 'expression' ), self::patterns() );
		if ( ! $expressions ) {
			return '';
		}
		$file = "SELECT REPLACE( f.meta_value, '-scaled.', '.' ) REGEXP %s FROM $wpdb->postmeta f WHERE f.post_id = p.ID AND f.meta_key = '_wp_attached_file' LIMIT 1";
		// phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- Only the name of a table is put in.
		return $wpdb->prepare( "COALESCE( ( $file ), 0 ) = 1", '(' . implode( '|', $expressions ) . ')$' );
	}

	/**
	 * Returns a pattern as a regular expression without `$`. It has no backslash, so that MySQL, MariaDB and SQLite read it in the same
	 * way. `LIKE` is not used: SQLite takes an escaped underscore for any character.
	 *
	 * @param string $pattern Pattern.
	 * @return string
	 */
	private static function expression( $pattern ) {
		$literal = preg_replace( array( '/[\\[\]\\\\^\'"]/', '/[.+?(){}|$]/', '/[*]+/' ), array( "\x01", '[$0]', '.*' ), $pattern );
		return ( false === strpos( $pattern, '/' ) ? '(^|/)' : '^' ) . str_replace( "\x01", '.', $literal );
	}

	/**
	 * Returns true if the name or folder of an attachment is excluded.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function covers( $id ) {
		global $wpdb;
		$condition = self::condition();
		return '' !== $condition && Imagewright_Index::number( "SELECT COUNT(*) FROM $wpdb->posts p WHERE p.ID = " . (int) $id . " AND $condition" ) > 0;
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
	 * Returns the patterns. A folder covers all that is in it.
	 *
	 * @return string[]
	 */
	private static function patterns() {
		$lines = array_filter( explode( "\n", (string) Imagewright_Options::all()['skip_names'] ), 'strlen' );
		return array_map(
			static function ( $line ) {
				return '/' === substr( $line, -1 ) ? "$line*" : $line;
			},
			$lines
		);
	}
}
