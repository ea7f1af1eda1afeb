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
		$found = array();
		foreach ( self::listed( $attached, $metadata ) as $name => $file ) {
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
	 * Lists the files that pages showed before an attachment was replaced.
	 *
	 * @param array $snapshot Snapshot.
	 * @return array<string,array{width:int,height:int,bytes:int,known:bool}> By name.
	 */
	private static function before( $snapshot ) {
		$found = array();
		foreach ( self::listed( $snapshot['attached_file'], $snapshot['metadata'] ) as $name => $file ) {
			if ( isset( $snapshot['files'][ $name ] ) ) {
				$found[ $name ] = $file + array( 'bytes' => (int) $snapshot['files'][ $name ]['size'] );
			}
		}
		return $found;
	}

	/**
	 * Lists the attached file and the sizes in metadata.
	 *
	 * @param string $attached Attached file.
	 * @param array  $metadata Attachment metadata.
	 * @return array<string,array{width:int,height:int,known:bool}> By name.
	 */
	private static function listed( $attached, $metadata ) {
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
		return $files;
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
	 * Lists the files in use for an export that delivers only smaller ones, by the name of the variant that is to replace each.
	 *
	 * @param int   $id   Attachment.
	 * @param array $size Width and height of its source file.
	 * @return array<int,array{name:string,bytes:int}> `bytes` is 0 if pages show no such file.
	 */
	public static function replaces( $id, $size ) {
		$state = Imagewright_State::get( $id );
		$files = $state && isset( $state['snapshot']['metadata'] ) ? self::before( $state['snapshot'] ) : self::of( $id );
		$in_use = static function ( $width, $height ) use ( $files ) {
			foreach ( $files as $file ) {
				if ( $file['known'] && Imagewright_Sizes::is_near( $file, $width, $height ) ) {
					return $file['bytes'];
				}
			}
			return 0;
		};
		$source = Imagewright_Source::of( $id );
		$full   = $in_use( $size['width'], $size['height'] );
		if ( 0 === $full && 'replace' === Imagewright_Options::all()['delivery'] && ! is_wp_error( $source ) ) {
			// The upload that WordPress scaled is replaced too.
			$full = (int) filesize( $source['path'] );
		}
		$list = array(
			array(
				'name'  => 'full',
				'bytes' => $full,
			),
		);
		foreach ( Imagewright_Sizes::requested( array( $size ) ) as $entry ) {
			$is_crop = 'cover' === ( $entry['fit'] ?? '' );
			$box     = array( $entry['width'], $entry['height'] ?? 0 );
			list( $width, $height ) = $is_crop ? $box : wp_constrain_dimensions( $size['width'], $size['height'], $box[0], $box[1] );
			$list[] = array(
				'name'  => $entry['width'] . 'w',
				'bytes' => $in_use( $width, $height ),
			);
		}
		if ( 'replace' === Imagewright_Options::all()['delivery'] ) {
			// A size that the attachment lacks is added to it.
			$list = array_filter(
				$list,
				static function ( $one ) {
					return $one['bytes'] > 0;
				}
			);
		}
		return array_values( $list );
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
