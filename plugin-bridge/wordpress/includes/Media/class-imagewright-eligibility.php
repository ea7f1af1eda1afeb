<?php
/**
 * Eligibility for an export.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Decides whether an attachment can gain from an export, before it is sent and charged.
 */
class Imagewright_Eligibility {

	/** Records of images. */
	private Imagewright_State $state;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Settings. */
	private Imagewright_Options $options;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Pictures that other programs replaced. */
	private Imagewright_Former $former;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State    $state    Records of images.
	 * @param Imagewright_Snapshot $snapshot Snapshots of attachments.
	 * @param Imagewright_Source   $source   Source files of attachments.
	 * @param Imagewright_Options  $options  Settings.
	 * @param Imagewright_Index    $index    Rows of images.
	 * @param Imagewright_Former   $former   Pictures that other programs replaced.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Snapshot $snapshot,
		Imagewright_Source $source,
		Imagewright_Options $options,
		Imagewright_Index $index,
		Imagewright_Former $former
	) {
		$this->state    = $state;
		$this->snapshot = $snapshot;
		$this->source   = $source;
		$this->options  = $options;
		$this->index    = $index;
		$this->former   = $former;
	}

	/**
	 * Creates the error for an image that was edited after it was optimized.
	 *
	 * @return WP_Error
	 */
	public function edited() {
		return Imagewright_Rest_Errors::make( 'edited', __( 'The image was edited after it was optimized. Restore it first.', 'imagewright' ), 409 );
	}

	/**
	 * Returns the reason why no result can replace an image, or null.
	 *
	 * @param int $id Attachment.
	 * @return WP_Error|null
	 */
	public function obstacle( $id ) {
		$state = $this->former->let_go( $id, true ) ? null : $this->state->get( $id );
		if ( $state && 'optimized' === $state['status'] ) {
			if ( 'beside' === ( $state['way'] ?? '' ) ) {
				return $this->fault( $id );
			}
			return $this->state->is_edited( $id, $state ) ? $this->edited() : $this->loss( $state );
		}
		// An interrupted image is restored before it is replaced.
		return $state ? null : $this->fault( $id );
	}

	/**
	 * Returns the reason why an attachment as it is gets no optimized files, or null.
	 *
	 * @param int $id Attachment.
	 * @return WP_Error|null
	 */
	private function fault( $id ) {
		$fault  = $this->snapshot->fault( $id );
		$source = $fault ? $fault : $this->source->of( $id );
		return ! is_wp_error( $source ) && $this->loses_hdr( $source ) ? Imagewright_Rest_Errors::make( 'hdr', __( 'This image is HDR, and the optimized files would not be. The settings can allow that.', 'imagewright' ), 422 ) : $fault;
	}

	/**
	 * Returns true if an HDR image would lose its light. Photographs with a gain map in a JPEG are not meant: they stay HDR.
	 *
	 * @param array $source Of Imagewright_Source::of().
	 * @return bool
	 */
	private function loses_hdr( $source ) {
		// The transfer function is PQ (16) or HLG (18), or the file has a gain map (`tmap`).
		$signs = array(
			'image/png'  => '/cICP.[\x10\x12]/s',
			'image/avif' => '/colrnclx..\x00[\x10\x12]|ftyp.{0,60}tmap/s',
		);
		if ( $this->options->all()['flatten_hdr'] || ! isset( $signs[ $source['type'] ] ) ) {
			return false;
		}
		$head = (string) file_get_contents( $source['path'], false, null, 0, 65536 );
		return 1 === preg_match( $signs[ $source['type'] ], $head );
	}

	/**
	 * Returns true if an image has no alternative text. A title alone is not worth a credit.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function lacks_text( $id ) {
		return '' === (string) get_post_meta( $id, Imagewright_Texts::ALT, true );
	}

	/**
	 * Returns the reason why an export would have no usable result, or null. Requires no export.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return WP_Error|null
	 */
	public function refusal( $id, $options ) {
		$fault = $this->fault( $id );
		if ( $fault ) {
			return $fault;
		}
		$row = $this->index->row( $this->state->lead( $id ) );
		if ( ! $row || 'no_gain' !== $row['status'] || $this->settings( $options ) !== $row['settings'] || $this->source->mark( $id ) !== $row['source'] ) {
			return null;
		}
		return new WP_Error( $row['code'], $row['message'], array( 'status' => 409 ) );
	}

	/**
	 * Returns the settings of an attempt as one text, for which its verdict is valid.
	 *
	 * @param array $options `format`, `preset`.
	 * @return string
	 */
	public function settings( $options ) {
		$all = $this->options->all();
		return $options['format'] . ' ' . $options['preset'] . ' ' . $all['delivery'] . ( 'rights' === $all['metadata'] ? '' : ' ' . $all['metadata'] ) . ( $all['flatten_hdr'] ? ' flat' : '' );
	}

	/**
	 * Computes the fingerprint of file and settings. `original` counts as the file's own format.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return string|WP_Error
	 */
	public function fingerprint( $id, $options ) {
		$source = $this->source->of( $id );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		$format = 'original' === $options['format'] ? substr( $source['type'], strlen( 'image/' ) ) : $options['format'];
		return md5( wp_json_encode( array( $source['name'], md5_file( $source['path'] ), $format, $options['preset'], $this->options->for_exports() ) ) );
	}

	/**
	 * Creates the error for a result that is not smaller.
	 *
	 * @param array $result Result of the export.
	 * @param int   $before Size of the files in use, in bytes.
	 * @return WP_Error
	 */
	public function not_smaller( $result, $before ) {
		return $this->without_gain( $result, $before, __( 'What pages show would not be smaller by at least one percent, so the image stays as it is.', 'imagewright' ) );
	}

	/**
	 * Returns true if a file of a result shows the first frame of an animation alone.
	 *
	 * @param array $result Result of the export.
	 * @return bool
	 */
	public function lost_animation( $result ) {
		return in_array( 'animation_dropped', array_column( (array) $result['warnings'], 'code' ), true );
	}

	/**
	 * Creates the error for an animation of which a result shows the first frame alone.
	 *
	 * @param array $result Result of the export.
	 * @param int   $before Size in bytes of the files that are shown.
	 * @return WP_Error
	 */
	public function not_moving( $result, $before ) {
		return $this->without_gain( $result, $before, __( 'The format cannot hold the animation, so the image stays as it is.', 'imagewright' ) );
	}

	/**
	 * Creates the error of a result that changes nothing for visitors.
	 *
	 * @param array  $result  Result of the export.
	 * @param int    $before  Size in bytes of the files that are shown.
	 * @param string $message Reason.
	 * @return WP_Error
	 */
	private function without_gain( $result, $before, $message ) {
		return Imagewright_Rest_Errors::make(
			'not_smaller',
			$message,
			409,
			array(
				'before'   => $before,
				'charged'  => (int) ( $result['creditsCharged'] ?? 1 ),
				'settings' => array(
					'format' => (string) $result['format'],
					'preset' => (string) ( $result['quality']['preset'] ?? '' ),
				),
			)
		);
	}

	/**
	 * Returns the error for an image whose originals were deleted, or null.
	 *
	 * @param array|null $state Record.
	 * @return WP_Error|null
	 */
	public function loss( $state ) {
		if ( empty( $state['discarded'] ) ) {
			return null;
		}
		return Imagewright_Rest_Errors::make( 'originals_deleted', __( 'The originals of this image were deleted, so it stays as it is.', 'imagewright' ), 409 );
	}
}
