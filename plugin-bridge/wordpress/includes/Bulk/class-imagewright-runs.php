<?php
/**
 * Bulk runs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Stores the bulk run of each user: settings, state and a cursor into the library. The images are handed to the queue in batches,
 * and the progress is counted in the table.
 */
class Imagewright_Runs {

	/** Prefix of the options, one for each user. */
	const PREFIX = 'imagewright_run_';

	/** Prefix of the options with the cursor of each run. Separate: a worker moves it while the user may stop the run. */
	const CURSOR = 'imagewright_cursor_';

	/** Images handed to the queue at once. */
	const BATCH = 500;

	/** Most failed images that are listed. */
	const EXAMPLES = 50;

	/**
	 * Starts a run of the current user and replaces the previous one.
	 *
	 * @param string $kind    `optimize`, `restore` or `discard`.
	 * @param int[]  $ids     Attachments; empty for all eligible ones.
	 * @param array  $options `format`, `preset`, `fillText`.
	 * @return array The run in the form of show().
	 */
	public static function start( $kind, $ids, $options ) {
		self::forget();
		$run = array(
			'id'      => wp_generate_uuid4(),
			'kind'    => $kind,
			'ids'     => array_values( array_map( 'intval', $ids ) ),
			'options' => $options,
			'state'   => 'running',
			'reason'  => null,
			'total'   => Imagewright_Candidates::count( $kind, $options, $ids ),
			'at'      => time(),
		);
		// Written now: a worker then only changes it, which SQLite does without a conflict.
		self::move_cursor( get_current_user_id(), $run['id'], 0, false );
		self::write( get_current_user_id(), $run );
		Imagewright_Queue::go_on();
		Imagewright_Schedule::wake();
		return self::current();
	}

	/**
	 * Returns the current user's run, or null.
	 *
	 * @return array|null
	 */
	public static function current() {
		$run = self::read( get_current_user_id() );
		return $run ? self::show( $run ) : null;
	}

	/**
	 * Stops or resumes the run of a user.
	 *
	 * @param string     $state  `running` or `stopped`.
	 * @param array|null $reason Reason of the stop: `code`, `message`.
	 * @param int        $user   User; 0 for the current one.
	 * @return array|null
	 */
	public static function set_state( $state, $reason = null, $user = 0 ) {
		global $wpdb;
		$user = $user ? $user : get_current_user_id();
		$run  = self::read( $user );
		if ( ! $run ) {
			return null;
		}
		$run['state']  = $state;
		$run['reason'] = $reason;
		self::write( $user, $run );
		if ( 'running' === $state ) {
			Imagewright_Index::change( $wpdb->prepare( "due = %d WHERE run = %s AND task <> '' AND due = %d", time(), $run['id'], Imagewright_Queue::NEVER ) );
			Imagewright_Queue::go_on();
			Imagewright_Schedule::wake();
		} else {
			// A task in progress is due later; it is finished.
			Imagewright_Index::change( $wpdb->prepare( "due = %d WHERE run = %s AND task <> '' AND due <= %d", Imagewright_Queue::NEVER, $run['id'], time() ) );
		}
		return self::show( $run );
	}

	/** Deletes the run of the current user. Its optimized images stay; those that wait are taken out of the queue. */
	public static function forget() {
		global $wpdb;
		$run = self::read( get_current_user_id() );
		if ( $run ) {
			Imagewright_Index::change( $wpdb->prepare( "task = '', due = 0, run = '' WHERE run = %s AND task <> '' AND ( due <= %d OR due = %d )", $run['id'], time(), Imagewright_Queue::NEVER ) );
			delete_option( self::PREFIX . get_current_user_id() );
			delete_option( self::CURSOR . get_current_user_id() );
		}
	}

	/**
	 * Returns the settings of a task.
	 *
	 * @param array $row Row of the table.
	 * @return array `format`, `preset`, `fillText`.
	 */
	public static function options_of( $row ) {
		$run = '' === $row['run'] ? null : self::read( (int) $row['user_id'] );
		if ( $run && $run['id'] === $row['run'] ) {
			return $run['options'];
		}
		$all = Imagewright_Options::all();
		return array(
			'format'   => $all['format'],
			'preset'   => $all['preset'],
			'fillText' => (bool) $all['fill_text'],
		);
	}

	/**
	 * Returns true if somebody chose the images of a task, which no setting excludes then.
	 *
	 * @param array $row Row of the table.
	 * @return bool
	 */
	public static function is_chosen( $row ) {
		$run = '' === $row['run'] ? null : self::read( (int) $row['user_id'] );
		return $run && $run['id'] === $row['run'] && $run['ids'];
	}

	/**
	 * Returns true if the run of a task was stopped.
	 *
	 * @param array $row Row of the table.
	 * @return bool
	 */
	public static function is_stopped( $row ) {
		$run = '' === $row['run'] ? null : self::read( (int) $row['user_id'] );
		return $run && $run['id'] === $row['run'] && 'stopped' === $run['state'];
	}

