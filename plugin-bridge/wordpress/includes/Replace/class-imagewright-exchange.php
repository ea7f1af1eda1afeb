<?php
/**
 * Exchange of files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Puts optimized files in the place of those of WordPress.
 */
class Imagewright_Exchange {

	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Plans of replacements. */
	private Imagewright_Plan $plan;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Records of images. */
	private Imagewright_State $state;
	/** Restoration of attachments. */
	private Imagewright_Restoration $restoration;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Image sizes of the site. */
	private Imagewright_Sizes $sizes;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** States compared with the files that pages get. */
	private Imagewright_Truth $truth;
	/** Files that pages show. */
	private Imagewright_Shown $shown;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Versions of URLs and caches of pages. */
	private Imagewright_Caches $caches;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Snapshot    $snapshot    Snapshots of attachments.
	 * @param Imagewright_Lock        $lock        Locks of attachments.
	 * @param Imagewright_Plan        $plan        Plans of replacements.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Restoration $restoration Restoration of attachments.
	 * @param Imagewright_Files       $files       Files below the uploads folder.
	 * @param Imagewright_Sizes       $sizes       Image sizes of the site.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Truth       $truth       States compared with the files that pages get.
	 * @param Imagewright_Shown       $shown       Files that pages show.
	 * @param Imagewright_Exclusions  $exclusions  Images that are left out, and failures.
	 * @param Imagewright_Caches      $caches      Versions of URLs and caches of pages.
	 */
	public function __construct(
		Imagewright_Snapshot $snapshot,
		Imagewright_Lock $lock,
		Imagewright_Plan $plan,
		Imagewright_Eligibility $eligibility,
		Imagewright_State $state,
		Imagewright_Restoration $restoration,
		Imagewright_Files $files,
		Imagewright_Sizes $sizes,
		Imagewright_Texts $texts,
		Imagewright_Truth $truth,
		Imagewright_Shown $shown,
		Imagewright_Exclusions $exclusions,
		Imagewright_Caches $caches
	) {
		$this->snapshot    = $snapshot;
		$this->lock        = $lock;
		$this->plan        = $plan;
		$this->eligibility = $eligibility;
		$this->state       = $state;
		$this->restoration = $restoration;
		$this->files       = $files;
		$this->sizes       = $sizes;
		$this->texts       = $texts;
		$this->truth       = $truth;
		$this->shown       = $shown;
		$this->exclusions  = $exclusions;
		$this->caches      = $caches;
	}

	/**
	 * Saves the new files and metadata. Restores the attachment if a step fails.
	 *
	 * @param int                  $id      Attachment.
	 * @param array                $result  Checked result.
	 * @param array                $roles   Of Imagewright_Plan::roles().
	 * @param array<string,string> $paths   Downloaded files by name of the variant.
	 * @param array                $options Of run().
	 * @return array|WP_Error
	 */
	public function run( $id, $result, $roles, $paths, $options ) {
		$snapshot = $this->snapshot->take( $id );
		if ( is_wp_error( $snapshot ) ) {
			return $snapshot;
		}
		/**
		 * Fires before the files of an attachment are replaced.
		 *
		 * @param int $id Attachment.
		 */
		do_action( 'imagewright_before_replace', $id );
		$state = array(
			'status'   => 'replacing',
			'snapshot' => $snapshot,
			'created'  => array(),
			'copies'   => array(),
			'job'      => '',
			'image'    => $result['imageId'],
			'at'       => time(),
		);
		try {
			$plan = $this->lock->while_naming(
				function () use ( $id, &$state, $roles, $result, $paths, $options ) {
					$plan             = $this->plan->make( $state['snapshot'], $roles, $result['mimeType'], $options['filename'] ?? null );
					if ( ! $plan['files'] ) {
						return $this->eligibility->not_smaller( $result, $this->shown_bytes( $state['snapshot']['files'], $state['snapshot']['metadata'] ) );
					}
					$state['created'] = array_keys( $plan['files'] );
					$state['copies']  = $plan['copies'];
					// Stored before the files are moved, so that a later request can undo it after a crash.
					$this->state->set( $id, $state );
					return $this->place( $state['snapshot'], $plan, $paths ) ? $plan : Imagewright_Rest_Errors::make( 'not_saved', __( 'The files could not be saved in the uploads folder.', 'imagewright' ), 500 );
				}
			);
			if ( ! is_wp_error( $plan ) ) {
				foreach ( $this->state->attachments( $id ) as $one ) {
					$this->describe( $one, $this->state->get( $one )['snapshot'], $plan );
				}
				$state = $this->complete( $id, $state, $plan, $result, $options );
				/**
				 * Fires after the files of an attachment were replaced: for caches and for plugins that copy files elsewhere.
				 *
				 * @param int   $id    Attachment.
				 * @param array $state Record of the replacement.
				 */
				do_action( 'imagewright_replaced', $id, $state );
				return $state;
			}
			$error = $plan;
		} catch ( Throwable $thrown ) {
			$error = Imagewright_Rest_Errors::make( 'failed', $thrown->getMessage(), 500 );
		}
		if ( $this->state->get( $id ) ) {
			$this->restoration->put_back( $id, $state, true );
		}
		return $error;
	}

