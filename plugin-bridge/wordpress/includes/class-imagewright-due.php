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
class Imagewright_Due {

	/**
	 * Those images of a list that a bulk run would pay for.
	 *
	 * @param int[] $ids     Attachments.
	 * @param array $options `format`, `preset`.
	 * @return int[]
	 */
	public static function among( $ids, $options ) {
		return array_values(
			array_filter(
				$ids,
				static function ( $id ) use ( $options ) {
					$status = Imagewright_State::status( $id );
					return 'interrupted' === $status || ( in_array( $status, array( 'none', 'failed' ), true ) && ! self::refusal( $id, $options ) );
				}
			)
		);
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
		$mark = self::mark( $id, $options );
		if ( is_wp_error( $mark ) || $mark !== $failure['mark'] ) {
			return null;
		}
		return self::marked( new WP_Error( $failure['code'], $failure['message'], array( 'status' => 409 ) ), $mark );
	}

	/**
	 * Stands for the file and the settings that a result was made of.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`.
	 * @return string|WP_Error
	 */
	public static function mark( $id, $options ) {
		$source = Imagewright_Source::of( $id );
		return is_wp_error( $source ) ? $source : md5( wp_json_encode( array( $source['name'], md5_file( $source['path'] ), $options['format'], $options['preset'] ) ) );
	}

	/**
	 * An error that says what file and settings it holds for.
	 *
	 * @param WP_Error $error Error.
	 * @param string   $mark  Of mark().
	 * @return WP_Error The same.
	 */
	public static function marked( $error, $mark ) {
		$error->add_data( array( 'mark' => $mark ) + (array) $error->get_error_data() );
		return $error;
	}
}