	/**
	 * Hands the next images of a running run to the queue.
	 *
	 * @return bool True if there are further tasks.
	 */
	public static function fill() {
		global $wpdb;
		foreach ( $wpdb->get_col( $wpdb->prepare( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::PREFIX ) . '%' ) ) as $name ) {
			$user = (int) substr( $name, strlen( self::PREFIX ) );
			$run  = self::read( $user );
			if ( ! $run || 'running' !== $run['state'] || $run['filled'] ) {
				continue;
			}
			return true === Imagewright_Lock::once(
				'fill',
				static function () use ( $user ) {
					return self::fill_from( $user );
				}
			);
		}
		return false;
	}

	/**
	 * Hands the next images of one run to the queue.
	 *
	 * @param int $user User of the run.
	 * @return bool True if there were images.
	 */
	private static function fill_from( $user ) {
		$run = self::read( $user );
		if ( ! $run || $run['filled'] ) {
			return (bool) $run;
		}
		wp_set_current_user( $user );
		if ( 'optimize' === $run['kind'] && ! $run['ids'] && 0 === (int) $run['cursor'] ) {
			Imagewright_Nightly::check( 2000, 10 );
		}
		$ids = Imagewright_Candidates::batch( $run['kind'], $run['options'], $run['ids'], $run['cursor'], self::BATCH );
		Imagewright_Queue::add( $ids, $run['kind'], time(), $user, $run['id'] );
		self::move_cursor( $user, $run['id'], $ids ? min( $ids ) : $run['cursor'], count( $ids ) < self::BATCH );
		$now = self::read( $user );
		if ( $now && $now['id'] === $run['id'] && 'running' !== $now['state'] ) {
			// Stopped meanwhile.
			self::set_state( $now['state'], $now['reason'], $user );
		}
		return (bool) $ids;
	}

	/**
	 * Reads the stored run of a user, past the cache: other processes change it.
	 *
	 * @param int $user User.
	 * @return array|null
	 */
	private static function read( $user ) {
		foreach ( array( self::PREFIX . $user, self::CURSOR . $user, 'notoptions' ) as $name ) {
			wp_cache_delete( $name, 'options' );
		}
		$run    = get_option( self::PREFIX . $user );
		$cursor = (array) get_option( self::CURSOR . $user, array() );
		if ( ! is_array( $run ) ) {
			return null;
		}
		$is_own = $run['id'] === ( $cursor['run'] ?? '' );
		return array(
			'cursor' => $is_own ? $cursor['cursor'] : 0,
			'filled' => $is_own && $cursor['filled'],
		) + $run;
	}

	/**
	 * Stores how far a run has been handed to the queue.
	 *
	 * @param int    $user   User.
	 * @param string $run    Id of the run.
	 * @param int    $cursor Lowest id that was handed over; 0 for none.
	 * @param bool   $filled True if there are no further images.
	 */
	private static function move_cursor( $user, $run, $cursor, $filled ) {
		update_option( self::CURSOR . $user, compact( 'run', 'cursor', 'filled' ), false );
	}

	/**
	 * Stores the run of a user.
	 *
	 * @param int   $user User.
	 * @param array $run  Run.
	 */
	private static function write( $user, $run ) {
		update_option( self::PREFIX . $user, array_diff_key( $run, array_flip( array( 'cursor', 'filled' ) ) ), false );
	}

	/**
	 * Adds the progress to a run.
	 *
	 * @param array $run Stored run.
	 * @return array
	 */
	private static function show( $run ) {
		global $wpdb;
		$mine    = $wpdb->prepare( 'run = %s', $run['id'] );
		$pending = (int) array_sum( array_column( Imagewright_Index::counts( 'task', "$mine AND task <> ''" ), 'n' ) );
		$ended   = Imagewright_Index::counts( 'status', "$mine AND task = ''" );
		$is_bad  = "$mine AND task = '' AND code <> '' AND status NOT IN ('no_gain','excluded')";
		$bad     = (int) array_sum( array_column( Imagewright_Index::counts( 'status', $is_bad ), 'n' ) );
		$equal   = ( $ended['no_gain']['n'] ?? 0 ) + ( $ended['excluded']['n'] ?? 0 );
		$done    = (int) array_sum( array_column( $ended, 'n' ) ) - $bad - $equal;
		$state   = $run['filled'] && 0 === $pending && 'running' === $run['state'] ? 'done' : $run['state'];
		$in_work = $wpdb->prepare( "$mine AND task <> '' AND due > %d AND due < %d", time(), Imagewright_Queue::NEVER );
		$pause   = 'running' === $state && Imagewright_Queue::paused_until() ? Imagewright_Queue::paused() : array();
		return array(
			'id'          => $run['id'],
			'kind'        => $run['kind'],
			'options'     => $run['options'],
			'state'       => $state,
			'reason'      => $run['reason'],
			'waiting'     => (string) ( $pause['message'] ?? '' ),
			// Images that were begun before a stop, and are finished.
			'busy'        => 'stopped' === $state ? (int) array_sum( array_column( Imagewright_Index::counts( 'task', $in_work ), 'n' ) ) : 0,
			'total'       => max( $run['total'], $done + $bad + $equal + $pending ),
			'done'        => $done,
			'noGain'      => $equal,
			'failedCount' => $bad,
			'failed'      => self::failed( $is_bad ),
			'bytes'       => array(
				'before' => $ended['done']['before'] ?? 0,
				'after'  => $ended['done']['after'] ?? 0,
			),
		);
	}

	/**
	 * Lists failed images of a run, newest first.
	 *
	 * @param string $where Condition.
	 * @return array<int,array{id:int,title:string,code:string,message:string}>
	 */
	private static function failed( $where ) {
		$failed = array();
		foreach ( Imagewright_Index::all( "$where ORDER BY updated DESC LIMIT " . self::EXAMPLES ) as $row ) {
			$post     = get_post( (int) $row['attachment_id'] );
			$failed[] = array(
				'id'      => (int) $row['attachment_id'],
				'title'   => $post ? Imagewright_Texts::title( $post->ID ) : '',
				'code'    => $row['code'],
				'message' => $row['message'],
			);
		}
		return $failed;
	}
}
