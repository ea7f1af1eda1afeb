<?php
/**
 * Files below the uploads folder.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Turns addresses into paths, and moves, copies and removes files. Refuses paths outside of the uploads folder and addresses of other hosts.
 */
class Imagewright_Files {

	/**
	 * End of the name of a copy that is not whole yet.
	 */
	const PART = '.imagewright-part';

	/**
	 * Hosts whose addresses are those of this site, by site of the network.
	 *
	 * @var array<int,string[]>
	 */
	private $hosts = array();

	/**
	 * Paths of the uploads folder in addresses and on the disk, by site of the network.
	 *
	 * @var array<int,array{0:string,1:string}>
	 */
	private $bases = array();

	private Imagewright_Swap $swap;

	/** @param Imagewright_Swap $swap Puts files in the place of others. */
	public function __construct( Imagewright_Swap $swap ) {
		$this->swap = $swap;
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
	 * Moves a file to a path below the uploads folder and overwrites an existing file, in one step wherever the disk can.
	 *
	 * @param string $from Path.
	 * @param string $to   Path below uploads.
	 * @return bool
	 */
	public function move( $from, $to ) {
		if ( ! $this->is_upload( $to ) || ! ( $this->swap->put( $from, $to ) || $this->copy_over( $from, $to ) ) ) {
			return false;
		}
		wp_delete_file( $from );
		// Same as core: a temporary file may be readable by its owner only.
		$this->disk()->chmod( $to, ( fileperms( dirname( $to ) ) & 0000666 ) | 0600 );
		clearstatcache( true, $to );
		return true;
	}

	/**
	 * Copies a file over a path below the uploads folder, checks the copy, and puts it there in one step.
	 *
	 * @param string $from Path.
	 * @param string $to   Path below uploads.
	 * @return bool
	 */
	public function copy_over( $from, $to ) {
		$part = $to . self::PART;
		$this->remove( $part );
		$done = $this->duplicate( $from, $part ) && $this->swap->put( $part, $to );
		if ( ! $done ) {
			$this->remove( $part );
		}
		clearstatcache( true, $to );
		return $done;
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
	 * Removes a file below the uploads folder if it exists, and what a copy to it that did not end left there.
	 *
	 * @param string $path Path.
	 */
	public function remove( $path ) {
		foreach ( array( $path, $path . self::PART ) as $one ) {
			if ( $this->is_upload( $one ) && is_file( $one ) ) {
				wp_delete_file( $one );
				clearstatcache( true, $one );
			}
		}
	}

	/**
	 * Returns true if a path is below the uploads folder of this site.
	 *
	 * @param string $path Path; the file need not exist.
	 * @return bool
	 */
	public function is_upload( $path ) {
		if ( $this->is_below( $path ) ) {
			return true;
		}
		// PHP remembers for minutes where links lead, and folders that did not exist.
		clearstatcache( true );
		return $this->is_below( $path );
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

	/**
	 * Returns the path of an upload by its address, or an empty string: the address is on another host, outside of the uploads folder, or
	 * leads out of it. The file need not exist.
	 *
	 * @param string $url Address, absolute or from the root of the host. Its query is ignored.
	 * @return string
	 */
	public function path( $url ) {
		if ( ! preg_match( '~^(?:(?:https?:)?//([^/?#]*))?(/[^?#]*)~i', trim( (string) $url ), $found ) || ( '' !== $found[1] && ! $this->is_own_host( $found[1] ) ) ) {
			return '';
		}
		list( $from, $to ) = $this->base();
		$path              = rawurldecode( $found[2] );
		if ( 0 !== strpos( $path, $from ) || preg_match( '~[\x00-\x1f\\\\]|/\.{0,2}(?:/|$)~', $path ) ) {
			return '';
		}
		$path = $to . substr( $path, strlen( $from ) );
		return $this->is_below( $path ) ? $path : '';
	}

	/**
	 * Returns true if the host of an address is one of this site. Addresses without a host are.
	 *
	 * @param string $url Address.
	 * @return bool
	 */
	public function is_own( $url ) {
		return ! preg_match( '~^(?:[a-z][a-z0-9+.-]*:)?//([^/?#]*)~i', trim( (string) $url ), $found ) || $this->is_own_host( $found[1] );
	}

	/**
	 * Returns true if a path is below the uploads folder of this site. A folder below it may be a link to one elsewhere, as sites link
	 * folders of years; a file may not.
	 *
	 * @param string $path Path; its folder exists, the file need not.
	 * @return bool
	 */
	public function is_below( $path ) {
		$path   = wp_normalize_path( (string) $path );
		$root   = $this->base()[1];
		$folder = realpath( dirname( $path ) );
		$real   = realpath( $root );
		if ( ! $folder || ! $real || false !== strpos( $path, "\0" ) ) {
			return false;
		}
		$folder = trailingslashit( wp_normalize_path( $folder ) );
		$inside = 0 === strpos( $folder, trailingslashit( wp_normalize_path( $real ) ) );
		$linked = 0 === strpos( $path, $root ) && ! preg_match( '~/\.{1,2}(?:/|$)~', $path );
		if ( ! $inside && ! $linked ) {
			return false;
		}
		return ! is_link( $path ) || 0 === strpos( wp_normalize_path( (string) realpath( $path ) ), $inside ? trailingslashit( wp_normalize_path( $real ) ) : $folder );
	}

	/**
	 * Returns the uploads folder in addresses and on the disk.
	 *
	 * @return array{0:string,1:string}
	 */
	private function base() {
		$site = get_current_blog_id();
		if ( ! isset( $this->bases[ $site ] ) ) {
			$uploads              = wp_get_upload_dir();
			$this->bases[ $site ] = array( rawurldecode( trailingslashit( preg_replace( '#^(https?:)?//[^/]+#i', '', $uploads['baseurl'] ) ) ), trailingslashit( wp_normalize_path( $uploads['basedir'] ) ) );
		}
		return $this->bases[ $site ];
	}

	/**
	 * Returns true if a host is one of this site.
	 *
	 * @param string $host Host, with its port if it has one.
	 * @return bool
	 */
	private function is_own_host( $host ) {
		$site = get_current_blog_id();
		if ( ! isset( $this->hosts[ $site ] ) ) {
			$own = array();
			foreach ( array( home_url(), site_url(), get_option( 'home' ), get_option( 'siteurl' ), wp_get_upload_dir()['baseurl'] ) as $url ) {
				$own[] = preg_match( '~^(?:https?:)?//([^/?#]+)~i', (string) $url, $found ) ? $found[1] : '';
			}
			/**
			 * Filters the hosts that answer with the files of this site's uploads folder: a CDN that fetches them from here. Not a store to
			 * which another plugin sends them, since it lacks the optimized files.
			 *
			 * @param string[] $hosts Hosts: those of the site by default.
			 */
			$own                  = (array) apply_filters( 'imagewright_hosts', array_values( array_unique( array_filter( $own ) ) ) );
			$this->hosts[ $site ] = array_map( array( $this, 'plain' ), array_map( 'strval', $own ) );
		}
		return in_array( $this->plain( $host ), $this->hosts[ $site ], true );
	}

	/**
	 * Returns a host in lower case, without a default port.
	 *
	 * @param string $host Host.
	 * @return string
	 */
	private function plain( $host ) {
		return preg_replace( '/:(80|443)?$/', '', strtolower( $host ) );
	}

	/**
	 * Returns true if pages get the files of an attachment from another host.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function is_offloaded( $id ) {
		$url = wp_get_attachment_url( $id );
		return is_string( $url ) && '' !== $url && ! $this->is_own( $url );
	}

	/**
	 * Replaces the last part of a URL.
	 *
	 * @param string $url  URL, with HTML entities.
	 * @param string $name File name.
	 * @return string
	 */
	public function with_name( $url, $name ) {
		$parts = explode( '?', $url, 2 );
		return substr( $parts[0], 0, (int) strrpos( $parts[0], '/' ) + 1 ) . rawurlencode( $name ) . ( isset( $parts[1] ) ? '?' . $parts[1] : '' );
	}
}
