<?php
/**
 * Queue of tasks.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Hands out the pending tasks of attachments, each to one PHP process, uploads first. A task whose process died is handed out
 * again after SECONDS.
 */
class Imagewright_Queue extends Imagewright_Query {

	/** Seconds until a task that was handed out may be handed out again. */
	const SECONDS = 900;

	/** Attempts that did not return, after which an image is given up. */
	const MAX_TRIES = 2;

	/** Value of `due` for the tasks of a stopped run. */
	const NEVER = 9999999999;

	/** Longest pause while the service does not respond, in seconds. */
	const MAX_PAUSE = 900;

	/** Tasks of runs, for a list in SQL. */
	const OF_RUNS = "'optimize','restore','discard'";

	/** Tasks that need no service, for a list in SQL. */
	const OFFLINE = "'restore','discard'";

	/** Condition of the failed images of a run. */
	const BAD = " AND task = '' AND code <> '' AND status NOT IN ('no_gain','excluded')";

	/** Option: `until` (Unix time), `tries`, `code`, `message`. */
	const PAUSE = 'imagewright_pause';

	/** Rows of images. */
	private Imagewright_Index $index;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Index $index Rows of images.
	 */
	public function __construct( Imagewright_Index $index ) {
		$this->index = $index;
	}

	/**
	 * Adds tasks.
	 *
	 * @param int[]  $ids  Attachments.
	 * @param string $task `new`, `optimize`, `restore` or `discard`.
	 * @param int    $due  Unix time from which they may begin.
	 * @param int    $user User in whose name they run.
	 * @param string $run  Run; empty for uploads.
	 */
	public function add( $ids, $task, $due, $user, $run = '' ) {
		global $wpdb;
		if ( ! $ids ) {
			return;
		}
		$ids = array_map( 'intval', $ids );
		$this->change( $wpdb->prepare( 'task = %s, due = %d, tries = 0, user_id = %d, run = %s WHERE attachment_id IN (' . implode( ',', $ids ) . ')', $task, $due, $user, $run ) );
		$rows = array();
		foreach ( $ids as $id ) {
			$rows[] = $wpdb->prepare( "(%d, '', %s, %d, %d, %s, %d)", $id, $task, $due, $user, $run, time() );
		}
		$this->execute( 'INSERT IGNORE INTO ' . self::table() . ' (attachment_id, message, task, due, user_id, run, updated) VALUES ' . implode( ',', $rows ) );
	}

	/**
	 * Takes the next task.
	 *
	 * @param bool $uploads   True to take uploads too: the budget of the day may be used up.
	 * @param bool $is_online False to take only what needs no service.
	 * @return array|null Row; `tries` counts this attempt.
	 */
	public function take( $uploads, $is_online = true ) {
		global $wpdb;
		$now = time();
		$of_runs = $is_online ? self::OF_RUNS : self::OFFLINE;
		foreach ( $uploads && $is_online ? array( "'new'", $of_runs ) : array( $of_runs ) as $tasks ) {
			foreach ( $this->select( $wpdb->prepare( 'SELECT * FROM ' . self::table() . " WHERE task IN ($tasks) AND due <= %d ORDER BY due, attachment_id DESC LIMIT 5", $now ) ) as $row ) {
				$mine = $wpdb->prepare( 'due = %d, tries = tries + 1 WHERE attachment_id = %d AND due = %d AND tries = %d AND task = %s', $now + self::SECONDS, $row['attachment_id'], $row['due'], $row['tries'], $row['task'] );
				if ( 1 === $this->change( $mine ) ) {
					$row['tries'] = (int) $row['tries'] + 1;
					return $row;
				}
			}
		}
		return null;
	}

	/**
	 * Ends the task of an attachment.
	 *
	 * @param int $id Attachment.
	 */
	public function finish( $id ) {
		global $wpdb;
		$this->change( $wpdb->prepare( "task = '', due = 0, tries = 0, updated = %d WHERE attachment_id = %d", time(), $id ) );
	}

	/**
	 * Gives a task back, to be taken later; if its run was stopped meanwhile, not before that is resumed. The attempt does not count.
	 *
	 * @param array $row        Of take().
	 * @param int   $seconds    Seconds until it may be taken.
	 * @param bool  $is_stopped True if its run was stopped.
	 */
	public function give_back( $row, $seconds, $is_stopped ) {
		global $wpdb;
		$due = $is_stopped ? self::NEVER : time() + $seconds;
		$this->change( $wpdb->prepare( "due = %d, tries = %d WHERE attachment_id = %d AND task <> '' AND due <> %d", $due, max( 0, $row['tries'] - 1 ), $row['attachment_id'], self::NEVER ) );
	}

	/**
	 * Returns the time at which the next task may begin, or 0 if there is none.
	 *
	 * @param bool $uploads  False if the budget of the day (UTC) is used up, so that uploads wait for the next one.
	 * @param bool $is_ready False to count only what needs no service.
	 * @return int Unix time.
	 */
	public function next( $uploads, $is_ready ) {
		global $wpdb;
		$from    = $uploads ? 0 : ( intdiv( time(), DAY_IN_SECONDS ) + 1 ) * DAY_IN_SECONDS;
		$first   = $wpdb->prepare( "SELECT MIN(CASE WHEN task = 'new' AND due < %d THEN %d ELSE due END) FROM " . self::table() . ' WHERE due < %d AND task IN ', $from, $from, self::NEVER );
		$offline = $this->number( $first . '(' . self::OFFLINE . ')' );
		$online  = $is_ready ? $this->number( $first . "('new','optimize')" ) : 0;
		$times   = array_filter( array( $offline, 0 === $online ? 0 : max( $online, $this->paused_until() ) ) );
		return $times ? min( $times ) : 0;
	}

