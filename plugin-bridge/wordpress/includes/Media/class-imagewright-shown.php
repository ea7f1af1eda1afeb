<?php
/**
 * Files that pages show.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Lists the files of an attachment that pages show: the attached file and its sizes, not the upload that WordPress scaled down.
 */
class Imagewright_Shown {

	/**
	 * Lists the files that exist on this server.
	 *
	 * @param int $id Attachment.
	 * @return array<string,array{path:string,width:int,height:int,bytes:int,known:bool}> By name. `known` is false if the service
	 *         cannot make the same picture: a crop that is not centred, or of a size that is not registered any more.
	 */
	public static function of( $id ) {
		$attached = get_attached_file( $id, true );
		$metadata = wp_get_attachment_metadata( $id, true );
		if ( ! is_array( $metadata ) || ! Imagewright_Files::is_local( $attached ) ) {
			return array();
		}
		$full  = array(
			'width'  => (int) ( $metadata['width'] ?? 0 ),
			'height' => (int) ( $metadata['height'] ?? 0 ),
		);
		$files = array( wp_basename( $attached ) => $full + array( 'known' => true ) );
		foreach ( (array) ( $metadata['sizes'] ?? array() ) as $name => $size ) {
			if ( ! empty( $size['file'] ) && ! empty( $size['width'] ) && ! isset( $files[ $size['file'] ] ) ) {
				$files[ $size['file'] ] = array(
					'width'  => (int) $size['width'],
					'height' => (int) $size['height'],
					'known'  => self::is_whole( $size, $full ) || Imagewright_Sizes::is_centred_crop( $name ),
				);
			}
		}
		$found = array();
		foreach ( $files as $name => $file ) {
			$path = path_join( dirname( $attached ), $name );
			if ( is_file( $path ) ) {
				$found[ $name ] = $file + array(
					'path'  => $path,
					'bytes' => (int) filesize( $path ),
				);
			}
		}
		return $found;
	}

	/**
	 * Finds the variant of each file.
	 *
	 * @param array<string,array> $files    Of of().
	 * @param array<int,array>    $variants Variants of a result.
	 * @return array<string,array> Variants by name of the file; only those that are smaller.
	 */
	public static function smaller( $files, $variants ) {
		$found = array();
		foreach ( $files as $name => $file ) {
			foreach ( $file['known'] ? $variants : array() as $variant ) {
				if ( Imagewright_Sizes::is_near( $variant, $file['width'], $file['height'] ) && (int) $variant['size'] < $file['bytes'] ) {
					$found[ $name ] = $variant;
					break;
				}
			}
		}
		return $found;
	}

	/**
	 * Returns true if a size shows the whole image.
	 *
	 * @param array $size Size.
	 * @param array $full Attached file.
	 * @return bool
	 */
	private static function is_whole( $size, $full ) {
		return abs( $size['width'] * $full['height'] / max( 1, $full['width'] ) - $size['height'] ) <= 1;
	}
}
