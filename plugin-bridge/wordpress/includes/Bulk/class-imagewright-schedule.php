<?php
/**
 * Schedule of the queue.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Runs the worker without an open page: by Action Scheduler where a plugin brings it, else by WP-Cron.
 */
class Imagewright_Schedule {

	const HOOK = 'imagewright_work';

	/** Seconds of one slice. WP-Cron begins a new one each minute. */
	const SLICE = 50;

	/** Seconds of one slice in Action Scheduler, which limits a batch to 30 s. */
	const SHORT_SLICE = 20;

	/** Seconds after which a slice that did not return is followed by another. */
	const NET = 300;

	/** Registers the hooks. */
	public static function register() {
		add_action( self::HOOK, array( __CLASS__, 'slice' ) );
	}

	/** Plans the next slice at once. */
	public static function wake() {
		self::plan( time() );
	}

	/** Works for one slice and plans the next. */
	public static function slice() {
		// If PHP ends in this slice, another begins later.
		self::plan( time() + self::NET );
		Imagewright_Worker::run( self::has_action_scheduler() ? self::SHORT_SLICE : self::SLICE );
		$next = Imagewright_Queue::next();
		if ( $next > 0 || Imagewright_Runs::fill() ) {
			self::plan( max( time(), $next ) );
		} else {
			self::clear();
		}
	}

	/**
	 * Plans a slice, in the place of a planned one.
	 *
	 * @param int $time Unix time.
	 */
	private static function plan( $time ) {
		if ( self::has_action_scheduler() ) {
			if ( $time <= time() && as_has_scheduled_action( self::HOOK, null, 'imagewright' ) ) {
				as_unschedule_all_actions( self::HOOK, null, 'imagewright' );
			}
			as_schedule_single_action( $time, self::HOOK, array(), 'imagewright', true );
			return;
		}
		$planned = wp_next_scheduled( self::HOOK );
		if ( $planned && $planned <= $time && $planned > time() - self::NET ) {
			return;
		}
		wp_clear_scheduled_hook( self::HOOK );
		wp_schedule_single_event( $time, self::HOOK );
	}

	/** Removes the planned slices. */
	public static function clear() {
		if ( self::has_action_scheduler() ) {
			as_unschedule_all_actions( self::HOOK, null, 'imagewright' );
		}
		wp_clear_scheduled_hook( self::HOOK );
	}

	/**
	 * Returns true if a plugin brings Action Scheduler.
	 *
	 * @return bool
	 */
	private static function has_action_scheduler() {
		return function_exists( 'as_schedule_single_action' ) && function_exists( 'as_has_scheduled_action' );
	}
}
