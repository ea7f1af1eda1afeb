<?php
/**
 * Optimized files beside the files of WordPress.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Names and finds the optimized files that lie beside the files of WordPress: `photo-300x200.jpg.iw.webp` beside
 * `photo-300x200.jpg`. WordPress never gives an upload such a name (sanitize_file_name() writes `iw_`), so each is of this plugin.
 */
class Imagewright_Beside {

	/** Part of the name before the extension. */
	const MARK = '.iw.';

	/** Types in the order in which browsers are offered them. */
	const TYPES = array( 'image/avif', 'image/webp', 'image/jpeg', 'image/png', 'image/gif' );

	/** Registers the hooks. */
	public static function register() {
		add_filter( 'wp_delete_file', array( __CLASS__, 'follow' ) );
	}

	/**
	 * Returns the name of the optimized file.
	 *
	 * @param string $file Name, path or URL of the file of WordPress.
	 * @param string $mime Type of the optimized file.
	 * @return string
	 */
	public static function name( $file, $mime ) {
		return $file . self::MARK . Imagewright_Contract::EXTENSIONS[ $mime ];
	}

	/**
	 * Finds the optimized files of a file. One that is older than the file, or not smaller, is left out: the file has changed.
	 *
	 * @param string $path File of WordPress.
	 * @return string[] Types of the optimized files.
	 */
	public static function types( $path ) {
		$found = array();
		foreach ( Imagewright_Options::delivered() as $mime ) {
			$beside = self::name( $path, $mime );
			if ( ! is_file( $beside ) ) {
				continue;
			}
			// PHP remembers the last file it asked for: first all of one file, then all of the other.
			$time = filemtime( $beside );
			$size = filesize( $beside );
			if ( is_file( $path ) && filemtime( $path ) <= $time && filesize( $path ) > $size ) {
				$found[] = $mime;
			}
		}
		return $found;
	}

	/**
	 * Adds the ending of the optimized file to a URL, before its query.
	 *
	 * @param string $url  URL of a file of WordPress.
	 * @param string $mime Type of the optimized file.
	 * @return string
	 */
	public static function url( $url, $mime ) {
		$parts = explode( '?', $url, 2 );
		return self::name( $parts[0], $mime ) . ( isset( $parts[1] ) ? '?' . $parts[1] : '' );
	}

	/**
	 * Removes the optimized files of a file that WordPress deletes.
	 *
	 * @param string $path File of WordPress.
	 * @return string The same path.
	 */
	public static function follow( $path ) {
		if ( is_string( $path ) && '' !== $path && false === strpos( $path, self::MARK ) ) {
			foreach ( self::TYPES as $mime ) {
				Imagewright_Files::remove( self::name( $path, $mime ) );
			}
		}
		return $path;
	}
}
