<?php
/**
 * One change of an attachment at a time.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Locks in the table of options: an insert that only one process can win, with a value that only its holder knows. A lock that
 * grew old may be taken over; whoever held it finds that out when it renews or gives it back.
 */
class Imagewright_Lock {

	/** Seconds after which a lock counts as left behind by a process that died. */
	const SECONDS = 900;

	/** The same for the choice of names, which takes moments. */
	const NAMING_SECONDS = 120;

	/**
	 * What this process holds: name of the option => its value.
	 *
	 * @var array<string,string>
	 */
	private static $held = array();

	/**
	 * Runs something while no other request works on the attachment.
	 *
	 * @param int      $id   Attachment.
	 * @param callable $callback What to do.
	 * @return mixed What the work returns, or WP_Error when somebody else is at it.
	 */
	public static function with( $id, $callback ) {
		$name = self::name( $id );
		if ( ! self::take( $name, self::SECONDS ) ) {
			return self::busy();
		}
		self::sweep();
		// Also when PHP ends in the middle: the next request then finds the record and cleans up.
		register_shutdown_function( array( __CLASS__, 'release' ), $name );
		try {
			return $callback();
		} finally {
			self::release( $name );
		}
	}

	/**
	 * Makes the lock of an attachment as new. To be asked before files are moved: what came before may have taken long.
	 *
	 * @param int $id Attachment.
	 * @return true|WP_Error An error when somebody else has taken it over meanwhile.
	 */
	public static function renew( $id ) {
		$name = self::name( $id );
		if ( ! isset( self::$held[ $name ] ) || ! self::swap( $name, self::$held[ $name ] ) ) {
			return self::busy();
		}
		return true;
	}

	/**
	 * Whether somebody works on the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function is_held( $id ) {
		return (int) self::value( self::name( $id ) ) > time() - self::SECONDS;
	}

	/**
	 * Runs something while no other request chooses file names. Waits for it; only the choice is behind this lock.
	 *
	 * @param callable $callback What to do.
	 * @return mixed
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

	/** Removes locks of processes that were killed: nobody may ever ask for that very image again. */
	public static function sweep() {
		global $wpdb;
		// The names begin alike, so that the index finds them; there is no other way to ask for options by a part of their name.
		$rows = $wpdb->get_results( "SELECT option_name, option_value FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock'" ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery
		foreach ( (array) $rows as $row ) {
			if ( (int) $row->option_value <= time() - self::SECONDS ) {
				self::remove( $row->option_name, $row->option_value );
			}
		}
	}

	/**
	 * Gives a lock back, unless it is somebody else's by now.
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
	 * Takes a lock. Past the cache of options, which may be older than the table.
	 *
	 * @param string $name    Name of the option.
	 * @param int    $seconds Age from which it may be taken from its holder.
	 * @return bool
	 */
	private static function take( $name, $seconds ) {
		global $wpdb;
		$mine = self::token();
		if ( $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", $name, $mine ) ) ) { // phpcs:ignore WordPress.DB.DirectDatabaseQuery
			self::$held[ $name ] = $mine;
			return true;
		}
		$theirs = self::value( $name );
		return null !== $theirs && (int) $theirs <= time() - $seconds && self::swap( $name, $theirs );
	}

	/**
	 * Puts a new value of ours in the place of a known one.
	 *
	 * @param string $name  Name of the option.
	 * @param string $known The value that it must have.
	 * @return bool
	 */
	private static function swap( $name, $known ) {
		global $wpdb;
		$mine = self::token();
		if ( ! $wpdb->query( $wpdb->prepare( "UPDATE $wpdb->options SET option_value = %s WHERE option_name = %s AND option_value = %s", $mine, $name, $known ) ) ) { // phpcs:ignore WordPress.DB.DirectDatabaseQuery
			return false;
		}
		self::$held[ $name ] = $mine;
		return true;
	}

	/**
	 * Removes a lock that has a known value.
	 *
	 * @param string $name  Name of the option.
	 * @param string $known The value that it must have.
	 */
	private static function remove( $name, $known ) {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name = %s AND option_value = %s", $name, $known ) ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery
	}

	/**
	 * The value of a lock as it is now, or null.
	 *
	 * @param string $name Name of the option.
	 * @return string|null
	 */
	private static function value( $name ) {
		global $wpdb;
		return $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", $name ) ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery
	}

	/**
	 * A value that nobody else has: the time first, so that it reads as a number.
	 *
	 * @return string
	 */
	private static function token() {
		return time() . ' ' . wp_generate_uuid4();
	}

	/**
	 * Name of an attachment's lock.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	private static function name( $id ) {
		return 'imagewright_' . (int) $id . '.lock';
	}

	/**
	 * What is said to the second one.
	 *
	 * @return WP_Error
	 */
	private static function busy() {
		return Imagewright_Rest_Errors::make( 'busy', __( 'This image is being worked on in another window or by somebody else.', 'imagewright' ), 409 );
	}
}
