<?php
/**
 * Replacement of an attachment's files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Replaces an attachment's files by those of a full export. Restores the attachment if a step fails.
 */
class Imagewright_Replacement {

	/**
	 * Replaces the files of an attachment by the result of an export. The caller holds the attachment's lock.
	 *
	 * @param int    $id      Attachment.
	 * @param string $job_id  Export of a session that the current user created.
	 * @param string $image   Image of that export.
	 * @param array  $options `alt`, `title`, `filename` (string or null), `confirmed` (fields that replace existing texts),
	 *                        `allow_larger`, `job`, `texts` (callable that returns `alt` and `title` or WP_Error; called
	 *                        after the result was accepted).
	 * @return array|WP_Error The new record.
	 */
	public static function run( $id, $job_id, $image, $options ) {
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' !== $state['status'] ) {
			$undone = Imagewright_Restoration::put_back( $id, $state, true );
			if ( is_wp_error( $undone ) ) {
				return $undone;
			}
			$state = null;
		}
		if ( $state && Imagewright_State::is_edited( $id, $state ) ) {
			if ( 'beside' !== ( $state['way'] ?? '' ) ) {
				return Imagewright_Eligibility::edited();
			}
			// The optimized files of the picture before. Nothing of WordPress was replaced.
			Imagewright_Addition::take_away( $id, $state );
			$state = null;
		}
		if ( $state && $state['job'] === $job_id && $state['image'] === $image ) {
			return $state;
		}
		$ready = self::choose( $id, $state, $job_id, $image, $options );
		if ( is_wp_error( $ready ) ) {
			return $ready;
		}
		list( $beside, $result, $roles ) = $ready;
		$state = Imagewright_State::get( $id );
		$texts = isset( $options['texts'] ) ? call_user_func( $options['texts'] ) : array();
		if ( is_wp_error( $texts ) ) {
			return $texts;
		}
		$options = $texts + $options;
		$paths   = Imagewright_Download::fetch( $result['session'], $roles['variants'], $result['mimeType'], ! $beside );
		if ( is_wp_error( $paths ) ) {
			return $paths;
		}
		try {
			// The lock may have expired or the image may have changed during the download.
			$mine = Imagewright_Lock::renew( $id );
			if ( is_wp_error( $mine ) ) {
				return $mine;
			}
			// Loose comparison: two arrays with the same content.
			if ( Imagewright_State::get( $id ) != $state || ( $state && Imagewright_State::is_edited( $id, $state ) ) ) {
				return Imagewright_Result::changed();
			}
			$restored = $state ? Imagewright_Restoration::put_back( $id, $state, false ) : true;
			if ( is_wp_error( $restored ) ) {
				return $restored;
			}
			return $beside ? Imagewright_Addition::place( $id, $result, $roles, $paths, $options ) : self::exchange( $id, $result, $roles, $paths, $options );
		} finally {
			Imagewright_Download::discard( $paths );
		}
	}

	/**
	 * Reads the result and chooses the files to use.
	 *
	 * @param int        $id      Attachment.
	 * @param array|null $state   Its record.
	 * @param string     $job_id  Export.
	 * @param string     $image   Image of that export.
	 * @param array      $options Of run().
	 * @return array{0:bool,1:array,2:array}|WP_Error True for files beside those of WordPress; result; files with their variants.
	 */
	private static function choose( $id, $state, $job_id, $image, $options ) {
		// A new name changes addresses, so such files take the place of the old ones.
		$beside = 'beside' === Imagewright_Options::all()['delivery'] && empty( $options['filename'] );
		$larger = ! empty( $options['allow_larger'] );
		$result = Imagewright_Result::read( $id, $job_id, $image, $beside || $larger );
		if ( is_wp_error( $result ) ) {
			return $result;
		}
		if ( $state && ( $beside xor 'beside' === ( $state['way'] ?? '' ) ) ) {
			// The files are compared with WordPress's own.
			$restored = Imagewright_Restoration::put_back( $id, $state, false );
			if ( is_wp_error( $restored ) ) {
				return $restored;
			}
		}
		$roles = $beside ? Imagewright_Addition::choose( $id, $result ) : Imagewright_Plan::roles( $id, $result, $larger );
		return is_wp_error( $roles ) ? $roles : array( $beside, $result, $roles );
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
	private static function exchange( $id, $result, $roles, $paths, $options ) {
		$snapshot = Imagewright_Snapshot::take( $id );
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
			$plan = Imagewright_Lock::while_naming(
				static function () use ( $id, &$state, $roles, $result, $paths, $options ) {
					$plan             = Imagewright_Plan::make( $state['snapshot'], $roles, $result['mimeType'], $options['filename'] ?? null );
					if ( ! $plan['files'] ) {
						return Imagewright_Eligibility::not_smaller( $result, self::shown_bytes( $state['snapshot']['files'], $state['snapshot']['metadata'] ) );
					}
					$state['created'] = array_keys( $plan['files'] );
					$state['copies']  = $plan['copies'];
					// Stored before the files are moved, so that a later request can undo it after a crash.
					Imagewright_State::set( $id, $state );
					return self::place( $state['snapshot'], $plan, $paths ) ? $plan : Imagewright_Rest_Errors::make( 'not_saved', __( 'The files could not be saved in the uploads folder.', 'imagewright' ), 500 );
				}
			);
			if ( ! is_wp_error( $plan ) ) {
				foreach ( Imagewright_Shared::of( $id ) as $one ) {
					self::describe( $one, Imagewright_State::get( $one )['snapshot'], $plan );
				}
				$state = self::complete( $id, $state, $plan, $result, $options );
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
			$error = Imagewright_Rest_Errors::make( 'not_saved', $thrown->getMessage(), 500 );
		}
		if ( Imagewright_State::get( $id ) ) {
			Imagewright_Restoration::put_back( $id, $state, true );
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
	private static function place( $snapshot, $plan, $paths ) {
		$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $snapshot['attached_file'] ) );
		foreach ( $plan['copies'] as $name => $copy ) {
			if ( ! Imagewright_Files::duplicate( path_join( $dir, $name ), path_join( $dir, $copy ) ) ) {
				return false;
			}
		}
		$placed = array();
		foreach ( $plan['files'] as $name => $variant ) {
			$to = path_join( $dir, $name );
			if ( isset( $placed[ $variant ] ) ) {
				Imagewright_Files::remove( $to );
				$done = Imagewright_Files::duplicate( $placed[ $variant ], $to );
			} else {
				$done = Imagewright_Files::move( $paths[ $variant ], $to );
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
	private static function describe( $id, $snapshot, $plan ) {
		update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( Imagewright_Snapshot::backup_sizes( $snapshot, $plan['copies'] ) ) );
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
	private static function complete( $id, $state, $plan, $result, $options ) {
		Imagewright_Sizes::make_missing( $id, $plan['reserved'] );
		Imagewright_Shared::spread_metadata( $id );
		$metadata = wp_get_attachment_metadata( $id, true );
		$written  = Imagewright_Texts::fill( $id, $options['alt'] ?? null, $options['title'] ?? null, (array) ( $options['confirmed'] ?? array() ), wp_basename( $state['snapshot']['attached_file'] ) );

		$state = array_merge(
			$state,
			array(
				'status'   => 'optimized',
				'job'      => $options['job'],
				'created'  => array_values( array_unique( array_merge( array_keys( $plan['files'] ), Imagewright_Snapshot::names( $plan['attached'], $metadata ) ) ) ),
				'after'    => array(
					'file'  => get_post_meta( $id, '_wp_attached_file', true ),
					'mime'  => $plan['mime'],
					'texts' => $written,
					'shown' => Imagewright_Truth::record( $id ),
					'files' => Imagewright_Snapshot::checksums( dirname( get_attached_file( $id, true ) ), Imagewright_Snapshot::essential( $plan['attached'], $metadata ) ),
				),
				'bytes'    => array(
					'before' => self::shown_bytes( $state['snapshot']['files'], $state['snapshot']['metadata'] ),
					'after'  => array_sum( array_column( Imagewright_Shown::of( $id ), 'bytes' ) ),
				),
				'quality'  => array(
					'format' => (string) $result['format'],
					'preset' => (string) ( $result['quality']['preset'] ?? '' ),
					'score'  => isset( $result['quality']['score'] ) ? (float) $result['quality']['score'] : null,
				),
				'warnings' => array_column( (array) $result['warnings'], 'code' ),
				'carries'  => Imagewright_Carried::record( $result, $options['carries'] ?? array() ),
			)
		);
		Imagewright_State::set( $id, $state );
		Imagewright_State::clear_failure( $id );
		foreach ( Imagewright_Shared::of( $id ) as $one ) {
			Imagewright_Versions::renew( $one, array_keys( $state['copies'] ) );
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
	private static function shown_bytes( $files, $metadata ) {
		return array_sum( array_column( array_diff_key( $files, array( $metadata['original_image'] ?? '' => 1 ) ), 'size' ) );
	}
}
