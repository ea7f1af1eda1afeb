<?php
/**
 * What is worth paying for.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Knows before anything is sent which images an export would be paid for in vain.
 */
class Imagewright_Eligibility {

	/**
	 * Those images of a list that a bulk run would pay for.
	 *
	 * @param int[] $ids     Attachments.
	 * @param array $options `format`, `preset`.
	 * @return int[]
	 */
	public static function filter( $ids, $options ) {
		return self::partition( $ids, $options )['eligible'];
	}

	/**
	 * Tells the images of a list that a bulk run would pay for from those that it leaves out.
	 *
	 * @param int[] $ids     Attachments.
	 * @param array $options `format`, `preset`.
	 * @return array{eligible:int[],left_out:array<string,array{message:string,ids:int[]}>} What is left out by code of the reason.
	 */
	public static function partition( $ids, $options ) {
		$eligible      = array();
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
	 * Why a bulk run would leave an image out, or null.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return WP_Error|null
	 */
	private static function reason( $id, $options ) {
		switch ( Imagewright_State::status( $id ) ) {
			case 'optimized':
				return Imagewright_Rest_Errors::make( 'optimized', __( 'Optimized already.', 'imagewright' ) );
			case 'edited':
				return self::edited();
			case 'working':
				return Imagewright_Rest_Errors::make( 'busy', __( 'This image is being worked on in another window or by somebody else.', 'imagewright' ) );
			case 'interrupted':
				return null;
			default:
				return self::refusal( $id, $options );
		}
	}

	/**
	 * What is said of an image that somebody edited after it was optimized.
	 *
	 * @return WP_Error
	 */
	public static function edited() {
		return Imagewright_Rest_Errors::make( 'edited', __( 'The image was edited after it was optimized. Restore it first.', 'imagewright' ), 409 );
	}

	/**
	 * Why no result could be put in the place of an image, whatever it is, or null.
	 *
	 * @param int $id Attachment.
	 * @return WP_Error|null
	 */
	public static function obstacle( $id ) {
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' === $state['status'] ) {
			return Imagewright_State::is_edited( $id, $state ) ? self::edited() : null;
		}
		// One that was interrupted is put back first.
		return $state ? null : Imagewright_Snapshot::fault( $id );
	}

	/**
	 * How many images of a list lack a text that a description would fill in.
	 *
	 * @param int[] $ids Attachments.
	 * @return int
	 */
	public static function undescribed( $ids ) {
		return count( array_filter( $ids, array( __CLASS__, 'lacks_text' ) ) );
	}

	/**
	 * Whether an image lacks a text that a description would fill in.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function lacks_text( $id ) {
		$metadata = Imagewright_Source::metadata( $id );
		return ! isset( $metadata['alt'], $metadata['title'] );
	}

	/**
	 * Why an export would be in vain, as far as that is known without one, or null.
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
	 * Stands for the file and the settings that a result was made of. `original` is the file's own format: the service then gives
	 * the better one of the file itself and that format.
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
	 * The verdict on a result that is no gain. It holds for this file with these settings, and is noted with them.
	 *
	 * @param int   $id     Attachment.
	 * @param array $result Result of the export.
	 * @param int   $before Bytes of the file.
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
	 * An error that says what file and settings it holds for.
	 *
	 * @param WP_Error $error Error.
	 * @param string   $fingerprint  Of fingerprint().
	 * @return WP_Error The same.
	 */
	private static function with_fingerprint( $error, $fingerprint ) {
		$error->add_data( array( 'mark' => $fingerprint ) + (array) $error->get_error_data() );
		return $error;
	}
}
