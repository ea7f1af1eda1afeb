<?php
/**
 * Table of the plugin.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * One small row for each attachment that the plugin has worked on or will: status, bytes, reason and pending task. Lists, counts
 * and the queue read it instead of the records of the attachments.
 *
 * `status`: `done`, `changing`, `no_gain`, `failed`, `unfit` (no setting helps), `excluded`, `offloaded` (pages get the files of another
 * host), `outdated` (pages do not get the optimized files any more; a run puts that right), `stale` (the same, but it takes another
 * export), `shared` (another attachment, `lead`, has the same file and the row of the picture), or empty. `settings`: format, preset
 * and way of the last attempt, or the size below which files are excluded. `source`: size and time of the file then. `task`: `new`, `optimize`, `restore`, `discard`, or empty; it may begin at `due`
 * (Unix time). `tries`: attempts that did not return. `checked`: when the status was last compared with the files (Unix time).
 */
class Imagewright_Index {

	/** Version of the table, stored in OPTION. */
	const VERSION = 3;
	const OPTION  = 'imagewright_table';

	/**
	 * Rows read in this request, by attachment; null: there is none.
	 *
	 * @var array<int,?array>
	 */
	private static $rows = array();

	/**
	 * Attachments of queries, whose rows are read together.
	 *
	 * @var array<int,int>
	 */
	private static $expected = array();

	/** Registers the hooks. */
	public static function register() {
		add_action( 'init', array( __CLASS__, 'install' ) );
		add_filter( 'the_posts', array( __CLASS__, 'expect' ) );
	}

	/**
	 * Returns the name of the table on this site.
	 *
	 * @return string
	 */
	public static function table() {
		global $wpdb;
		return $wpdb->prefix . 'imagewright';
	}

