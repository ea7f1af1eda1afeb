<?php
/**
 * Bulk runs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Stores the bulk run of a user. The progress is read from the attachments, so tabs can be closed and two tabs can share a run.
 */
class Imagewright_Runs {

	/** Key of the user metadata, after the prefix of the site: each site of a network has its own attachment ids. */
	const META = 'imagewright_run';
	/** Error code for a run that was stopped or closed. */
	const STOPPED = 'run_stopped';

	/**
	 * Starts a run and replaces the previous one.
	 *
	 * @param string $kind    `optimize` or `restore`.
	 * @param int[]  $ids     Attachments; empty for all eligible ones.
	 * @param array  $options `format`, `preset`, `fillText`.
	 * @return array The run in the form of current().
	 */
	public static function start( $kind, $ids, $options ) {
		if ( ! $ids ) {
			$ids = 'optimize' === $kind ? Imagewright_Eligibility::filter( Imagewright_Library::ids( 'any' ), $options ) : Imagewright_Library::ids( 'optimized' );
		}
		$run = array(
			'id'      => wp_generate_uuid4(),
			'kind'    => $kind,
			'ids'     => array_values( array_filter( array_map( 'intval', $ids ), array( 'Imagewright_Library', 'may_change' ) ) ),
			'options' => $options,
			'state'   => 'running',
			'reason'  => null,
			'at'      => time(),
		);
		update_user_meta( get_current_user_id(), self::key(), wp_slash( $run ) );
		return self::show( $run );
	}

	/**
	 * Returns the current user's run, or null.
	 *
	 * @return array|null
	 */
	public static function current() {
		$run = self::read();
		return $run ? self::show( $run ) : null;
	}

	/**
	 * Stops or resumes a run.
	 *
	 * @param string     $state  `running` or `stopped`.
	 * @param array|null $reason Reason of the stop: `code`, `message`.
	 * @return array|null
	 */
	public static function set_state( $state, $reason ) {
		$run = self::read();
		if ( ! $run ) {
			return null;
		}
		$run['state']  = $state;
		$run['reason'] = $reason;
		update_user_meta( get_current_user_id(), self::key(), wp_slash( $run ) );
		return self::show( $run );
	}

	/**
	 * Returns true if the run is the current one and was not stopped. Another window may have stopped or closed it.
	 *
	 * @param string $id Id of the run.
	 * @return bool
	 */
	public static function is_running( $id ) {
		$run = self::read();
		return $run && $run['id'] === $id && 'running' === $run['state'];
	}

	/** Deletes the run. Its optimized images stay. */
	public static function forget() {
		delete_user_meta( get_current_user_id(), self::key() );
	}

	/**
	 * Returns the key of the user metadata.
	 *
	 * @return string
	 */
	private static function key() {
		global $wpdb;
		return $wpdb->get_blog_prefix() . self::META;
	}

	/**
	 * Reads the stored run, or null.
	 *
	 * @return array|null
	 */
	private static function read() {
		$run = get_user_meta( get_current_user_id(), self::key(), true );
		return is_array( $run ) ? $run : null;
	}

	/**
	 * Adds the progress to a run, read from the attachments.
	 *
	 * @param array $run Stored run.
	 * @return array
	 */
	private static function show( $run ) {
		update_meta_cache( 'post', $run['ids'] );
		_prime_post_caches( $run['ids'], false, false );
		$remaining = array();
		$failed    = array();
		$bytes     = array(
			'before' => 0,
			'after'  => 0,
		);
		foreach ( $run['ids'] as $id ) {
			if ( ! get_post( $id ) ) {
				continue;
			}
			$state   = Imagewright_State::get( $id );
			$failure = Imagewright_State::failure( $id );
			$is_done = 'optimize' === $run['kind'] ? $state && 'optimized' === $state['status'] : ! $state;
			if ( $failure && $failure['run'] === $run['id'] ) {
				$failed[] = array(
					'id'      => $id,
					'title'   => Imagewright_Texts::title( $id ),
					'code'    => $failure['code'],
					'message' => $failure['message'],
				);
			} elseif ( $is_done ) {
				$bytes['before'] += (int) ( $state['bytes']['before'] ?? 0 );
				$bytes['after']  += (int) ( $state['bytes']['after'] ?? 0 );
			} else {
				$remaining[] = $id;
			}
		}
		$total = count( $run['ids'] );
		return array(
			'id'        => $run['id'],
			'kind'      => $run['kind'],
			'options'   => $run['options'],
			'state'     => $remaining ? $run['state'] : 'done',
			'reason'    => $run['reason'],
			'total'     => $total,
			'done'      => $total - count( $remaining ) - count( $failed ),
			'failed'    => $failed,
			'remaining' => $remaining,
			'bytes'     => $bytes,
		);
	}
}
