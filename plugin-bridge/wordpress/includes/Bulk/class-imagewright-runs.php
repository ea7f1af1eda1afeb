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

	/** Images that a run can work on. */
	private Imagewright_Candidates $candidates;
	/** Queue of tasks. */
	private Imagewright_Queue $queue;
	/** Schedule of the queue and of the nightly check. */
	private Imagewright_Schedule $schedule;
	/** Runs in numbers. */
	private Imagewright_Run_View $run_view;
	/** Settings. */
	private Imagewright_Options $options;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Candidates $candidates Images that a run can work on.
	 * @param Imagewright_Queue      $queue      Queue of tasks.
	 * @param Imagewright_Schedule   $schedule   Schedule of the queue and of the nightly check.
	 * @param Imagewright_Run_View   $run_view   Runs in numbers.
	 * @param Imagewright_Options    $options    Settings.
	 * @param Imagewright_Lock       $lock       Locks of attachments.
	 */
	public function __construct(
		Imagewright_Candidates $candidates,
		Imagewright_Queue $queue,
		Imagewright_Schedule $schedule,
		Imagewright_Run_View $run_view,
		Imagewright_Options $options,
		Imagewright_Lock $lock
	) {
		$this->candidates = $candidates;
		$this->queue      = $queue;
		$this->schedule   = $schedule;
		$this->run_view   = $run_view;
		$this->options    = $options;
		$this->lock       = $lock;
	}

	/**
	 * Starts a run of the current user and replaces the previous one.
	 *
	 * @param string $kind    `optimize`, `restore` or `discard`.
	 * @param int[]  $ids     Attachments; empty for all eligible ones.
	 * @param array  $options `format`, `preset`, `fillText`.
	 * @return array The run in the form of show().
	 */
	public function start( $kind, $ids, $options ) {
		$this->forget();
		$run = array(
			'id'      => wp_generate_uuid4(),
			'kind'    => $kind,
			'ids'     => array_values( array_map( 'intval', $ids ) ),
			'options' => $options,
			'state'   => 'running',
			'reason'  => null,
			'total'   => $this->candidates->count( $kind, $options, $ids ),
			'at'      => time(),
		);
		// Written now: a worker then only changes it, which SQLite does without a conflict.
		$this->move_cursor( get_current_user_id(), $run['id'], 0, false );
		$this->write( get_current_user_id(), $run );
		if ( 'optimize' === $kind ) {
			$this->queue->go_on();
		}
		$this->schedule->wake();
		return $this->current();
	}

	/**
	 * Returns the current user's run, or null.
	 *
	 * @return array|null
	 */
	public function current() {
		$run = $this->read( get_current_user_id() );
		return $run ? $this->run_view->of( $run ) : null;
	}

	/**
	 * Stops or resumes the run of a user.
	 *
	 * @param string     $state  `running` or `stopped`.
	 * @param array|null $reason Reason of the stop: `code`, `message`.
	 * @param int        $user   User; 0 for the current one.
	 * @return array|null
	 */
	public function set_state( $state, $reason = null, $user = 0 ) {
		$user = $user ? $user : get_current_user_id();
		$run  = $this->read( $user );
		if ( ! $run ) {
			return null;
		}
		$run['state']  = $state;
		$run['reason'] = $reason;
		$this->write( $user, $run );
		if ( 'running' === $state ) {
			$this->queue->resume( $run['id'] );
			$this->queue->go_on();
			$this->schedule->wake();
		} else {
			$this->queue->hold( $run['id'] );
		}
		return $this->run_view->of( $run );
	}

	/** Deletes the run of the current user. Optimized images stay; waiting ones leave the queue. */
	public function forget() {
		$run = $this->read( get_current_user_id() );
		if ( $run ) {
			$this->queue->drop( $run['id'] );
			delete_option( self::PREFIX . get_current_user_id() );
			delete_option( self::CURSOR . get_current_user_id() );
		}
	}

	/**
	 * Returns the settings of a task. Without a run nobody has seen the price of descriptions, so none are made.
	 *
	 * @param array $row Row of the table.
	 * @return array `format`, `preset`, `fillText`.
	 */
	public function options_of( $row ) {
		$run = '' === $row['run'] ? null : $this->read( (int) $row['user_id'] );
		if ( $run && $run['id'] === $row['run'] ) {
			return $run['options'];
		}
		$all = $this->options->all();
		return array(
			'format'   => $all['format'],
			'preset'   => $all['preset'],
			'fillText' => false,
		);
	}

	/**
	 * Returns true if a user chose the images of a task. No setting excludes chosen images.
	 *
	 * @param array $row Row of the table.
	 * @return bool
	 */
	public function is_chosen( $row ) {
		$run = '' === $row['run'] ? null : $this->read( (int) $row['user_id'] );
		return $run && $run['id'] === $row['run'] && $run['ids'];
	}

	/**
	 * Returns true if the run of a task was stopped.
	 *
	 * @param array $row Row of the table.
	 * @return bool
	 */
	public function is_stopped( $row ) {
		$run = '' === $row['run'] ? null : $this->read( (int) $row['user_id'] );
		return $run && $run['id'] === $row['run'] && 'stopped' === $run['state'];
	}

	/**
	 * Hands the next images of a running run to the queue.
	 *
	 * @param bool $is_online False to leave out runs that need the service.
	 * @return bool True if there are further tasks.
	 */
	public function fill( $is_online = true ) {
		global $wpdb;
		foreach ( $wpdb->get_col( $wpdb->prepare( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::PREFIX ) . '%' ) ) as $name ) {
			$user = (int) substr( $name, strlen( self::PREFIX ) );
			$run  = $this->read( $user );
			if ( ! $run || 'running' !== $run['state'] || $run['filled'] || ( ! $is_online && 'optimize' === $run['kind'] ) ) {
				continue;
			}
			return true === $this->lock->once(
				'fill',
				function () use ( $user ) {
					return $this->fill_from( $user );
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
	private function fill_from( $user ) {
		$run = $this->read( $user );
		if ( ! $run || $run['filled'] ) {
			return (bool) $run;
		}
		wp_set_current_user( $user );
		if ( 'optimize' === $run['kind'] && ! $run['ids'] && 0 === (int) $run['cursor'] ) {
			$this->schedule->check( 2000, 10 );
		}
		$ids = $this->candidates->batch( $run['kind'], $run['options'], $run['ids'], $run['cursor'], self::BATCH );
		$this->queue->add( $ids, $run['kind'], time(), $user, $run['id'] );
		$this->move_cursor( $user, $run['id'], $ids ? min( $ids ) : $run['cursor'], count( $ids ) < self::BATCH );
		$now = $this->read( $user );
		if ( $now && $now['id'] === $run['id'] && 'running' !== $now['state'] ) {
			// Stopped meanwhile.
			$this->set_state( $now['state'], $now['reason'], $user );
		}
		return (bool) $ids;
	}

	/**
	 * Reads the stored run of a user, past the cache: other processes change it.
	 *
	 * @param int $user User.
	 * @return array|null
	 */
	private function read( $user ) {
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
	private function move_cursor( $user, $run, $cursor, $filled ) {
		update_option( self::CURSOR . $user, compact( 'run', 'cursor', 'filled' ), false );
	}

	/**
	 * Stores the run of a user.
	 *
	 * @param int   $user User.
	 * @param array $run  Run.
	 */
	private function write( $user, $run ) {
		update_option( self::PREFIX . $user, array_diff_key( $run, array_flip( array( 'cursor', 'filled' ) ) ), false );
	}
}