	/** Creates or changes the table, once for each version. */
	public static function install() {
		$known = (int) get_option( self::OPTION );
		if ( self::VERSION === $known ) {
			return;
		}
		global $wpdb;
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		$table   = self::table();
		$collate = $wpdb->get_charset_collate();
		dbDelta(
			"CREATE TABLE $table (
attachment_id bigint(20) unsigned NOT NULL,
status varchar(10) NOT NULL DEFAULT '',
settings varchar(60) NOT NULL DEFAULT '',
source varchar(40) NOT NULL DEFAULT '',
bytes_before bigint(20) unsigned NOT NULL DEFAULT 0,
bytes_after bigint(20) unsigned NOT NULL DEFAULT 0,
code varchar(60) NOT NULL DEFAULT '',
message text NOT NULL,
task varchar(10) NOT NULL DEFAULT '',
due bigint(20) unsigned NOT NULL DEFAULT 0,
tries int(10) unsigned NOT NULL DEFAULT 0,
user_id bigint(20) unsigned NOT NULL DEFAULT 0,
run varchar(36) NOT NULL DEFAULT '',
updated bigint(20) unsigned NOT NULL DEFAULT 0,
lead bigint(20) unsigned NOT NULL DEFAULT 0,
checked bigint(20) unsigned NOT NULL DEFAULT 0,
PRIMARY KEY  (attachment_id),
KEY status (status),
KEY task_due (task,due),
KEY run_status (run,status),
KEY lead (lead),
KEY checked (checked)
) $collate;"
		);
		if ( 0 === $known ) {
			self::adopt();
		}
		Imagewright_Shared::gather_all();
		Imagewright_Roles::grant();
		Imagewright_Nightly::plan();
		// Each page reads it: an option that does not exist costs a query.
		add_option( Imagewright_Options::DELIVERED, array() );
		update_option( self::OPTION, self::VERSION, true );
	}

	/** Adds the images that an earlier version of the plugin has replaced. */
	private static function adopt() {
		global $wpdb;
		$last = 0;
		do {
			$found = $wpdb->get_results( $wpdb->prepare( "SELECT meta_id, post_id, meta_value FROM $wpdb->postmeta WHERE meta_key = %s AND meta_id > %d ORDER BY meta_id LIMIT 500", Imagewright_State::META, $last ) );
			foreach ( $found as $row ) {
				$last  = (int) $row->meta_id;
				$state = maybe_unserialize( $row->meta_value );
				if ( is_array( $state ) ) {
					self::put( (int) $row->post_id, Imagewright_State::summary( $state ) );
				}
			}
		} while ( $found );
	}

	/**
	 * Notes the attachments of a query, so that their rows are read together.
	 *
	 * @param WP_Post[] $posts Posts.
	 * @return WP_Post[] The same posts.
	 */
	public static function expect( $posts ) {
		if ( is_admin() || ( defined( 'REST_REQUEST' ) && REST_REQUEST ) ) {
			foreach ( (array) $posts as $post ) {
				if ( $post instanceof WP_Post && 'attachment' === $post->post_type ) {
					self::$expected[ $post->ID ] = $post->ID;
				}
			}
		}
		return $posts;
	}

	/**
	 * Notes attachments whose rows are read together.
	 *
	 * @param int[] $ids Attachments.
	 */
	public static function await( $ids ) {
		foreach ( $ids as $id ) {
			self::$expected[ (int) $id ] = (int) $id;
		}
	}

	/**
	 * Reads the row of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return array Fields by name; empty if there is none.
	 */
	public static function row( $id ) {
		if ( ! array_key_exists( $id, self::$rows ) ) {
			global $wpdb;
			$ids            = array_map( 'intval', array_merge( array( $id ), array_slice( self::$expected, 0, 500 ) ) );
			self::$expected = array();
			self::$rows    += array_fill_keys( $ids, null );
			foreach ( self::all( 'attachment_id IN (' . implode( ',', $ids ) . ')' ) as $row ) {
				self::$rows[ (int) $row['attachment_id'] ] = $row;
			}
		}
		return (array) self::$rows[ $id ];
	}

	/**
	 * Reads rows.
	 *
	 * @param string $where Condition, with prepared values; may be followed by ORDER BY and LIMIT.
	 * @return array<int,array<string,string>>
	 */
	public static function all( $where ) {
		return self::select( 'SELECT * FROM ' . self::table() . " WHERE $where" );
	}

	/**
	 * Changes rows.
	 *
	 * @param string $change Assignments and condition, with prepared values: `task = '' WHERE run = 'x'`.
	 * @return int Number of changed rows.
	 */
	public static function change( $change ) {
		return self::execute( 'UPDATE ' . self::table() . " SET $change" );
	}

	/**
	 * Runs a query that reads. The names of tables cannot be prepared before WordPress 6.2.
	 *
	 * @param string $sql Query, with prepared values.
	 * @return array<int,array<string,string>> Rows.
	 */
	public static function select( $sql ) {
		global $wpdb;
		return (array) $wpdb->get_results( $sql, ARRAY_A ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by the callers.
	}

	/**
	 * Runs a query that reads one number.
	 *
	 * @param string $sql Query, with prepared values.
	 * @return int
	 */
	public static function number( $sql ) {
		$rows = self::select( $sql );
		return $rows ? (int) reset( $rows[0] ) : 0;
	}

	/**
	 * Runs a query that writes to the table.
	 *
	 * @param string $sql Query, with prepared values.
	 * @return int Number of changed rows.
	 */
	public static function execute( $sql ) {
		global $wpdb;
		self::$rows = array();
		return (int) $wpdb->query( $sql ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by the callers.
	}

	/**
	 * Writes fields of the row of an attachment. Adds the row if there is none.
	 *
	 * @param int   $id     Attachment.
	 * @param array $fields Values by name.
	 */
	public static function put( $id, $fields ) {
		global $wpdb;
		unset( self::$rows[ $id ] );
		$fields += array( 'updated' => time() );
		if ( ! $wpdb->update( self::table(), $fields, array( 'attachment_id' => $id ) ) ) {
			$fields += array(
				'attachment_id' => $id,
				'message'       => '',
			);
			$values  = implode( ',', array_fill( 0, count( $fields ), '%s' ) );
			$wpdb->query( $wpdb->prepare( 'INSERT IGNORE INTO ' . self::table() . ' (' . implode( ',', array_keys( $fields ) ) . ") VALUES ($values)", array_values( $fields ) ) );
		}
	}

	/**
	 * Removes the row of an attachment.
	 *
	 * @param int $id Attachment.
	 */
	public static function remove( $id ) {
		global $wpdb;
		unset( self::$rows[ $id ] );
		$wpdb->delete( self::table(), array( 'attachment_id' => $id ) );
	}

	/**
	 * Selects rows whose attachments have a record, and so optimized files.
	 *
	 * @param string $name Name of the table in the query.
	 * @return string Condition.
	 */
	public static function with_record( $name ) {
		return "( $name.status IN ('done','changing','outdated','stale') OR ( $name.status = 'offloaded' AND $name.bytes_before > 0 ) )";
	}

	/**
	 * Counts rows by a column.
	 *
	 * @param string $column `status` or `task`.
	 * @param string $where  Condition, with prepared values.
	 * @return array<string,array{n:int,before:int,after:int}> By value.
	 */
	public static function counts( $column, $where = '1 = 1' ) {
		$found = array();
		foreach ( self::select( "SELECT $column AS k, COUNT(*) AS n, SUM(bytes_before) AS b, SUM(bytes_after) AS a FROM " . self::table() . " WHERE $where GROUP BY $column" ) as $row ) {
			$found[ $row['k'] ] = array(
				'n'      => (int) $row['n'],
				'before' => (int) $row['b'],
				'after'  => (int) $row['a'],
			);
		}
		return $found;
	}
}
