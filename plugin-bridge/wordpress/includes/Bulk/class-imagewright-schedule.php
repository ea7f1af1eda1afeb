<?php
/**
 * Work without an open page: the worker of a run and the nightly check.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Wakes the worker without an open page: by Action Scheduler where a plugin brings it, else by WP-Cron. Compares states with files each
 * night, a sample at a time, those first that were not compared for longest, corrects what is wrong, and says so in Site Health.
 */
class Imagewright_Schedule {

	const HOOK = 'imagewright_check';

	/** Option: `at` (Unix time), `checked`, `wrong`. */
	const OPTION = 'imagewright_checked';

	/** Attachments of a night. */
	const SAMPLE = 200;

	/** Longest time of a check, in seconds. */
	const SECONDS = 20;

	/** Attachments that are read at once. */
	const BATCH = 50;

	const WORK = 'imagewright_work';

	/** Seconds after which a slice that did not return is followed by another. */
	const NET = 300;

	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** States compared with the files that pages get. */
	private Imagewright_Truth $truth;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Records of images. */
	private Imagewright_State $state;
	/** Other plugins that deliver smaller files. */
	private Imagewright_Neighbours $neighbours;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Gathering $gathering Attachments that come to share a file.
	 * @param Imagewright_Truth     $truth     States compared with the files that pages get.
	 * @param Imagewright_Index     $index     Rows of images.
	 * @param Imagewright_State     $state     Records of images.
	 * @param Imagewright_Neighbours $neighbours Other plugins that deliver smaller files.
	 */
	public function __construct(
		Imagewright_Gathering $gathering,
		Imagewright_Truth $truth,
		Imagewright_Index $index,
		Imagewright_State $state,
		Imagewright_Neighbours $neighbours
	) {
		$this->gathering = $gathering;
		$this->truth     = $truth;
		$this->index     = $index;
		$this->state     = $state;
		$this->neighbours = $neighbours;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( self::HOOK, array( __CLASS__, 'run' ) );
		// Tasks may have waited for a key, an address or credits of the day.
		foreach ( array( Imagewright_Options::SETTINGS, Imagewright_Options::KEY ) as $option ) {
			$hooks->action( "add_option_$option", array( __CLASS__, 'wake' ) );
			$hooks->action( "update_option_$option", array( __CLASS__, 'wake' ) );
		}
	}

	/** Plans the check of each night. */
	public function plan() {
		if ( ! wp_next_scheduled( self::HOOK ) ) {
			wp_schedule_event( time() + HOUR_IN_SECONDS, 'daily', self::HOOK );
		}
	}

	/** Stops the checks. */
	public function clear() {
		wp_clear_scheduled_hook( self::HOOK );
	}

	/**
	 * Checks a sample. If a state was wrong, many may be: another sample follows at once, as long as there is time. Wakes the worker too: the
	 * configuration of the server may have a key again.
	 */
	public function run() {
		$this->gathering->gather_all();
		$until = microtime( true ) + self::SECONDS;
		$sum   = array(
			'at'      => time(),
			'checked' => 0,
			'wrong'   => 0,
		);
		do {
			$found           = $this->check( self::SAMPLE, max( 0.1, $until - microtime( true ) ), $sum['at'] + 1 );
			$sum['checked'] += $found['checked'];
			$sum['wrong']   += $found['wrong'];
		} while ( $found['wrong'] > 0 && self::SAMPLE === $found['checked'] && microtime( true ) < $until );
		update_option( self::OPTION, $sum, false );
		$this->wake();
	}

	/**
	 * Compares states with files.
	 *
	 * @param int   $limit   Most attachments.
	 * @param float $seconds Longest time.
	 * @param int   $before  Only those that were last compared before this time; 0 for all.
	 * @return array{checked:int,wrong:int}
	 */
	public function check( $limit, $seconds, $before = 0 ) {
		$until   = microtime( true ) + $seconds;
		$checked = 0;
		$wrong   = 0;
		$seen    = array();
		while ( $checked < $limit && microtime( true ) < $until ) {
			$ids = array_diff( $this->next( min( self::BATCH, $limit - $checked ), $before > 0 ? $before : time() + 1 ), $seen );
			if ( ! $ids ) {
				break;
			}
			$seen = array_merge( $seen, $ids );
			_prime_post_caches( $ids, false, true );
			foreach ( $ids as $id ) {
				if ( microtime( true ) > $until ) {
					break;
				}
				$wrong += '' === $this->truth->correct( $id ) ? 0 : 1;
				++$checked;
			}
		}
		return compact( 'checked', 'wrong' );
	}

	/**
	 * Compares the states of chosen attachments with their files.
	 *
	 * @param int[] $ids     Attachments.
	 * @param float $seconds Longest time.
	 */
	public function check_these( $ids, $seconds ) {
		$until = microtime( true ) + $seconds;
		foreach ( $this->state->leads( $ids ) as $id ) {
			if ( microtime( true ) > $until ) {
				break;
			}
			$this->truth->correct( $id );
		}
	}

	/**
	 * Lists the next attachments to compare: those with optimized files, and those that another host served. Where pages may get files
	 * from another host, also images that nothing is known of.
	 *
	 * @param int $limit  Most attachments.
	 * @param int $before Unix time.
	 * @return int[]
	 */
	private function next( $limit, $before ) {
		$ids = $this->index->least_checked( $before, $limit );
		// Only a filter can send files elsewhere, or show others.
		return count( $ids ) < $limit && ( has_filter( 'wp_get_attachment_url' ) || $this->neighbours->may_hide() ) ? array_merge( $ids, $this->index->without_row( $limit - count( $ids ) ) ) : $ids;
	}

	/** Plans the next slice at once. */
	public function wake() {
		$this->plan_work( time() );
	}

	/**
	 * Plans a slice, in the place of a planned one.
	 *
	 * @param int $time Unix time.
	 */
	public function plan_work( $time ) {
		if ( $this->has_action_scheduler() ) {
			as_unschedule_all_actions( self::WORK, null, 'imagewright' );
			// Not as a unique action: the running one counts, so that no slice could plan the next.
			as_schedule_single_action( $time, self::WORK, array(), 'imagewright' );
			return;
		}
		$planned = wp_next_scheduled( self::WORK );
		if ( $planned && $planned <= $time && $planned > time() - self::NET ) {
			return;
		}
		wp_clear_scheduled_hook( self::WORK );
		wp_schedule_single_event( $time, self::WORK );
	}

	/** Removes the planned slices. */
	public function clear_work() {
		if ( $this->has_action_scheduler() ) {
			as_unschedule_all_actions( self::WORK, null, 'imagewright' );
		}
		wp_clear_scheduled_hook( self::WORK );
	}

	/**
	 * Returns true if a plugin brings Action Scheduler.
	 *
	 * @return bool
	 */
	public function has_action_scheduler() {
		return function_exists( 'as_schedule_single_action' ) && function_exists( 'as_unschedule_all_actions' );
	}
}
