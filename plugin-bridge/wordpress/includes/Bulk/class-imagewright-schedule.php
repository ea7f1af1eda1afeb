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

	/** Seconds after which a slice that did not return is followed by another. */
	const NET = 300;

	/** Plans the next slice at once. */
	public function wake() {
		$this->plan( time() );
	}

	/**
	 * Plans a slice, in the place of a planned one.
	 *
	 * @param int $time Unix time.
	 */
	public function plan( $time ) {
		if ( $this->has_action_scheduler() ) {
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
	public function clear() {
		if ( $this->has_action_scheduler() ) {
			as_unschedule_all_actions( self::HOOK, null, 'imagewright' );
		}
		wp_clear_scheduled_hook( self::HOOK );
	}

	/**
	 * Returns true if a plugin brings Action Scheduler.
	 *
	 * @return bool
	 */
	public function has_action_scheduler() {
		return function_exists( 'as_schedule_single_action' ) && function_exists( 'as_has_scheduled_action' );
	}
}
