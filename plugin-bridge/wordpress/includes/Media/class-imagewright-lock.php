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
	private $held = array();

	/** Records of images. */
	private Imagewright_State $state;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State $state Records of images.
	 */
	public function __construct( Imagewright_State $state ) {
		$this->state = $state;
	}

	/**
	 * Runs a callback while holding the lock of an attachment.
	 *
	 * @param int      $id       Attachment.
	 * @param callable $callback Callback.
	 * @return mixed Result of the callback, or WP_Error if another request holds the lock.
	 */
	public function with( $id, $callback ) {
		$name = $this->name( $id );
		if ( ! $this->take( $name, self::SECONDS ) ) {
			return $this->busy();
		}
		$this->sweep();
		// Releases the lock even if PHP ends early. The next request finds the record and cleans up.
		register_shutdown_function( array( $this, 'release' ), $name );
		try {
			return $callback();
		} finally {
			$this->release( $name );
		}
	}

	/**
	 * Renews the lock of an attachment. Required before files are moved, since the lock may have expired during the download.
	 *
	 * @param int $id Attachment.
	 * @return true|WP_Error An error if another request took over the lock.
	 */
	public function renew( $id ) {
		$name = $this->name( $id );
		if ( ! isset( $this->held[ $name ] ) || ! $this->swap( $name, $this->held[ $name ] ) ) {
			return $this->busy();
		}
		return true;
	}

	/**
	 * Returns true if a request holds the lock of the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function is_held( $id ) {
		return (int) $this->value( $this->name( $id ) ) > time() - self::SECONDS;
	}

	/**
	 * Returns true if this process holds the lock of the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function is_mine( $id ) {
		return isset( $this->held[ $this->name( $id ) ] );
	}

	/**
	 * Runs a callback while no other request chooses file names. Waits up to 20 seconds.
	 *
	 * @param callable $callback Callback.
	 * @return mixed Result of the callback, or WP_Error.
	 */
	public function while_naming( $callback ) {
		$until = microtime( true ) + 20;
		while ( ! $this->take( 'imagewright_naming.lock', self::NAMING_SECONDS ) ) {
			if ( microtime( true ) > $until ) {
				return Imagewright_Rest_Errors::make( 'busy', __( 'Another image is being saved. Try again in a moment.', 'imagewright' ), 409 );
			}
			usleep( 50000 );
		}
		try {
			return $callback();
		} finally {
			$this->release( 'imagewright_naming.lock' );
		}
	}

	/**
	 * Runs a callback unless another process is running it.
	 *
	 * @param string   $purpose  Name.
	 * @param callable $callback Callback.
	 * @return mixed Result of the callback, or null if another process holds the lock.
	 */
	public function once( $purpose, $callback ) {
		$name = "imagewright_$purpose.lock";
		if ( ! $this->take( $name, self::NAMING_SECONDS ) ) {
			return null;
		}
		try {
			return $callback();
		} finally {
			$this->release( $name );
		}
	}

	/** Removes expired locks of all images. */
	public function sweep() {
		global $wpdb;
		// Core has no query for options by prefix. The index covers it.
		$rows = $wpdb->get_results( "SELECT option_name, option_value FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock'" );
		foreach ( (array) $rows as $row ) {
			if ( (int) $row->option_value <= time() - self::SECONDS ) {
				$this->remove( $row->option_name, $row->option_value );
			}
		}
	}

	/**
	 * Releases a lock, unless another process took it over.
	 *
	 * @param string $name Name of the option.
	 */
	public function release( $name ) {
		if ( isset( $this->held[ $name ] ) ) {
			$this->remove( $name, $this->held[ $name ] );
			unset( $this->held[ $name ] );
		}
	}

	/**
	 * Acquires a lock. Bypasses the cache of options, which may be stale.
	 *
	 * @param string $name    Name of the option.
	 * @param int    $seconds Age from which a lock is expired.
	 * @return bool
	 */
	private function take( $name, $seconds ) {
		global $wpdb;
		$mine = $this->token();
		if ( $wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options ( option_name, option_value, autoload ) VALUES ( %s, %s, 'no' )", $name, $mine ) ) ) {
			$this->held[ $name ] = $mine;
			return true;
		}
		$theirs = $this->value( $name );
		return null !== $theirs && (int) $theirs <= time() - $seconds && $this->swap( $name, $theirs );
	}

	/**
	 * Replaces the value of a lock by a new one of this process if it has a known value.
	 *
	 * @param string $name  Name of the option.
	 * @param string $known Required value.
	 * @return bool
	 */
	private function swap( $name, $known ) {
		global $wpdb;
		$mine = $this->token();
		if ( ! $wpdb->query( $wpdb->prepare( "UPDATE $wpdb->options SET option_value = %s WHERE option_name = %s AND option_value = %s", $mine, $name, $known ) ) ) {
			return false;
		}
		$this->held[ $name ] = $mine;
		return true;
	}

	/**
	 * Removes a lock if it has a known value.
	 *
	 * @param string $name  Name of the option.
	 * @param string $known Required value.
	 */
	private function remove( $name, $known ) {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name = %s AND option_value = %s", $name, $known ) );
	}

	/**
	 * Reads the value of a lock from the database, or null.
	 *
	 * @param string $name Name of the option.
	 * @return string|null
	 */
	private function value( $name ) {
		global $wpdb;
		return $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", $name ) );
	}

	/**
	 * Creates a unique value. It begins with the time, so that it casts to a number.
	 *
	 * @return string
	 */
	private function token() {
		return time() . ' ' . wp_generate_uuid4();
	}

	/**
	 * Returns the name of the option that holds the lock of an attachment. Attachments that share a file have one lock.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	private function name( $id ) {
		return 'imagewright_' . $this->state->lead( (int) $id ) . '.lock';
	}

	/**
	 * Creates the error for a lock that another request holds.
	 *
	 * @return WP_Error
	 */
	private function busy() {
		return Imagewright_Rest_Errors::make( 'busy', __( 'This image is being processed in another window or by another user.', 'imagewright' ), 409 );
	}
}
