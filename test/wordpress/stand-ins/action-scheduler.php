<?php
/**
 * Stand-in for Action Scheduler 3.9 (woocommerce/action-scheduler), which comes with WooCommerce: its functions and runner, with actions
 * in an option. As there, a unique action is refused while one of its hook and group is pending or running, only pending ones are
 * unscheduled, and the runner goes on as long as actions are due.
 */
defined( 'ABSPATH' ) || exit;

function stand_in_actions( $change = null ) {
	$actions = (array) get_option( 'stand_in_actions', array() );
	if ( $change ) {
		$actions = $change( $actions );
		update_option( 'stand_in_actions', $actions, false );
	}
	return $actions;
}

function stand_in_find( $hook, $group, $statuses ) {
	return array_filter(
		stand_in_actions(),
		static function ( $action ) use ( $hook, $group, $statuses ) {
			return $hook === $action['hook'] && in_array( $group, array( '', $action['group'] ), true ) && in_array( $action['status'], $statuses, true );
		}
	);
}

function as_schedule_single_action( $timestamp, $hook, $args = array(), $group = '', $unique = false, $priority = 10 ) {
	if ( $unique && stand_in_find( $hook, $group, array( 'pending', 'in-progress' ) ) ) {
		return 0;
	}
	$status  = 'pending';
	$actions = stand_in_actions(
		static function ( $actions ) use ( $timestamp, $hook, $group, $status ) {
			return array_merge( $actions, array( compact( 'timestamp', 'hook', 'group', 'status' ) ) );
		}
	);
	return count( $actions );
}

function as_unschedule_all_actions( $hook, $args = array(), $group = '' ) {
	$found = stand_in_find( $hook, $group, array( 'pending' ) );
	stand_in_actions(
		static function ( $actions ) use ( $found ) {
			foreach ( array_keys( $found ) as $number ) {
				$actions[ $number ]['status'] = 'canceled';
			}
			return $actions;
		}
	);
}

function as_has_scheduled_action( $hook, $args = null, $group = '' ) {
	return (bool) stand_in_find( $hook, $group, array( 'pending', 'in-progress' ) );
}

/** Runs due actions, at most `$most`, and returns their number. */
function stand_in_run( $hook, $most ) {
	for ( $count = 0; $count < $most; $count++ ) {
		$due = array_filter(
			stand_in_find( $hook, '', array( 'pending' ) ),
			static function ( $action ) {
				return $action['timestamp'] <= time();
			}
		);
		if ( ! $due ) {
			break;
		}
		$set = static function ( $status ) use ( $due ) {
			stand_in_actions(
				static function ( $actions ) use ( $due, $status ) {
					$actions[ key( $due ) ]['status'] = $status;
					return $actions;
				}
			);
		};
		$set( 'in-progress' );
		do_action( $hook );
		$set( 'complete' );
	}
	return $count;
}

/** Returns the time of the next pending action, or false. */
function stand_in_next( $hook ) {
	$times = array_column( stand_in_find( $hook, '', array( 'pending' ) ), 'timestamp' );
	return $times ? min( $times ) : false;
}
