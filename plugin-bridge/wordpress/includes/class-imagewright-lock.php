<?php
/**
 * One change of an attachment at a time.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Locks on top of the one that core takes for updates: an insert that only one process can win.
 */
class Imagewright_Lock {

	/** Seconds after which a lock counts as left behind by a process that died. */
	const SECONDS = 900;

	/**
	 * Runs something while no other request works on the attachment.
	 *
	 * @param int      $id   Attachment.
	 * @param callable $work What to do.
	 * @return mixed What the work returns, or WP_Error when somebody else is at it.
	 */
	public static function with( $id, $work ) {
		if ( ! self::take( self::name( $id ) ) ) {
			return Imagewright_Rest_Errors::make( 'busy', __( 'This image is being worked on in another window or by somebody else.', 'imagewright' ), 409 );
		}
		self::sweep();
		// Also when PHP ends in the middle: the next request then finds the record and cleans up.
		$held    = true;
		$release = static function () use ( $id, &$held ) {
			if ( $held ) {
				$held = false;
				delete_option( self::name( $id ) . '.lock' );
			}
		};
		register_shutdown_function( $release );
		try {
			return $work();
		} finally {
			$release();
		}
	}

	/**
	 * Whether somebody works on the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function is_held( $id ) {
		return (int) get_option( self::name( $id ) . '.lock' ) > time() - self::SECONDS;
	}

	/**
	 * Runs something while no other request chooses file names. Waits for it; only the choice is behind this lock.
	 *
	 * @param callable $work What to do.
	 * @return mixed
	 */
	public static function while_naming( $work ) {
		$until = microtime( true ) + 20;
		while ( ! self::take( 'imagewright_naming' ) ) {
			if ( microtime( true ) > $until ) {
				return Imagewright_Rest_Errors::make( 'busy', __( 'Another image is being saved. Try again in a moment.', 'imagewright' ), 409 );
			}
			usleep( 50000 );
			wp_cache_delete( 'imagewright_naming.lock', 'options' );
		}
		try {
			return $work();
		} finally {
			delete_option( 'imagewright_naming.lock' );
		}
	}

	/** Removes locks of processes that were killed: nobody may ever ask for that very image again. */
	public static function sweep() {
		global $wpdb;
		// The names begin alike, so that the index finds them; there is no other way to ask for options by a part of their name.
		$rows = $wpdb->get_results( "SELECT option_name, option_value FROM $wpdb->options WHERE option_name LIKE 'imagewright%.lock'" ); // phpcs:ignore WordPress.DB.DirectDatabaseQuery
		foreach ( (array) $rows as $row ) {
			if ( (int) $row->option_value <= time() - self::SECONDS ) {
				delete_option( $row->option_name );
			}
		}
	}

	/**
	 * Takes a lock.
	 *
	 * @param string $name Name.
	 * @return bool
	 */
	private static function take( $name ) {
		require_once ABSPATH . 'wp-admin/includes/class-wp-upgrader.php';
		return WP_Upgrader::create_lock( $name, 'imagewright_naming' === $name ? 30 : self::SECONDS );
	}

	/**
	 * Name of an attachment's lock.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	private static function name( $id ) {
		return 'imagewright_' . (int) $id;
	}
}
