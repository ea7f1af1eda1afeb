<?php
/**
 * Worker of the queue.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Works on the tasks of the queue for some time: in WP-Cron, Action Scheduler, WP-CLI, or a request of an open page.
 */
class Imagewright_Worker {

	/** Seconds of one slice. WP-Cron begins a new one each minute. */
	const SLICE = 50;

	/** Seconds of one slice in Action Scheduler, which limits a batch to 30 s. */
	const SHORT_SLICE = 20;

	/**
	 * Task in progress.
	 *
	 * @var array|null
	 */
	private $current = null;

	/** Queue of tasks. */
	private Imagewright_Queue $queue;
	/** Settings. */
	private Imagewright_Options $options;
	/** New uploads. */
	private Imagewright_Uploads $uploads;
	/** Tasks of the queue. */
	private Imagewright_Task $task;
	/** Bulk runs. */
	private Imagewright_Runs $runs;
	/** Schedule of the queue and of the nightly check. */
	private Imagewright_Schedule $schedule;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Queue    $queue    Queue of tasks.
	 * @param Imagewright_Options  $options  Settings.
	 * @param Imagewright_Uploads  $uploads  New uploads.
	 * @param Imagewright_Task     $task     Tasks of the queue.
	 * @param Imagewright_Runs     $runs     Bulk runs.
	 * @param Imagewright_Schedule $schedule Schedule of the queue and of the nightly check.
	 */
	public function __construct(
		Imagewright_Queue $queue,
		Imagewright_Options $options,
		Imagewright_Uploads $uploads,
		Imagewright_Task $task,
		Imagewright_Runs $runs,
		Imagewright_Schedule $schedule
	) {
		$this->queue    = $queue;
		$this->options  = $options;
		$this->uploads  = $uploads;
		$this->task     = $task;
		$this->runs     = $runs;
		$this->schedule = $schedule;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( Imagewright_Schedule::WORK, array( __CLASS__, 'slice' ) );
	}

	/**
	 * Works until no task is due or the time is over. A task in progress is finished. Without a service, images are restored and originals
	 * deleted all the same.
	 *
	 * @param int $seconds Seconds.
	 * @return int Number of finished tasks.
	 */
	public function run( $seconds ) {
		ignore_user_abort( true );
		register_shutdown_function( array( $this, 'give_back_current' ) );
		$caller = get_current_user_id();
		$until  = microtime( true ) + $seconds;
		$count  = 0;
		while ( microtime( true ) < $until && ! $this->lacks_memory() ) {
			$is_online = $this->options->is_ready() && ! $this->queue->paused_until();
			$row       = $this->queue->take( $this->uploads->within_budget(), $is_online );
			if ( $row ) {
				$this->current = $row;
				$this->task->run( $row );
				$this->current = null;
				++$count;
			} elseif ( ! $this->runs->fill( $is_online ) ) {
				break;
			}
		}
		wp_set_current_user( $caller );
		return $count;
	}

	/** Gives back the task on which PHP ended with a fatal error. The attempt counts. */
	public function give_back_current() {
		if ( null !== $this->current ) {
			$this->task->give_back( array( 'tries' => $this->current['tries'] + 1 ) + $this->current, 0 );
		}
	}

	/**
	 * Returns true if most of PHP's memory is in use.
	 *
	 * @return bool
	 */
	private function lacks_memory() {
		$limit = wp_convert_hr_to_bytes( (string) ini_get( 'memory_limit' ) );
		return $limit > 0 && memory_get_usage( true ) > 0.8 * $limit;
	}

	/** Works for one slice and plans the next. */
	public function slice() {
		// If PHP ends in this slice, another begins later.
		$this->schedule->plan_work( time() + Imagewright_Schedule::NET );
		$count = $this->run( $this->schedule->has_action_scheduler() ? self::SHORT_SLICE : self::SLICE );
		if ( 0 === $this->next( $count ) ) {
			$this->runs->fill( $this->options->is_ready() );
		}
		$this->schedule->clear_work();
		// Read afterwards: an upload may have planned a slice meanwhile.
		$next = $this->next( $count );
		if ( $next > 0 ) {
			$this->schedule->plan_work( $next );
		}
	}

	/**
	 * Returns the time of the next slice, or 0 if there is nothing to do: no task, or none without a key.
	 *
	 * @param int $count Tasks that this slice has finished.
	 * @return int Unix time.
	 */
	private function next( $count ) {
		$due = $this->queue->next( $this->uploads->within_budget(), $this->options->is_ready() );
		// What this slice could not begin, e.g. for lack of memory, the next one cannot at once.
		$soon = time() + ( $count > 0 ? 0 : MINUTE_IN_SECONDS );
		return $due > 0 && $due <= time() ? $soon : $due;
	}
}
