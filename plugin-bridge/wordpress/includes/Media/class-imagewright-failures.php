<?php
/**
 * Failed attempts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Records why an image was not optimized.
 */
class Imagewright_Failures {

	/** Reasons that no setting changes. Runs leave such images out until they are changed. */
	const UNFIT = array( 'imagewright_no_sizes', 'imagewright_not_local', 'imagewright_not_an_image', 'unsupported_image', 'file_too_large', 'too_many_pixels', 'too_many_frames', 'invalid_image' );

	/** Attachments of a picture. */
	private Imagewright_Shared $shared;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Images that the settings exclude. */
	private Imagewright_Exclusions $exclusions;
	/** Records of images. */
	private Imagewright_State $state;
	/** Source files of attachments. */
	private Imagewright_Source $source;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Shared     $shared     Attachments of a picture.
	 * @param Imagewright_Index      $index      Rows of images.
	 * @param Imagewright_Exclusions $exclusions Images that the settings exclude.
	 * @param Imagewright_State      $state      Records of images.
	 * @param Imagewright_Source     $source     Source files of attachments.
	 */
	public function __construct(
		Imagewright_Shared $shared,
		Imagewright_Index $index,
		Imagewright_Exclusions $exclusions,
		Imagewright_State $state,
		Imagewright_Source $source
	) {
		$this->shared     = $shared;
		$this->index      = $index;
		$this->exclusions = $exclusions;
		$this->state      = $state;
		$this->source     = $source;
	}

	/**
	 * Stores the reason why an attachment could not be optimized.
	 *
	 * @param int      $id       Attachment.
	 * @param WP_Error $error    Reason.
	 * @param string   $settings Of Imagewright_Eligibility::settings(); an empty string for reasons that do not depend on them.
	 */
	public function note( $id, $error, $settings = '' ) {
		$id = $this->shared->lead( $id );
		if ( ! $this->index->exists( $id ) ) {
			return;
		}
		$code   = (string) $error->get_error_code();
		$status = 'failed';
		if ( in_array( $code, array( 'imagewright_not_smaller', 'imagewright_hdr' ), true ) ) {
			$status = 'no_gain';
		} elseif ( 'imagewright_excluded' === $code ) {
			$status   = 'excluded';
			$settings = (string) $this->exclusions->least_bytes();
		} elseif ( 'imagewright_offloaded' === $code ) {
			$status = 'offloaded';
		} elseif ( in_array( $code, self::UNFIT, true ) ) {
			$status = 'unfit';
		}
		$fields = array(
			'code'    => $code,
			'message' => $error->get_error_message(),
		);
		// An optimized image stays optimized if another attempt fails.
		if ( ! $this->state->get( $id ) ) {
			$fields += array(
				'status'   => $status,
				'settings' => $settings,
				'source'   => $this->source->mark( $id ),
			);
		}
		$this->index->put( $id, $fields );
		// Another request may have deleted it since the first look.
		if ( ! $this->index->exists( $id ) ) {
			$this->index->remove( $id );
		}
	}

	/**
	 * Returns the last failure of an attachment, or null.
	 *
	 * @param int $id Attachment.
	 * @return array{code:string,message:string}|null
	 */
	public function of( $id ) {
		$row = $this->index->row( $this->shared->lead( $id ) );
		return empty( $row['code'] ) ? null : array(
			'code'    => $row['code'],
			'message' => $row['message'],
		);
	}

	/**
	 * Deletes the last failure.
	 *
	 * @param int $id Attachment.
	 */
	public function clear( $id ) {
		$id = $this->shared->lead( $id );
		if ( $this->of( $id ) ) {
			$this->index->put(
				$id,
				array(
					'code'    => '',
					'message' => '',
					'status'  => $this->state->get( $id ) ? 'done' : '',
				)
			);
		}
	}
}
