<?php
/**
 * Results of exports.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads results and checks that they may replace an attachment's files.
 */
class Imagewright_Result {

	/**
	 * Reads a result from the service and checks that it was made from the attachment's current file.
	 *
	 * @param int    $id           Attachment.
	 * @param string $job_id       Job.
	 * @param string $image        Image.
	 * @param bool   $allow_larger True to accept a larger file. Files beside those of WordPress are always smaller.
	 * @return array|WP_Error
	 */
	public static function read( $id, $job_id, $image, $allow_larger ) {
		$job = Imagewright_Sessions::own_job( $job_id );
		if ( is_wp_error( $job ) ) {
			return $job;
		}
		if ( 'export' !== $job['kind'] ) {
			return Imagewright_Rest_Errors::make( 'not_an_export', __( 'Samples are previews: only a full export can replace an image.', 'imagewright' ), 409 );
		}
		$found = array_values(
			array_filter(
				(array) ( $job['results'] ?? array() ),
				static function ( $result ) use ( $image ) {
					return $result['imageId'] === $image;
				}
			)
		);
		if ( ! $found ) {
			return Imagewright_Rest_Errors::make( 'no_result', __( 'This export has no result for the image.', 'imagewright' ), 409 );
		}
		$result = $found[0];
		if ( ! in_array( (string) $result['clientRef'], array_map( 'strval', Imagewright_Shared::of( $id ) ), true ) ) {
			return Imagewright_Rest_Errors::make( 'other_image', __( 'This result belongs to another image.', 'imagewright' ), 409 );
		}
		if ( 'completed' !== $result['status'] ) {
			$code = (string) ( $result['error']['code'] ?? 'processing_failed' );
			return new WP_Error( $code, Imagewright_Service_Texts::translate( $code, (string) ( $result['error']['message'] ?? __( 'The image could not be processed.', 'imagewright' ) ) ), array( 'status' => 422 ) );
		}
		$before = (int) $result['original']['size'];
		$change = self::change( $id, $before, (string) ( $result['original']['sha256'] ?? '' ) );
		if ( $change ) {
			return $change;
		}
		$result['variants'] = array_values(
			array_filter(
				$result['variants'],
				static function ( $variant ) use ( $allow_larger, $before ) {
					return $allow_larger || 'full' !== $variant['name'] || (int) $variant['size'] < $before;
				}
			)
		);
		if ( ! $result['variants'] ) {
			return Imagewright_Eligibility::not_smaller( $result, $before );
		}
		if ( ! isset( Imagewright_Contract::EXTENSIONS[ $result['mimeType'] ] ) ) {
			return Imagewright_Rest_Errors::make( 'unknown_type', __( 'WordPress cannot show files of this type.', 'imagewright' ), 422 );
		}
		$settings           = (array) ( $job['settings'] ?? array() );
		$result['session']  = $job['sessionId'];
		$result['metadata'] = $settings['metadata'] ?? ( false === ( $settings['keepCopyright'] ?? true ) ? 'none' : 'rights' );
		return $result;
	}

	/**
	 * Compares the current file with the file that was sent. Returns null if it has not changed.
	 *
	 * @param int    $id     Attachment.
	 * @param int    $size   Size of the sent file, in bytes.
	 * @param string $sha256 Checksum of the sent file; empty to compare only the size.
	 * @return WP_Error|null
	 */
	public static function change( $id, $size, $sha256 = '' ) {
		$source = Imagewright_Source::of( $id );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		$is_same = wp_filesize( $source['path'] ) === $size && ( '' === $sha256 || hash_file( 'sha256', $source['path'] ) === $sha256 );
		return $is_same ? null : self::changed();
	}

	/**
	 * Creates the error for a result of an older file.
	 *
	 * @return WP_Error
	 */
	public static function changed() {
		return Imagewright_Rest_Errors::make( 'source_changed', __( 'The file has changed since it was sent to the service.', 'imagewright' ), 409 );
	}
}
