<?php
/**
 * Tasks of the queue.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Does a task of the queue in the name of its user, and decides what its outcome means for the others.
 */
class Imagewright_Task {

	/** Statuses of errors that concern all images and pass by themselves. */
	const TEMPORARY = array( 0, 408, 429, 502, 503, 504, 507 );

	/** Statuses of errors that concern all images until a person acts: credits, permission, key. */
	const UNTIL_CHANGED = array( 402, 403, 424 );

	/** Seconds until an upload is tried again that waits for a person. */
	const LATER = HOUR_IN_SECONDS;

	/** Rows of images. */
	private Imagewright_Index $index;
	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** Queue of tasks. */
	private Imagewright_Queue $queue;
	/** New uploads. */
	private Imagewright_Uploads $uploads;
	/** Checkpoints of optimizations. */
	private Imagewright_Checkpoint $checkpoint;
	/** Records of images. */
	private Imagewright_State $state;
	/** Restoration of attachments. */
	private Imagewright_Restoration $restoration;
	/** Replacement of an attachment's files. */
	private Imagewright_Replacement $replacement;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Bulk runs. */
	private Imagewright_Runs $runs;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Optimization of one attachment. */
	private Imagewright_Optimization $optimization;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Index        $index        Rows of images.
	 * @param Imagewright_Gathering    $gathering    Attachments that come to share a file.
	 * @param Imagewright_Queue        $queue        Queue of tasks.
	 * @param Imagewright_Uploads      $uploads      New uploads.
	 * @param Imagewright_Checkpoint   $checkpoint   Checkpoints of optimizations.
	 * @param Imagewright_State        $state        Records of images.
	 * @param Imagewright_Restoration  $restoration  Restoration of attachments.
	 * @param Imagewright_Replacement  $replacement  Replacement of an attachment's files.
	 * @param Imagewright_Access       $access       Permissions of users.
	 * @param Imagewright_Runs         $runs         Bulk runs.
	 * @param Imagewright_Exclusions   $exclusions   Images that are left out, and failures.
	 * @param Imagewright_Optimization $optimization Optimization of one attachment.
	 * @param Imagewright_Eligibility  $eligibility  Eligibility for an export.
	 */
	public function __construct(
		Imagewright_Index $index,
		Imagewright_Gathering $gathering,
		Imagewright_Queue $queue,
		Imagewright_Uploads $uploads,
		Imagewright_Checkpoint $checkpoint,
		Imagewright_State $state,
		Imagewright_Restoration $restoration,
		Imagewright_Replacement $replacement,
		Imagewright_Access $access,
		Imagewright_Runs $runs,
		Imagewright_Exclusions $exclusions,
		Imagewright_Optimization $optimization,
		Imagewright_Eligibility $eligibility
	) {
		$this->index        = $index;
		$this->gathering    = $gathering;
		$this->queue        = $queue;
		$this->uploads      = $uploads;
		$this->checkpoint   = $checkpoint;
		$this->state        = $state;
		$this->restoration  = $restoration;
		$this->replacement  = $replacement;
		$this->access       = $access;
		$this->runs         = $runs;
		$this->exclusions   = $exclusions;
		$this->optimization = $optimization;
		$this->eligibility  = $eligibility;
	}

	/**
	 * Works on one task in the name of its user.
	 *
	 * @param array $row Row of the table.
	 */
	public function run( $row ) {
		$id = (int) $row['attachment_id'];
		wp_set_current_user( (int) $row['user_id'] );
		if ( ! get_post( $id ) ) {
			$this->index->remove( $id );
			return;
		}
		if ( 'new' === $row['task'] && $this->gathering->gather( $id )[0] !== $id ) {
			// Another attachment with this file leads, and has a task of its own.
			$this->queue->finish( $id );
			return;
		}
		if ( 'new' === $row['task'] && ! $this->uploads->is_complete( $id ) ) {
			$this->give_back( $row, 10 );
			return;
		}
		$done = $this->checkpoint->exclusively(
			$id,
			function () use ( $id, $row ) {
				if ( $row['tries'] > Imagewright_Queue::MAX_TRIES ) {
					return $this->give_up( $id, $row['tries'] );
				}
				return $this->act( $id, $row );
			}
		);
		$this->settle( $row, $done );
		$this->free_memory( $id );
	}

