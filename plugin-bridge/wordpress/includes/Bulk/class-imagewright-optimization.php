<?php
/**
 * Optimization of one attachment.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Sends, exports and replaces in one request, so that closing the tab does not interrupt an image. Stores a checkpoint first:
 * a repeated request resumes the same export instead of paying for another.
 */
class Imagewright_Optimization {

	/** Errors that do not change with another attempt on the same result. */
	const VERDICTS = array( 'source_changed', 'other_image', 'no_result', 'unknown_type', 'not_an_export' );

	/** Records of images. */
	private Imagewright_State $state;
	/** States compared with the files that pages get. */
	private Imagewright_Truth $truth;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Restoration of attachments. */
	private Imagewright_Restoration $restoration;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Settings. */
	private Imagewright_Options $options;
	/** Checkpoints of optimizations. */
	private Imagewright_Checkpoint $checkpoint;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;
	/** Replacement of an attachment's files. */
	private Imagewright_Replacement $replacement;
	/** Description of one image. */
	private Imagewright_Description $description;
	/** Results of exports, and their files. */
	private Imagewright_Result $result;
	/** Files that pages show. */
	private Imagewright_Shown $shown;
	/** Image sizes of the site. */
	private Imagewright_Sizes $sizes;
	/** Pictures that other programs replaced. */
	private Imagewright_Former $former;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Truth       $truth       States compared with the files that pages get.
	 * @param Imagewright_Index       $index       Rows of images.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Restoration $restoration Restoration of attachments.
	 * @param Imagewright_Snapshot    $snapshot    Snapshots of attachments.
	 * @param Imagewright_Options     $options     Settings.
	 * @param Imagewright_Checkpoint  $checkpoint  Checkpoints of optimizations.
	 * @param Imagewright_Sessions    $sessions    Ownership of sessions and jobs.
	 * @param Imagewright_Replacement $replacement Replacement of an attachment's files.
	 * @param Imagewright_Description $description Description of one image.
	 * @param Imagewright_Result      $result      Results of exports, and their files.
	 * @param Imagewright_Shown       $shown       Files that pages show.
	 * @param Imagewright_Sizes       $sizes       Image sizes of the site.
	 * @param Imagewright_Former      $former      Pictures that other programs replaced.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Truth $truth,
		Imagewright_Index $index,
		Imagewright_Eligibility $eligibility,
		Imagewright_Restoration $restoration,
		Imagewright_Snapshot $snapshot,
		Imagewright_Options $options,
		Imagewright_Checkpoint $checkpoint,
		Imagewright_Sessions $sessions,
		Imagewright_Replacement $replacement,
		Imagewright_Description $description,
		Imagewright_Result $result,
		Imagewright_Shown $shown,
		Imagewright_Sizes $sizes,
		Imagewright_Former $former
	) {
		$this->state       = $state;
		$this->truth       = $truth;
		$this->index       = $index;
		$this->eligibility = $eligibility;
		$this->restoration = $restoration;
		$this->snapshot    = $snapshot;
		$this->options     = $options;
		$this->checkpoint  = $checkpoint;
		$this->sessions    = $sessions;
		$this->replacement = $replacement;
		$this->description = $description;
		$this->result      = $result;
		$this->shown       = $shown;
		$this->sizes       = $sizes;
		$this->former      = $former;
	}

	/**
	 * Optimizes an attachment. The caller holds its lock.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`, `fill_text`, `allow_larger`, `again` (true to optimize an optimized image again), `free` (true
	 *                       to only put right what needs no export).
	 * @return array|WP_Error The record with `charged` (credits of the export), or array( 'skipped' => reason ).
	 */
	public function run( $id, $options ) {
		ignore_user_abort( true );
		$this->former->let_go( $id, true );
		$state = $this->state->get( $id );
		if ( $state && 'optimized' === $state['status'] ) {
			$gap = $this->truth->gap( $id, $state );
			if ( 'outdated' === $gap && empty( $options['again'] ) && $this->truth->repair( $id, $state ) ) {
				return array( 'skipped' => 'repaired' );
			}
			if ( ! empty( $options['free'] ) && 'offloaded' !== $gap && '' !== $gap ) {
				// The user has not agreed to the credit that it costs.
				$this->index->put( $this->state->lead( $id ), array( 'status' => 'stale' ) );
				return Imagewright_Rest_Errors::make( 'stale', __( 'The files have changed since this image was optimized. The next run optimizes it again, for one credit.', 'imagewright' ), 409 );
			}
			if ( '' === $gap && empty( $options['again'] ) && ! $this->state->is_edited( $id, $state ) ) {
				return array( 'skipped' => 'already_optimized' );
			}
			$obstacle = $this->eligibility->obstacle( $id );
			if ( $obstacle ) {
				return $obstacle;
			}
		} elseif ( $state ) {
			$undone = $this->restoration->put_back( $id, $state, true );
			if ( is_wp_error( $undone ) ) {
				return $undone;
			}
		}
		$refusal = empty( $options['again'] ) && empty( $options['allow_larger'] ) ? $this->eligibility->refusal( $id, $options ) : $this->snapshot->fault( $id );
		$done    = $refusal ? $refusal : $this->replace( $id, $options );
		if ( is_wp_error( $done ) && 'imagewright_not_smaller' === $done->get_error_code() && 'replace' === $this->options->all()['delivery'] ) {
			// The user may accept the larger file. It is free as long as the service keeps the result.
			$data            = (array) $done->get_error_data();
			$data['details'] = array(
				'needs' => 'allowLarger',
				'paid'  => (bool) $this->checkpoint->known( $id, $options ),
			) + (array) ( $data['details'] ?? array() );
			$done->add_data( $data );
		}
		return $done;
	}

	/**
	 * Exports an attachment and replaces its files.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options Of run().
	 * @return array|WP_Error The record.
	 */
	private function replace( $id, $options ) {
		$export = $this->exported( $id, $options );
		if ( is_wp_error( $export ) && $this->sessions->is_gone( $export ) ) {
			// The upload of an earlier attempt has expired or belongs to another account.
			$this->checkpoint->forget( $id );
			$export = $this->exported( $id, $options );
		}
		if ( is_wp_error( $export ) ) {
			return $export;
		}
		list( $checkpoint, $job ) = $export;
		$charged = 0;

		$done = $this->replacement->run(
			$id,
			$job,
			$checkpoint['image'],
			array(
				'job'          => $job,
				'carries'      => $checkpoint['carries'] ?? array(),
				'allow_larger' => ! empty( $options['allow_larger'] ),
				// A description may cost as much as the export, so only images that become smaller are described.
				'texts'        => function ( $result ) use ( $id, $checkpoint, $options, &$charged ) {
					$charged = (int) ( $result['creditsCharged'] ?? 1 );
					return empty( $options['fill_text'] ) ? array() : $this->description->of_run( $id, $checkpoint );
				},
			)
		);
		// After any other error the next attempt can use the paid export.
		if ( ! is_wp_error( $done ) || $this->is_final( $done ) || $this->is_free( $done ) ) {
			$this->checkpoint->finish( $id, $checkpoint );
		}
		return is_wp_error( $done ) ? $done : $done + array( 'charged' => $charged );
	}

	/**
	 * Returns true if the export was not charged, since nothing would get smaller.
	 *
	 * @param WP_Error $error Error of the replacement.
	 * @return bool
	 */
	private function is_free( $error ) {
		return 'imagewright_not_smaller' === $error->get_error_code() && 0 === ( (array) $error->get_error_data() )['details']['charged'];
	}

	/**
	 * Returns true if no further attempt can use the result.
	 *
	 * @param WP_Error $error Error of the replacement.
	 * @return bool
	 */
	private function is_final( $error ) {
		$code = (string) $error->get_error_code();
		if ( 0 === strpos( $code, 'imagewright_' ) ) {
			return in_array( substr( $code, strlen( 'imagewright_' ) ), self::VERDICTS, true );
		}
		$data = (array) $error->get_error_data();
		return in_array( (int) ( $data['status'] ?? 500 ), array( 404, 422 ), true );
	}

	/**
	 * Uploads and exports an attachment.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options Of run().
	 * @return array{0:array,1:string}|WP_Error Checkpoint, job id.
	 */
	private function exported( $id, $options ) {
		$checkpoint = $this->checkpoint->of( $id, $options );
		if ( is_wp_error( $checkpoint ) ) {
			return $checkpoint;
		}
		// The file may have been replaced during the upload. Such an upload is not exported.
		if ( ! $this->checkpoint->known( $id, $options ) ) {
			return $this->result->changed();
		}
		$job = $checkpoint['job'] ?? $this->export( $id, $checkpoint, $options );
		return is_wp_error( $job ) ? $job : array( $checkpoint, $job );
	}

	/**
	 * Exports the image, or joins the export of an earlier attempt by its idempotency key.
	 *
	 * @param int   $id         Attachment.
	 * @param array $checkpoint Of Imagewright_Checkpoint::of().
	 * @param array $options    Of run().
	 * @return string|WP_Error Id of the job.
	 */
	private function export( $id, $checkpoint, $options ) {
		$larger = ! empty( $options['allow_larger'] );
		$image  = array( 'id' => $checkpoint['image'] );
		$used   = $larger ? array() : array( 'replaces' => $this->shown->replaces( $id, $checkpoint['size'] ) );
		$gain   = $larger ? array() : array( 'leastGain' => $this->shown->least_gain( $id, $checkpoint['size'], $used['replaces'] ) );
		$run    = function ( $one ) use ( $checkpoint, $options, $larger ) {
			return $this->sessions->run_job(
				"/v1/sessions/{$checkpoint['session']}/export",
				array(
					'images'   => array( $one ),
					'settings' => array( 'onlySmaller' => ! $larger ) + $this->sizes->settings( $options['format'], $options['preset'], array( $checkpoint['size'] ) ),
				),
				( $larger ? 'wp-larger-' : 'wp-export-' ) . $checkpoint['mark'] . $checkpoint['image']
			);
		};
		$job    = $run( $image + $used + $gain );
		// An earlier version of this plugin has sent and paid the export, without the least gain.
		return $gain && is_wp_error( $job ) && 'idempotency_mismatch' === $job->get_error_code() ? $run( $image + $used ) : $job;
	}
}