	/**
	 * Pauses all tasks because the service cannot work. Each further pause is twice as long.
	 *
	 * @param WP_Error $error Reason.
	 */
	public function pause( $error ) {
		$last    = $this->paused();
		$tries   = (int) ( $last['tries'] ?? 0 ) + 1;
		$data    = (array) $error->get_error_data();
		$seconds = max( (int) ( $data['retryAfter'] ?? 0 ), min( self::MAX_PAUSE, 5 * 2 ** min( $tries - 1, 10 ) ) );
		/**
		 * Filters the pause after the service did not respond.
		 *
		 * @param int $seconds Seconds.
		 * @param int $tries   Attempts since it last responded.
		 */
		$seconds = (int) apply_filters( 'imagewright_pause', $seconds, $tries );
		update_option(
			self::PAUSE,
			array(
				'until'   => time() + $seconds,
				'tries'   => $tries,
				'code'    => (string) $error->get_error_code(),
				'message' => $error->get_error_message(),
			),
			false
		);
	}

	/** Ends the pause: the service has responded. */
	public function go_on() {
		if ( $this->paused() ) {
			delete_option( self::PAUSE );
		}
	}

	/**
	 * Returns the pause, which may be over, or an empty array.
	 *
	 * @return array
	 */
	public function paused() {
		return (array) get_option( self::PAUSE, array() );
	}

	/**
	 * Returns the end of the pause, or 0.
	 *
	 * @return int Unix time.
	 */
	public function paused_until() {
		$until = (int) ( $this->paused()['until'] ?? 0 );
		return $until > time() ? $until : 0;
	}

	/**
	 * Pauses the tasks of a run until it is resumed. A task in progress is due later; it is finished.
	 *
	 * @param string $run Run.
	 */
	public function hold( $run ) {
		global $wpdb;
		$this->change( $wpdb->prepare( "due = %d WHERE run = %s AND task <> '' AND due <= %d", self::NEVER, $run, time() ) );
	}

	/**
	 * Makes the waiting tasks of a run due.
	 *
	 * @param string $run Run.
	 */
	public function resume( $run ) {
		global $wpdb;
		$this->change( $wpdb->prepare( "due = %d WHERE run = %s AND task <> '' AND due = %d", time(), $run, self::NEVER ) );
	}

	/**
	 * Removes the tasks of a run that were not begun.
	 *
	 * @param string $run Run.
	 */
	public function drop( $run ) {
		global $wpdb;
		$this->change( $wpdb->prepare( "task = '', due = 0, run = '' WHERE run = %s AND task <> '' AND ( due <= %d OR due = %d )", $run, time(), self::NEVER ) );
	}

	/**
	 * Pauses the new uploads of a user and stores the reason.
	 *
	 * @param int      $user    User.
	 * @param WP_Error $error   Reason.
	 * @param int      $seconds Seconds.
	 */
	public function delay_uploads( $user, $error, $seconds ) {
		global $wpdb;
		$this->change( $wpdb->prepare( "due = %d, code = %s, message = %s WHERE task = 'new' AND user_id = %d AND due <= %d", time() + $seconds, $error->get_error_code(), $error->get_error_message(), $user, time() ) );
	}

	/**
	 * Counts the images of a run.
	 *
	 * @param string $run Run.
	 * @return array{pending:int,begun:int,bad:int,ended:array<string,array{n:int,before:int,after:int}>} `begun` of the pending are in
	 *     progress, `bad` of the ended have failed; `ended` is by status.
	 */
	public function progress( $run ) {
		global $wpdb;
		$count = $wpdb->prepare( 'SELECT COUNT(*) FROM ' . self::table() . ' WHERE run = %s', $run );
		return array(
			'pending' => $this->number( "$count AND task <> ''" ),
			'begun'   => $this->number( $count . $wpdb->prepare( " AND task <> '' AND due > %d AND due < %d", time(), self::NEVER ) ),
			'bad'     => $this->number( $count . self::BAD ),
			'ended'   => $this->sums( $wpdb->prepare( 'SELECT status AS k, COUNT(*) AS n, SUM(bytes_before) AS b, SUM(bytes_after) AS a FROM ' . self::table() . " WHERE run = %s AND task = '' GROUP BY status", $run ) ),
		);
	}

	/**
	 * Reads the rows of failed images of a run, newest first.
	 *
	 * @param string $run   Run.
	 * @param int    $limit Most rows.
	 * @return array<int,array>
	 */
	public function failed( $run, $limit ) {
		global $wpdb;
		return $this->select( $wpdb->prepare( 'SELECT * FROM ' . self::table() . ' WHERE run = %s' . self::BAD . ' ORDER BY updated DESC LIMIT %d', $run, $limit ) );
	}

	/**
	 * Lists the optimized images of a run.
	 *
	 * @param string $run Run.
	 * @return int[]
	 */
	public function optimized( $run ) {
		global $wpdb;
		return $this->numbers( $wpdb->prepare( 'SELECT attachment_id FROM ' . self::table() . " WHERE run = %s AND task = '' AND status = 'done'", $run ) );
	}

	/**
	 * Changes rows.
	 *
	 * @param string $change Prepared assignments and condition.
	 * @return int Number of changed rows.
	 */
	private function change( $change ) {
		return $this->execute( 'UPDATE ' . self::table() . " SET $change" );
	}

	/**
	 * Changes the table.
	 *
	 * @param string $sql Prepared query.
	 * @return int Number of changed rows.
	 */
	private function execute( $sql ) {
		global $wpdb;
		$this->index->forget_rows();
		return (int) $wpdb->query( $sql ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by the callers.
	}
}
