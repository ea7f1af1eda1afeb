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
 * Answers for those that were removed, since pages in caches and in open tabs name them for longer.
 */
class Imagewright_Beside {

	/** Part of the name before the extension. */
	const MARK = '.iw.';

	/** Settings. */
	private Imagewright_Options $options;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Files   $files   Files below the uploads folder.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Files $files
	) {
		$this->options = $options;
		$this->files   = $files;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		// Last: another plugin may keep the file.
		$hooks->filter( 'wp_delete_file', array( __CLASS__, 'follow' ), PHP_INT_MAX );
		// Only servers that found no file ask WordPress.
		if ( false !== strpos( add_query_arg( array() ), self::MARK ) ) {
			$hooks->action( 'parse_request', array( __CLASS__, 'answer' ), 1 );
		}
	}

	/** Sends a request for an optimized file that does not exist to the file of WordPress: browsers show it in the same place. */
	public function answer() {
		$asked = sanitize_url( add_query_arg( array() ) );
		$url   = (string) preg_replace( '/\.iw\.[a-z]+(?:\?.*)?$/', '', $asked );
		$path  = $url === $asked ? '' : $this->files->path( $url );
		if ( '' !== $path && is_file( $path ) && ! is_file( $this->files->path( $asked ) ) ) {
			nocache_headers();
			wp_safe_redirect( $url, 302, 'Imagewright' );
			exit;
		}
	}

	/**
	 * Returns the name of the optimized file.
	 *
	 * @param string $file Name, path or URL of the file of WordPress.
	 * @param string $mime Type of the optimized file.
	 * @return string
	 */
	public function name( $file, $mime ) {
		return $file . self::MARK . Imagewright_Contract::EXTENSIONS[ $mime ];
	}

	/**
	 * Finds the optimized files of a file. Files of another state and files that are not smaller are left out.
	 *
	 * @param string $path File of WordPress.
	 * @return string[] Types of the optimized files.
	 */
	public function types( $path ) {
		$found = array();
		foreach ( $this->options->delivered() as $mime ) {
			$beside = $this->name( $path, $mime );
			if ( is_file( $beside ) && $this->fits( $beside, $path ) ) {
				$found[] = $mime;
			}
		}
		return $found;
	}

	/**
	 * Returns true if an optimized file was made for the present state of a file, and is smaller. Size and time of the file are
	 * compared for equality: another picture may be copied over it with an older time.
	 *
	 * @param string $beside Optimized file, which exists.
	 * @param string $path   File of WordPress.
	 * @return bool
	 */
	public function fits( $beside, $path ) {
		// PHP remembers the last file it asked for: first all of one file, then all of the other.
		$time = filemtime( $beside );
		$size = filesize( $beside );
		return is_file( $path ) && $this->time_for( $path ) === $time && filesize( $path ) > $size;
	}

	/**
	 * Returns the time of the optimized files of a file: the file's own time, less some seconds that its size gives. So one comparison
	 * tells whether time and size of the file are the same, and a copy that keeps times keeps the delivery.
	 *
	 * @param string $path File of WordPress.
	 * @return int Unix time.
	 */
	public function time_for( $path ) {
		return filemtime( $path ) - 1 - filesize( $path ) % DAY_IN_SECONDS;
	}

	/**
	 * Adds the ending of the optimized file to a URL, before its query.
	 *
	 * @param string $url  URL of a file of WordPress.
	 * @param string $mime Type of the optimized file.
	 * @return string
	 */
	public function url( $url, $mime ) {
		$parts = explode( '?', $url, 2 );
		return $this->name( $parts[0], $mime ) . ( isset( $parts[1] ) ? '?' . $parts[1] : '' );
	}

	/**
	 * Removes the optimized files of a file that WordPress deletes.
	 *
	 * @param string $path File of WordPress; empty if it is kept.
	 * @return string The same path.
	 */
	public function follow( $path ) {
		if ( is_string( $path ) && '' !== $path && false === strpos( $path, self::MARK ) ) {
			foreach ( Imagewright_Options::DELIVERABLE as $mime ) {
				$this->files->remove( $this->name( $path, $mime ) );
			}
		}
		return $path;
	}
}
