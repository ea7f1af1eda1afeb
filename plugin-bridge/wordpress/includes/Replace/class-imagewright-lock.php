<?php
/**
 * Locks of attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Stores locks in the options table. An insert succeeds for one process only, and its value identifies the holder. Another
 * process may take over an expired lock; renew() then fails for the former holder.
 */
class Imagewright_Lock {

	/** Seconds until a lock expires. A process that died leaves its lock behind. */
	const SECONDS = 900;

	/** Seconds until the lock for choosing file names expires. */
	const NAMING_SECONDS = 120;

	/**
	 * Locks of this process: name of the option => value.
	 *
	 * @var array<string,string>
	 */
	private static $held = array();

	/**
	 * Runs a callback while holding the lock of an attachment.
	 *
	 * @param int      $id       Attachment.
	 * @param callable $callback Callback.
	 * @return mixed Result of the callback, or WP_Error if another request holds the lock.
	 */
	public static function with( $id, $callback ) {
		// PHP remembers for minutes where links lead: a folder may have moved to another disk meanwhile.
		clearstatcache( true );
		Imagewright_Shared::gather( $id );
		$name = self::name( $id );
		if ( ! self::take( $name, self::SECONDS ) ) {
			return self::busy();
		}
		self::sweep();
		// Releases the lock even if PHP ends early. The next request finds the record and cleans up.
		register_shutdown_function( array( __CLASS__, 'release' ), $name );
		try {
			return $callback();
		} finally {
			Imagewright_Deletion::tidy( $id );
			self::release( $name );
		}
	}

	/**
	 * Renews the lock of an attachment. Required before files are moved, since the lock may have expired during the download.
	 *
	 * @param int $id Attachment.
	 * @return true|WP_Error An error if another request took over the lock.
	 */
	public static function renew( $id ) {
		$name = self::name( $id );
		if ( ! isset( self::$held[ $name ] ) || ! self::swap( $name, self::$held[ $name ] ) ) {
			return self::busy();
		}
		return true;
	}

	/**
	 * Returns true if a request holds the lock of the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function is_held( $id ) {
		return (int) self::value( self::name( $id ) ) > time() - self::SECONDS;
	}

	/**
	 * Returns true if this process holds the lock of the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function is_mine( $id ) {
		return isset( self::$held[ self::name( $id ) ] );
	}

	/**
	 * Runs a callback while no other request chooses file names. Waits up to 20 seconds.
	 *
	 * @param callable $callback Callback.
	 * @return mixed Result of the callback, or WP_Error.
	 */
	public static function while_naming( $callback ) {
		$until = microtime( true ) + 20;
		while ( ! self::take( 'imagewright_naming.lock', self::NAMING_SECONDS ) ) {
			if ( microtime( true ) > $until ) {
				return Imagewright_Rest_Errors::make( 'busy', __( 'Another image is being saved. Try again in a moment.', 'imagewright' ), 409 );
			}
			usleep( 50000 );
		}
		try {
			return $callback();
		} finally {
			self::release( 'imagewright_naming.lock' );
		}
	}

	/**
	 * Runs a callback unless another process is running it.
	 *
	 * @param string   $purpose  Name.
	 * @param callable $callback Callback.
	 * @return mixed Result of the callback, or null if another process holds the lock.
	 */
	public static function once( $purpose, $callback ) {
		$name = "imagewright_$purpose.lock";
		if ( ! self::take( $name, self::NAMING_SECONDS ) ) {
			return null;
		}
		try {
			return $callback();
		} finally {
			self::release( $name );
		}
	}

	/** Removes expired locks of all images. */
	public static function sweep() {
		global $wpdb;
		// Core has no query for options by prefix. The index covers it.
		$rows = $wpdb->get_results( "SELECT option_name, option_value FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock'" );
		foreach ( (array) $rows as $row ) {
			if ( (int) $row->option_value <= time() - self::SECONDS ) {
				self::remove( $row->option_name, $row->option_value );
			}
		}
	}

	/**
	 * Releases a lock, unless another process took it over.
	 *
	 * @param string $name Name of the option.
	 */
	public static function release( $name ) {
		if ( isset( self::$held[ $name ] ) ) {
			self::remove( $name, self::$held[ $name ] );
			unset( self::$held[ $name ] );
		}
	}

	/**
	 * Acquires a lock. Bypasses the cache of options, which may be stale.
	 *
	 * @param string $name    Name of the option.
	 * @param int    $seconds Age from which a lock is expired.
	 * @return bool
	 */
	private static function take( $name, $seconds ) {
		global $wpdb;
		$mine = self::token();
		if ( $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", $name, $mine ) ) ) {
			self::$held[ $name ] = $mine;
			return true;
		}
		$theirs = self::value( $name );
		return null !== $theirs && (int) $theirs <= time() - $seconds && self::swap( $name, $theirs );
	}

	/**
	 * Replaces the value of a lock by a new one of this process if it has a known value.
	 *
	 * @param string $name  Name of the option.
	 * @param string $known Required value.
	 * @return bool
	 */
	private static function swap( $name, $known ) {
		global $wpdb;
		$mine = self::token();
		if ( ! $wpdb->query( $wpdb->prepare( "UPDATE $wpdb->options SET option_value = %s WHERE option_name = %s AND option_value = %s", $mine, $name, $known ) ) ) {
			return false;
		}
		self::$held[ $name ] = $mine;
		return true;
	}

	/**
	 * Removes a lock if it has a known value.
	 *
	 * @param string $name  Name of the option.
	 * @param string $known Required value.
	 */
	private static function remove( $name, $known ) {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name = %s AND option_value = %s", $name, $known ) );
	}

	/**
	 * Reads the value of a lock from the database, or null.
	 *
	 * @param string $name Name of the option.
	 * @return string|null
	 */
	private static function value( $name ) {
		global $wpdb;
		return $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", $name ) );
	}

	/**
	 * Creates a unique value. It begins with the time, so that it casts to a number.
	 *
	 * @return string
	 */
	private static function token() {
		return time() . ' ' . wp_generate_uuid4();
	}

	/**
	 * Returns the name of the option that holds the lock of an attachment. Those that share a file have one lock.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	private static function name( $id ) {
		return 'imagewright_' . Imagewright_Shared::lead( (int) $id ) . '.lock';
	}

	/**
	 * Creates the error for a lock that another request holds.
	 *
	 * @return WP_Error
	 */
	private static function busy() {
		return Imagewright_Rest_Errors::make( 'busy', __( 'This image is being processed in another window or by another user.', 'imagewright' ), 409 );
	}
}
