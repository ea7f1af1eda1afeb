<?php
/**
 * Files below the uploads folder.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Moves, copies and removes files. Refuses paths outside of the uploads folder.
 */
class Imagewright_Files {

	/** Addresses of uploads. */
	private Imagewright_Addresses $addresses;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Addresses $addresses Addresses of uploads.
	 */
	public function __construct( Imagewright_Addresses $addresses ) {
		$this->addresses = $addresses;
	}

	/**
	 * Returns the direct filesystem of WordPress. PHP writes uploads directly, whatever method updates use.
	 *
	 * @return WP_Filesystem_Direct
	 */
	private function disk() {
		require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-base.php';
		require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-direct.php';
		if ( ! defined( 'FS_CHMOD_FILE' ) ) {
			define( 'FS_CHMOD_FILE', ( fileperms( ABSPATH . 'index.php' ) & 0777 ) | 0644 );
		}
		return new WP_Filesystem_Direct( null );
	}

	/**
	 * Creates an empty temporary file and returns its path.
	 *
	 * @return string
	 */
	public function temporary() {
		require_once ABSPATH . 'wp-admin/includes/file.php';
		return wp_tempnam( 'imagewright' );
	}

	/**
	 * Reads a file.
	 *
	 * @param string $path Path.
	 * @return string
	 */
	public function read( $path ) {
		return (string) $this->disk()->get_contents( $path );
	}

	/**
	 * Moves a file to a path below the uploads folder and overwrites an existing file.
	 *
	 * @param string $from Path.
	 * @param string $to   Path below uploads.
	 * @return bool
	 */
	public function move( $from, $to ) {
		if ( ! $this->is_upload( $to ) || ! $this->disk()->move( $from, $to, true ) ) {
			return false;
		}
		// Same as core: a temporary file may be readable by its owner only.
		$this->disk()->chmod( $to, ( fileperms( dirname( $to ) ) & 0000666 ) | 0600 );
		clearstatcache( true, $to );
		return true;
	}

	/**
	 * Copies a file within the uploads folder and checks the copy.
	 *
	 * @param string $from Path.
	 * @param string $to   Free path below uploads.
	 * @return bool
	 */
	public function duplicate( $from, $to ) {
		return $this->is_upload( $to ) && ! file_exists( $to ) && $this->disk()->copy( $from, $to, false ) && md5_file( $from ) === md5_file( $to );
	}

	/**
	 * Sets the time of the last change of a file below the uploads folder.
	 *
	 * @param string $path Path.
	 * @param int    $time Unix time.
	 */
	public function set_time( $path, $time ) {
		if ( $this->is_upload( $path ) ) {
			$this->disk()->touch( $path, $time );
			clearstatcache( true, $path );
		}
	}

	/**
	 * Removes a file below the uploads folder if it exists.
	 *
	 * @param string $path Path.
	 */
	public function remove( $path ) {
		if ( $this->is_upload( $path ) && is_file( $path ) ) {
			wp_delete_file( $path );
			clearstatcache( true, $path );
		}
	}

	/**
	 * Returns true if a path is below the uploads folder of this site.
	 *
	 * @param string $path Path; the file need not exist.
	 * @return bool
	 */
	public function is_upload( $path ) {
		if ( $this->addresses->is_below( $path ) ) {
			return true;
		}
		// PHP remembers for minutes where links lead, and folders that did not exist.
		clearstatcache( true );
		return $this->addresses->is_below( $path );
	}

	/**
	 * Returns true if a path is an existing local upload. Offload plugins use stream wrappers, which are not local.
	 *
	 * @param string $path Path.
	 * @return bool
	 */
	public function is_local( $path ) {
		return is_string( $path ) && '' !== $path && ! wp_is_stream( $path ) && is_file( $path ) && $this->is_upload( $path );
	}
}
