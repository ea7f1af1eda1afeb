<?php
/**
 * Eligibility for an export.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Finds the images that cannot gain from an export, before they are sent and charged.
 */
class Imagewright_Eligibility {

	/**
	 * Returns the images of a list that a bulk run exports.
	 *
	 * @param int[] $ids     Attachments.
	 * @param array $options `format`, `preset`.
	 * @return int[]
	 */
	public static function filter( $ids, $options ) {
		return self::partition( $ids, $options )['eligible'];
	}

	/**
	 * Splits a list into images that a bulk run exports and images that it leaves out.
	 *
	 * @param int[] $ids     Attachments.
	 * @param array $options `format`, `preset`.
	 * @return array{eligible:int[],left_out:array<string,array{message:string,ids:int[]}>} `left_out` by code of the reason.
	 */
	public static function partition( $ids, $options ) {
		$eligible = array();
		$left_out = array();
		foreach ( $ids as $id ) {
			$reason = self::reason( $id, $options );
			if ( ! $reason ) {
				$eligible[] = $id;
				continue;
			}
			$code     = (string) $reason->get_error_code();
			$left_out = $left_out + array(
				$code => array(
					'message' => $reason->get_error_message(),
					'ids'     => array(),
				),
			);

			$left_out[ $code ]['ids'][] = $id;
		}
		return compact( 'eligible', 'left_out' );
	}

	/**
	 * Returns the reason why a bulk run leaves an image out, or null.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return WP_Error|null
	 */
	private static function reason( $id, $options ) {
		switch ( Imagewright_State::status( $id ) ) {
			case 'optimized':
				return Imagewright_Rest_Errors::make( 'optimized', __( 'Already optimized.', 'imagewright' ) );
			case 'edited':
				return self::edited();
			case 'working':
				return Imagewright_Rest_Errors::make( 'busy', __( 'This image is being processed in another window or by another user.', 'imagewright' ) );
			case 'interrupted':
				return null;
			default:
				return self::refusal( $id, $options );
		}
	}

	/**
	 * Creates the error for an image that was edited after it was optimized.
	 *
	 * @return WP_Error
	 */
	public static function edited() {
		return Imagewright_Rest_Errors::make( 'edited', __( 'The image was edited after it was optimized. Restore it first.', 'imagewright' ), 409 );
	}

	/**
	 * Returns the reason why no result can replace an image, or null.
	 *
	 * @param int $id Attachment.
	 * @return WP_Error|null
	 */
	public static function obstacle( $id ) {
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' === $state['status'] ) {
			return Imagewright_State::is_edited( $id, $state ) ? self::edited() : null;
		}
		// An interrupted image is restored before it is replaced.
		return $state ? null : Imagewright_Snapshot::fault( $id );
	}

	/**
	 * Counts the images of a list that lack a text.
	 *
	 * @param int[] $ids Attachments.
	 * @return int
	 */
	public static function undescribed( $ids ) {
		return count( array_filter( $ids, array( __CLASS__, 'lacks_text' ) ) );
	}

	/**
	 * Returns true if an image lacks alternative text or title.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function lacks_text( $id ) {
		$metadata = Imagewright_Source::metadata( $id );
		return ! isset( $metadata['alt'], $metadata['title'] );
	}

	/**
	 * Returns the reason why an export would have no usable result, or null. Requires no export.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return WP_Error|null
	 */
	public static function refusal( $id, $options ) {
		$fault = Imagewright_Snapshot::fault( $id );
		if ( $fault ) {
			return $fault;
		}
		$failure = Imagewright_State::failure( $id );
		if ( ! $failure || 'imagewright_not_smaller' !== $failure['code'] || empty( $failure['mark'] ) ) {
			return null;
		}
		$fingerprint = self::fingerprint( $id, $options );
		if ( is_wp_error( $fingerprint ) || $fingerprint !== $failure['mark'] ) {
			return null;
		}
		return self::with_fingerprint( new WP_Error( $failure['code'], $failure['message'], array( 'status' => 409 ) ), $fingerprint );
	}

	/**
	 * Computes the fingerprint of file and settings. `original` counts as the file's own format.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return string|WP_Error
	 */
	public static function fingerprint( $id, $options ) {
		$source = Imagewright_Source::of( $id );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		$format = 'original' === $options['format'] ? substr( $source['type'], strlen( 'image/' ) ) : $options['format'];
		return md5( wp_json_encode( array( $source['name'], md5_file( $source['path'] ), $format, $options['preset'] ) ) );
	}

	/**
	 * Creates the error for a result that is not smaller. It is valid for this file with these settings.
	 *
	 * @param int   $id     Attachment.
	 * @param array $result Result of the export.
	 * @param int   $before Size of the file, in bytes.
	 * @return WP_Error
	 */
	public static function not_smaller( $id, $result, $before ) {
		$settings = array(
			'format' => (string) $result['format'],
			'preset' => (string) ( $result['quality']['preset'] ?? '' ),
		);
		$verdict  = Imagewright_Rest_Errors::make(
			'not_smaller',
			__( 'The optimized file would not be smaller, so the image stays as it is.', 'imagewright' ),
			409,
			array(
				'before'   => $before,
				'after'    => (int) $result['variants'][0]['size'],
				'settings' => $settings,
			)
		);
		return self::with_fingerprint( $verdict, (string) self::fingerprint( $id, $settings ) );
	}

	/**
	 * Adds the fingerprint to an error.
	 *
	 * @param WP_Error $error       Error.
	 * @param string   $fingerprint Of fingerprint().
	 * @return WP_Error The same error.
	 */
	private static function with_fingerprint( $error, $fingerprint ) {
		$error->add_data( array( 'mark' => $fingerprint ) + (array) $error->get_error_data() );
		return $error;
	}
}