	/**
	 * Optimizes or restores an attachment, or deletes its originals. The caller holds its lock.
	 *
	 * @param int   $id  Attachment.
	 * @param array $row Row of the table.
	 * @return mixed WP_Error on failure.
	 */
	private function act( $id, $row ) {
		if ( ! $this->state->may_change( $id ) ) {
			return Imagewright_Rest_Errors::make( 'may_not_change', __( 'The user who started this may not change the image.', 'imagewright' ), 422 );
		}
		if ( 'restore' === $row['task'] ) {
			return $this->restoration->run( $id, false );
		}
		if ( 'discard' === $row['task'] ) {
			return $this->replacement->discard( $id );
		}
		if ( ! $this->access->may_spend() ) {
			return $this->access->refusal();
		}
		$excluded = $this->runs->is_chosen( $row ) ? null : $this->exclusions->refusal( $id );
		if ( $excluded ) {
			return $excluded;
		}
		$options = $this->runs->options_of( $row );
		return $this->optimization->run(
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
	private function settle( $row, $done ) {
		$id     = (int) $row['attachment_id'];
		$status = is_wp_error( $done ) ? (int) ( ( (array) $done->get_error_data() )['status'] ?? 500 ) : 200;
		if ( is_wp_error( $done ) && 'imagewright_busy' === $done->get_error_code() ) {
			$this->give_back( $row, 15 );
		} elseif ( is_wp_error( $done ) && 'imagewright_bad_download' === $done->get_error_code() && $row['tries'] < Imagewright_Queue::MAX_TRIES ) {
			// The attempt counts.
			$this->give_back( array( 'tries' => $row['tries'] + 1 ) + $row, 5 );
		} elseif ( in_array( $status, self::TEMPORARY, true ) ) {
			$this->give_back( $row, 0 );
			$this->queue->pause( $done );
		} elseif ( in_array( $status, self::UNTIL_CHANGED, true ) ) {
			$this->give_back( $row, '' === $row['run'] ? self::LATER : 0 );
			$this->stop( $row, $done );
		} else {
			if ( is_wp_error( $done ) ) {
				$this->exclusions->note_failure( $id, $done, $this->eligibility->settings( $this->runs->options_of( $row ) ) );
			}
			if ( 'new' === $row['task'] ) {
				$details = is_wp_error( $done ) ? ( (array) $done->get_error_data() )['details'] ?? array() : $done;
				$this->uploads->count( (int) ( $details['charged'] ?? 0 ) );
			}
			$this->queue->finish( $id );
			if ( ! in_array( $row['task'], array( 'restore', 'discard' ), true ) ) {
				// The service has responded.
				$this->queue->go_on();
			}
		}
	}

	/**
	 * Stops the run of a task, or lets all uploads wait if the task is of an upload.
	 *
	 * @param array    $row   Row of the table.
	 * @param WP_Error $error Reason.
	 */
	private function stop( $row, $error ) {
		if ( '' === $row['run'] ) {
			$this->queue->delay_uploads( (int) $row['user_id'], $error, self::LATER );
			return;
		}
		$reason = array(
			'code'    => (string) $error->get_error_code(),
			'message' => $error->get_error_message(),
		);
		$this->runs->set_state( 'stopped', $reason, (int) $row['user_id'] );
	}

	/**
	 * Gives an image up on which PHP ended several times, and undoes what it left. If that ends PHP too, the next attempt skips it.
	 *
	 * @param int $id    Attachment.
	 * @param int $tries Attempts.
	 * @return WP_Error
	 */
	private function give_up( $id, $tries ) {
		$state = $this->state->get( $id );
		if ( $state && 'optimized' !== $state['status'] && Imagewright_Queue::MAX_TRIES + 1 === $tries ) {
			$this->restoration->put_back( $id, $state, true );
		}
		return Imagewright_Rest_Errors::make( 'gave_up', __( 'Two attempts with this image were interrupted: the server may lack memory or time for it, or its download gets damaged.', 'imagewright' ), 422 );
	}

	/**
	 * Gives a task back. One of a stopped run waits until that is resumed.
	 *
	 * @param array $row     Row of the table.
	 * @param int   $seconds Seconds until it is due.
	 */
	public function give_back( $row, $seconds ) {
		$this->queue->give_back( $row, $seconds, $this->runs->is_stopped( $row ) );
	}

	/**
	 * Removes an attachment from the caches of this process, which may work on thousands.
	 *
	 * @param int $id Attachment.
	 */
	private function free_memory( $id ) {
		clean_post_cache( $id );
		if ( function_exists( 'wp_cache_flush_runtime' ) ) {
			wp_cache_flush_runtime();
		}
	}
}
