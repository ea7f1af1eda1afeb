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
 * export), `shared` (another attachment, `leader`, has the same file and the row of the picture), or empty. `settings`: format, preset
 * and way of the last attempt, or the size below which files are excluded. `source`: size and time of the file then. `task`: `new`, `optimize`, `restore`, `discard`, or empty; it may begin at `due`
 * (Unix time). `tries`: attempts that did not return. `checked`: when the status was last compared with the files (Unix time).
 */
class Imagewright_Index extends Imagewright_Query {

	/** Version of the table, stored in OPTION. */
	const VERSION = 3;
	const OPTION  = 'imagewright_table';

	/**
	 * Rows read in this request, by attachment; null: there is none.
	 *
	 * @var array<int,?array>
	 */
	private $rows = array();

	/**
	 * Attachments of queries, whose rows are read together.
	 *
	 * @var array<int,int>
	 */
	private $expected = array();

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->filter( 'the_posts', array( __CLASS__, 'expect' ) );
	}

	/**
	 * Notes the attachments of a query, so that their rows are read together.
	 *
	 * @param WP_Post[] $posts Posts.
	 * @return WP_Post[] The same posts.
	 */
	public function expect( $posts ) {
		if ( is_admin() || ( defined( 'REST_REQUEST' ) && REST_REQUEST ) ) {
			foreach ( (array) $posts as $post ) {
				if ( $post instanceof WP_Post && 'attachment' === $post->post_type ) {
					$this->expected[ $post->ID ] = $post->ID;
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
	public function await( $ids ) {
		foreach ( $ids as $id ) {
			$this->expected[ (int) $id ] = (int) $id;
		}
	}

	/**
	 * Reads the row of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return array Fields by name; empty if there is none.
	 */
	public function row( $id ) {
		if ( ! array_key_exists( $id, $this->rows ) ) {
			global $wpdb;
			$ids            = array_map( 'intval', array_merge( array( $id ), array_slice( $this->expected, 0, 500 ) ) );
			$this->expected = array();
			$this->rows    += array_fill_keys( $ids, null );
			foreach ( $this->select( 'SELECT * FROM ' . self::table() . ' WHERE attachment_id IN (' . implode( ',', $ids ) . ')' ) as $row ) {
				$this->rows[ (int) $row['attachment_id'] ] = $row;
			}
		}
		return (array) $this->rows[ $id ];
	}

	/**
	 * Writes fields of the row of an attachment. Adds the row if there is none.
	 *
	 * @param int   $id     Attachment.
	 * @param array $fields Values by name.
	 */
	public function put( $id, $fields ) {
		global $wpdb;
		unset( $this->rows[ $id ] );
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
	public function remove( $id ) {
		global $wpdb;
		unset( $this->rows[ $id ] );
		$wpdb->delete( self::table(), array( 'attachment_id' => $id ) );
	}

	/**
	 * Returns true if the attachment exists in the database. The cache of this process may be older.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function exists( $id ) {
		global $wpdb;
		return (bool) $wpdb->get_var( $wpdb->prepare( "SELECT 1 FROM $wpdb->posts WHERE ID = %d", $id ) );
	}

	/** Creates or changes the table. */
	public function create() {
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
leader bigint(20) unsigned NOT NULL DEFAULT 0,
checked bigint(20) unsigned NOT NULL DEFAULT 0,
PRIMARY KEY  (attachment_id),
KEY status (status),
KEY task_due (task,due),
KEY run_status (run,status),
KEY leader (leader),
KEY checked (checked)
) $collate;"
		);
	}

	/**
	 * Restricts a query to a status.
	 *
	 * @param string[] $clauses Parts of the query.
	 * @param string   $status  `any`, `none` (not optimized), `optimized`, `waiting`, `outdated`, `offloaded`, `shared`, `failed` (the last
	 *                          attempt had no use).
	 * @param string   $run     Id of a run, to select of its images; empty for all.
	 * @return string[]
	 */
	public function restrict( $clauses, $status, $run = '' ) {
		global $wpdb;
		$conditions = array(
			'none'      => '( imagewright.status IS NULL OR NOT ' . $this->with_record( 'imagewright' ) . ' )',
			'optimized' => "imagewright.status IN ('done','changing')",
			'waiting'   => "imagewright.task <> ''",
			'outdated'  => "imagewright.status IN ('outdated','stale')",
			'offloaded' => "imagewright.status = 'offloaded'",
			'shared'    => 'imagewright.leader > 0',
			'failed'    => "imagewright.task = '' AND imagewright.status IN ('failed','no_gain','unfit','excluded')",
		);
		if ( isset( $conditions[ $status ] ) ) {
			$table = self::table();
			// All attachments of a file have the state of the leading one.
			$clauses['join']  .= " LEFT JOIN $table imagewright_own ON imagewright_own.attachment_id = $wpdb->posts.ID
				LEFT JOIN $table imagewright ON imagewright.attachment_id = CASE WHEN imagewright_own.leader > 0 THEN imagewright_own.leader ELSE $wpdb->posts.ID END";
			$clauses['where'] .= " AND $wpdb->posts.post_mime_type LIKE 'image/%' AND $conditions[$status]" . ( '' === $run ? '' : $wpdb->prepare( ' AND imagewright.run = %s', $run ) );
		}
		return $clauses;
	}

	/** Forgets the rows that were read, since the queue has changed some. */
	public function forget_rows() {
		$this->rows = array();
	}

	/**
	 * Lists the attachments that another leads.
	 *
	 * @param int $lead The leading attachment.
	 * @return int[]
	 */
	public function led_by( $lead ) {
		return $this->numbers( 'SELECT attachment_id FROM ' . self::table() . ' WHERE leader = ' . (int) $lead . ' ORDER BY attachment_id' );
	}

	/**
	 * Counts the rows by status, with their bytes.
	 *
	 * @return array<string,array{n:int,before:int,after:int}>
	 */
	public function by_status() {
		return $this->sums( 'SELECT status AS k, COUNT(*) AS n, SUM(bytes_before) AS b, SUM(bytes_after) AS a FROM ' . self::table() . ' GROUP BY status' );
	}

	/**
	 * Counts the optimized images by the time of their last change.
	 *
	 * @param int[] $starts Unix times, newest first.
	 * @return array<int,array{n:int,before:int,after:int}> By key of the time since which they were changed.
	 */
	public function since( $starts ) {
		$cases = '';
		foreach ( $starts as $key => $start ) {
			$cases .= ' WHEN updated >= ' . (int) $start . ' THEN ' . (int) $key;
		}
		return $this->sums( "SELECT CASE$cases ELSE -1 END AS k, COUNT(*) AS n, SUM(bytes_before) AS b, SUM(bytes_after) AS a FROM " . self::table() . " WHERE status = 'done' GROUP BY k" );
	}

	/**
	 * Counts the images of the library that the service accepts.
	 *
	 * @return int
	 */
	public function total() {
		global $wpdb;
		return $this->number( "SELECT COUNT(*) FROM $wpdb->posts WHERE post_type = 'attachment' AND post_status = 'inherit' AND post_mime_type IN (" . $this->types() . ')' );
	}

	/**
	 * Lists optimized and offloaded images whose state was compared with their files the longest ago.
	 *
	 * @param int $before Lists only those compared before this time (Unix time).
	 * @param int $limit  Most images.
	 * @return int[]
	 */
	public function least_checked( $before, $limit ) {
		global $wpdb;
		return $this->numbers( $wpdb->prepare( 'SELECT i.attachment_id FROM ' . self::table() . " i WHERE i.checked < %d AND ( i.status = 'offloaded' OR " . $this->with_record( 'i' ) . ' ) ORDER BY i.checked, i.attachment_id LIMIT %d', $before, $limit ) );
	}

	/**
	 * Lists the newest images that have no row.
	 *
	 * @param int $limit Most images.
	 * @return int[]
	 */
	public function without_row( $limit ) {
		global $wpdb;
		return $this->numbers( 'SELECT p.ID ' . $this->from() . $this->images( false, true ) . $wpdb->prepare( ' AND i.attachment_id IS NULL ORDER BY p.ID DESC LIMIT %d', $limit ) );
	}

	/**
	 * Counts the images with a task.
	 *
	 * @return int
	 */
	public function waiting() {
		return $this->number( 'SELECT COUNT(*) FROM ' . self::table() . " WHERE task <> ''" );
	}
}
