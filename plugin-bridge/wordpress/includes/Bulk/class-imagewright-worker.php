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

	/** Statuses of errors that concern all images and pass by themselves. */
	const TEMPORARY = array( 0, 408, 429, 502, 503, 504, 507 );

	/** Statuses of errors that concern all images until a person acts: credits, permission, key. */
	const UNTIL_CHANGED = array( 402, 403, 424 );

	/** Seconds until an upload is tried again that waits for a person. */
	const LATER = HOUR_IN_SECONDS;

	/**
	 * Task in progress.
	 *
	 * @var array|null
	 */
	private static $current = null;

	/**
	 * Works until no task is due or the time is over. A task in progress is finished.
	 *
	 * @param int $seconds Seconds.
	 * @return int Number of finished tasks.
	 */
	public static function run( $seconds ) {
		ignore_user_abort( true );
		register_shutdown_function( array( __CLASS__, 'give_back_current' ) );
		$caller = get_current_user_id();
		$until  = microtime( true ) + $seconds;
		$count  = 0;
		while ( microtime( true ) < $until && ! self::lacks_memory() && ! Imagewright_Queue::paused_until() && Imagewright_Options::is_ready() ) {
			$row = Imagewright_Queue::take( Imagewright_Daily_Budget::allows() );
			if ( $row ) {
				self::$current = $row;
				self::work( $row );
				self::$current = null;
				++$count;
			} elseif ( ! Imagewright_Runs::fill() ) {
				break;
			}
		}
		wp_set_current_user( $caller );
		return $count;
	}

	/** Gives back the task on which PHP ended with a fatal error. The attempt counts. */
	public static function give_back_current() {
		if ( null !== self::$current ) {
			Imagewright_Queue::give_back( array( 'tries' => self::$current['tries'] + 1 ) + self::$current, 0 );
		}
	}

	/**
	 * Works on one task in the name of its user.
	 *
	 * @param array $row Row of the table.
	 */
	private static function work( $row ) {
		$id = (int) $row['attachment_id'];
		wp_set_current_user( (int) $row['user_id'] );
		if ( ! get_post( $id ) ) {
			Imagewright_Index::remove( $id );
			return;
		}
		if ( 'new' === $row['task'] && Imagewright_Shared::gather( $id )[0] !== $id ) {
			// Another attachment with this file leads, and has a task of its own.
			Imagewright_Queue::finish( $id );
			return;
		}
		if ( 'new' === $row['task'] && ! Imagewright_Uploads::is_complete( $id ) ) {
			Imagewright_Queue::give_back( $row, 10 );
			return;
		}
		$done = Imagewright_Lock::with(
			$id,
			static function () use ( $id, $row ) {
				if ( $row['tries'] > Imagewright_Queue::MAX_TRIES ) {
					return self::give_up( $id, $row['tries'] );
				}
				return self::act( $id, $row );
			}
		);
		self::settle( $row, $done );
		self::free_memory( $id );
	}

	/**
	 * Optimizes or restores an attachment, or deletes its originals. The caller holds its lock.
	 *
	 * @param int   $id  Attachment.
	 * @param array $row Row of the table.
	 * @return mixed WP_Error on failure.
	 */
	private static function act( $id, $row ) {
		if ( ! Imagewright_Shared::may_change( $id ) ) {
			return Imagewright_Rest_Errors::make( 'may_not_change', __( 'The user who started this may not change the image.', 'imagewright' ), 422 );
		}
		if ( 'restore' === $row['task'] ) {
			return Imagewright_Restoration::run( $id, false );
		}
		if ( 'discard' === $row['task'] ) {
			return Imagewright_Backups::discard( $id );
		}
		if ( ! Imagewright_Access::may_spend() ) {
			return Imagewright_Access::refusal();
		}
		$excluded = Imagewright_Runs::is_chosen( $row ) ? null : Imagewright_Exclusions::refusal( $id );
		if ( $excluded ) {
			return $excluded;
		}
		$options = Imagewright_Runs::options_of( $row );
		return Imagewright_Optimization::run(
			$id,
			array(
				'format'    => $options['format'],
				'preset'    => $options['preset'],
				'fill_text' => $options['fillText'],
				'free'      => 'outdated' === $row['status'],
			)
		);
	}

	/**
	 * Ends a task, or gives it back if another attempt may succeed.
	 *
	 * @param array $row  Row of the table.
	 * @param mixed $done Outcome.
	 */
	private static function settle( $row, $done ) {
		$id     = (int) $row['attachment_id'];
		$status = is_wp_error( $done ) ? (int) ( ( (array) $done->get_error_data() )['status'] ?? 500 ) : 200;
		if ( is_wp_error( $done ) && 'imagewright_busy' === $done->get_error_code() ) {
			Imagewright_Queue::give_back( $row, 15 );
		} elseif ( is_wp_error( $done ) && 'imagewright_bad_download' === $done->get_error_code() && $row['tries'] < Imagewright_Queue::MAX_TRIES ) {
			// The attempt counts.
			Imagewright_Queue::give_back( array( 'tries' => $row['tries'] + 1 ) + $row, 5 );
		} elseif ( in_array( $status, self::TEMPORARY, true ) ) {
			Imagewright_Queue::give_back( $row, 0 );
			Imagewright_Queue::pause( $done );
		} elseif ( in_array( $status, self::UNTIL_CHANGED, true ) ) {
			Imagewright_Queue::give_back( $row, '' === $row['run'] ? self::LATER : 0 );
			self::stop( $row, $done );
		} else {
			if ( is_wp_error( $done ) ) {
				Imagewright_State::note_failure( $id, $done, Imagewright_Eligibility::settings( Imagewright_Runs::options_of( $row ) ) );
			}
			if ( 'new' === $row['task'] && ! is_wp_error( $done ) && empty( $done['skipped'] ) ) {
				Imagewright_Daily_Budget::add( 1 );
			}
			Imagewright_Queue::finish( $id );
			Imagewright_Queue::go_on();
		}
	}

	/**
	 * Stops the run of a task, or lets all uploads wait if the task is of an upload.
	 *
	 * @param array    $row   Row of the table.
	 * @param WP_Error $error Reason.
	 */
	private static function stop( $row, $error ) {
		global $wpdb;
		if ( '' === $row['run'] ) {
			Imagewright_Index::change( $wpdb->prepare( "due = %d, code = %s, message = %s WHERE task = 'new' AND user_id = %d AND due <= %d", time() + self::LATER, $error->get_error_code(), $error->get_error_message(), $row['user_id'], time() ) );
			return;
		}
		$reason = array(
			'code'    => (string) $error->get_error_code(),
			'message' => $error->get_error_message(),
		);
		Imagewright_Runs::set_state( 'stopped', $reason, (int) $row['user_id'] );
	}

	/**
	 * Gives an image up on which PHP ended several times, and undoes what it left. If that ends PHP too, the next attempt skips it.
	 *
	 * @param int $id    Attachment.
	 * @param int $tries Attempts.
	 * @return WP_Error
	 */
	private static function give_up( $id, $tries ) {
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' !== $state['status'] && Imagewright_Queue::MAX_TRIES + 1 === $tries ) {
			Imagewright_Restoration::put_back( $id, $state, true );
		}
		return Imagewright_Rest_Errors::make( 'gave_up', __( 'Two attempts with this image were interrupted: the server may lack memory or time for it, or its download gets damaged.', 'imagewright' ), 422 );
	}

	/**
	 * Returns true if most of PHP's memory is in use.
	 *
	 * @return bool
	 */
	private static function lacks_memory() {
		$limit = wp_convert_hr_to_bytes( (string) ini_get( 'memory_limit' ) );
		return $limit > 0 && memory_get_usage( true ) > 0.8 * $limit;
	}

	/**
	 * Removes an attachment from the caches of this process, which may work on thousands.
	 *
	 * @param int $id Attachment.
	 */
	private static function free_memory( $id ) {
		clean_post_cache( $id );
		if ( function_exists( 'wp_cache_flush_runtime' ) ) {
			wp_cache_flush_runtime();
		}
	}
}
