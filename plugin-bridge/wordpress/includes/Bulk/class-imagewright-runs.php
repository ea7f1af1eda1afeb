<?php
/**
 * Bulk runs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Remembers what a user set out to do with many images. What is done already stands in the attachments themselves, so tabs
 * can be closed, and two of them can share the work, without anything to keep in step.
 */
class Imagewright_Runs {

	/** Behind the prefix of the site: ids of one site of a network are other images on the next one. */
	const META = 'imagewright_run';
	/** Code of the error that says that a run does not go on. */
	const STOPPED = 'run_stopped';

	/**
	 * Starts a run and forgets the one before.
	 *
	 * @param string $kind    `optimize` or `restore`.
	 * @param int[]  $ids     Attachments; empty for all that it applies to.
	 * @param array  $options `format`, `preset`, `fillText`.
	 * @return array The run, as current() shows it.
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
	 * The current user's run, or null.
	 *
	 * @return array|null
	 */
	public static function current() {
		$run = self::read();
		return $run ? self::show( $run ) : null;
	}

	/**
	 * Stops or goes on with a run.
	 *
	 * @param string     $state  `running` or `stopped`.
	 * @param array|null $reason Why it stopped: `code`, `message`.
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
	 * Whether a run of the current user may still begin with an image: another window may have stopped or closed it.
	 *
	 * @param string $id Id of the run.
	 * @return bool
	 */
	public static function is_running( $id ) {
		$run = self::read();
		return $run && $run['id'] === $id && 'running' === $run['state'];
	}

	/** Forgets the run. What it did stays. */
	public static function forget() {
		delete_user_meta( get_current_user_id(), self::key() );
	}

	/**
	 * Where the run is stored.
	 *
	 * @return string
	 */
	private static function key() {
		global $wpdb;
		return $wpdb->get_blog_prefix() . self::META;
	}

	/**
	 * The stored run, or null.
	 *
	 * @return array|null
	 */
	private static function read() {
		$run = get_user_meta( get_current_user_id(), self::key(), true );
		return is_array( $run ) ? $run : null;
	}

	/**
	 * A run with what has come of it, read from the attachments.
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