	/**
	 * Copies files that will be overwritten, then moves the new files into the uploads folder.
	 *
	 * @param array                $snapshot Snapshot.
	 * @param array                $plan     Plan.
	 * @param array<string,string> $paths    Downloaded files by name of the variant.
	 * @return bool
	 */
	private function place( $snapshot, $plan, $paths ) {
		$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $snapshot['attached_file'] ) );
		foreach ( $plan['copies'] as $name => $copy ) {
			if ( ! $this->files->duplicate( path_join( $dir, $name ), path_join( $dir, $copy ) ) ) {
				return false;
			}
		}
		$placed = array();
		foreach ( $plan['files'] as $name => $variant ) {
			$to = path_join( $dir, $name );
			if ( isset( $placed[ $variant ] ) ) {
				$done = $this->files->copy_over( $placed[ $variant ], $to );
			} else {
				$done = $this->files->move( $paths[ $variant ], $to );
			}
			if ( ! $done ) {
				return false;
			}
			$placed[ $variant ] = $to;
		}
		return true;
	}

	/**
	 * Updates the attachment's metadata for the new files. The guid does not change.
	 *
	 * @param int    $id       Attachment.
	 * @param array $snapshot Snapshot.
	 * @param array $plan     Plan.
	 */
	private function describe( $id, $snapshot, $plan ) {
		update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( $this->snapshot->backup_sizes( $snapshot, $plan['copies'] ) ) );
		if ( $plan['attached'] !== $snapshot['attached_file'] ) {
			add_post_meta( $id, Imagewright_State::WAS, wp_slash( $snapshot['attached_file'] ) );
		}
		update_attached_file( $id, path_join( wp_get_upload_dir()['basedir'], $plan['attached'] ) );
		if ( get_post_mime_type( $id ) !== $plan['mime'] ) {
			wp_update_post(
				array(
					'ID'             => $id,
					'post_mime_type' => $plan['mime'],
				)
			);
		}
		wp_update_attachment_metadata( $id, wp_slash( $plan['metadata'] ) );
		clean_attachment_cache( $id );
	}

	/**
	 * Generates missing sizes, fills in texts and stores the finished record.
	 *
	 * @param int   $id      Attachment.
	 * @param array $state   Unfinished record.
	 * @param array $plan    Plan.
	 * @param array $result  Result of the export.
	 * @param array $options Of run().
	 * @return array The record.
	 */
	private function complete( $id, $state, $plan, $result, $options ) {
		$this->sizes->make_missing( $id, $plan['reserved'] );
		$this->state->spread_metadata( $id );
		$metadata = wp_get_attachment_metadata( $id, true );
		$shown    = $this->snapshot->names( $plan['attached'], $metadata );
		// WordPress has made sizes, and other plugins may have made files of these.
		$more     = array_diff( $this->snapshot->others( dirname( get_attached_file( $id, true ) ), $shown, $metadata ), array_keys( $state['snapshot']['files'] ), $state['snapshot']['others'] );
		$written  = $this->texts->fill( $id, $options['alt'] ?? null, $options['title'] ?? null, (array) ( $options['confirmed'] ?? array() ), wp_basename( $state['snapshot']['attached_file'] ) );

		$state = array_merge(
			$state,
			array(
				'status'   => 'optimized',
				'job'      => $options['job'],
				'created'  => array_values( array_unique( array_merge( array_keys( $plan['files'] ), $shown, $more ) ) ),
				'after'    => array(
					'file'  => get_post_meta( $id, '_wp_attached_file', true ),
					'mime'  => $plan['mime'],
					'texts' => $written,
					'shown' => $this->truth->record( $id ),
					'files' => $this->snapshot->checksums( dirname( get_attached_file( $id, true ) ), $this->snapshot->essential( $plan['attached'], $metadata ) ),
				),
				'bytes'    => array(
					'before' => $this->shown_bytes( $state['snapshot']['files'], $state['snapshot']['metadata'] ),
					'after'  => array_sum( array_column( $this->shown->of( $id ), 'bytes' ) ),
				),
				'quality'  => array(
					'format' => (string) $result['format'],
					'preset' => (string) ( $result['quality']['preset'] ?? '' ),
					'score'  => isset( $result['quality']['score'] ) ? (float) $result['quality']['score'] : null,
				),
				'warnings' => array_column( (array) $result['warnings'], 'code' ),
				'carries'  => Imagewright_Status_Text::record( $result, $options['carries'] ?? array() ),
			)
		);
		$this->state->set( $id, $state );
		$this->exclusions->clear_failure( $id );
		foreach ( $this->state->attachments( $id ) as $one ) {
			$this->caches->renew( $one, array_keys( $state['copies'] ) );
		}
		return $state;
	}

	/**
	 * Adds up the files that pages showed before the replacement.
	 *
	 * @param array $files    Files of the snapshot.
	 * @param array $metadata Metadata of the snapshot.
	 * @return int
	 */
	private function shown_bytes( $files, $metadata ) {
		return array_sum( array_column( array_diff_key( $files, array( $metadata['original_image'] ?? '' => 1 ) ), 'size' ) );
	}
}
