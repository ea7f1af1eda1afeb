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
class Imagewright_Queue {

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

	/** Option: `until` (Unix time), `tries`, `code`, `message`. */
	const PAUSE = 'imagewright_pause';

	/**
	 * Adds tasks.
	 *
	 * @param int[]  $ids  Attachments.
	 * @param string $task `new`, `optimize`, `restore` or `discard`.
	 * @param int    $due  Unix time from which they may begin.
	 * @param int    $user User in whose name they run.
	 * @param string $run  Run; empty for uploads.
	 */
	public static function add( $ids, $task, $due, $user, $run = '' ) {
		global $wpdb;
		if ( ! $ids ) {
			return;
		}
		$ids = array_map( 'intval', $ids );
		Imagewright_Index::change( $wpdb->prepare( 'task = %s, due = %d, tries = 0, user_id = %d, run = %s WHERE attachment_id IN (' . implode( ',', $ids ) . ')', $task, $due, $user, $run ) );
		$rows = array();
		foreach ( $ids as $id ) {
			$rows[] = $wpdb->prepare( "(%d, '', %s, %d, %d, %s, %d)", $id, $task, $due, $user, $run, time() );
		}
		Imagewright_Index::execute( 'INSERT IGNORE INTO ' . Imagewright_Index::table() . ' (attachment_id, message, task, due, user_id, run, updated) VALUES ' . implode( ',', $rows ) );
	}

	/**
	 * Takes the next task.
	 *
	 * @param bool $uploads True to take uploads too: the budget of the day may be used up.
	 * @return array|null Row; `tries` counts this attempt.
	 */
	public static function take( $uploads ) {
		global $wpdb;
		$now = time();
		foreach ( $uploads ? array( "'new'", self::OF_RUNS ) : array( self::OF_RUNS ) as $tasks ) {
			foreach ( Imagewright_Index::all( $wpdb->prepare( "task IN ($tasks) AND due <= %d ORDER BY due, attachment_id DESC LIMIT 5", $now ) ) as $row ) {
				$mine = $wpdb->prepare( 'due = %d, tries = tries + 1 WHERE attachment_id = %d AND due = %d AND tries = %d AND task = %s', $now + self::SECONDS, $row['attachment_id'], $row['due'], $row['tries'], $row['task'] );
				if ( 1 === Imagewright_Index::change( $mine ) ) {
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
	public static function finish( $id ) {
		global $wpdb;
		Imagewright_Index::change( $wpdb->prepare( "task = '', due = 0, tries = 0, updated = %d WHERE attachment_id = %d", time(), $id ) );
	}

	/**
	 * Gives a task back, to be taken later; if its run was stopped meanwhile, not before that is resumed. The attempt does not count.
	 *
	 * @param array $row     Of take().
	 * @param int   $seconds Seconds until it may be taken.
	 */
	public static function give_back( $row, $seconds ) {
		global $wpdb;
		$due = Imagewright_Runs::is_stopped( $row ) ? self::NEVER : time() + $seconds;
		Imagewright_Index::change( $wpdb->prepare( "due = %d, tries = %d WHERE attachment_id = %d AND task <> '' AND due <> %d", $due, max( 0, $row['tries'] - 1 ), $row['attachment_id'], self::NEVER ) );
	}

	/**
	 * Returns the time at which the next task may begin, or 0 if there is none.
	 *
	 * @return int Unix time.
	 */
	public static function next() {
		global $wpdb;
		$due = (int) $wpdb->get_var( $wpdb->prepare( 'SELECT MIN(due) FROM ' . Imagewright_Index::table() . " WHERE task <> '' AND due < %d", self::NEVER ) );
		return 0 === $due ? 0 : max( $due, self::paused_until() );
	}

	/**
	 * Lets all tasks wait because the service cannot work. Each further pause is twice as long.
	 *
	 * @param WP_Error $error Reason.
	 */
	public static function pause( $error ) {
		$last    = self::paused();
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
	public static function go_on() {
		if ( self::paused() ) {
			delete_option( self::PAUSE );
		}
	}

	/**
	 * Returns the pause, which may be over, or an empty array.
	 *
	 * @return array
	 */
	public static function paused() {
		return (array) get_option( self::PAUSE, array() );
	}

	/**
	 * Returns the end of the pause, or 0.
	 *
	 * @return int Unix time.
	 */
	public static function paused_until() {
		$until = (int) ( self::paused()['until'] ?? 0 );
		return $until > time() ? $until : 0;
	}
}
