<?php
/**
 * Downloads of exported files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Downloads variants to temporary files and verifies them.
 */
class Imagewright_Download {

	/**
	 * Downloads the files of a full export.
	 *
	 * @param string  $session  Session, not one of samples.
	 * @param array   $variants Variants of the result.
	 * @param string  $mime     Expected type.
	 * @param bool    $decode   True to require that WordPress can decode the files.
	 * @return array<string,string>|WP_Error Paths by name of the variant. The caller removes the files.
	 */
	public static function fetch( $session, $variants, $mime, $decode = true ) {
		$paths = array();
		foreach ( $variants as $variant ) {
			$path                      = Imagewright_Files::temporary();
			$paths[ $variant['name'] ] = $path;
			$answer                    = Imagewright_Service::request(
				'GET',
				"/v1/sessions/$session/download?filename=" . rawurlencode( $variant['filename'] ),
				array( 'file' => $path )
			);
			$error = is_wp_error( $answer ) ? $answer : self::fault( $answer, $path, $variant, $mime, $decode );
			if ( $error ) {
				self::discard( $paths );
				return $error;
			}
		}
		return $paths;
	}

	/**
	 * Removes temporary files.
	 *
	 * @param string[] $paths Paths.
	 */
	public static function discard( $paths ) {
		foreach ( $paths as $path ) {
			if ( is_file( $path ) ) {
				wp_delete_file( $path );
			}
		}
	}

	/**
	 * Verifies a downloaded file. Returns null if it is intact.
	 *
	 * @param array  $answer  Response of the service.
	 * @param string $path    File.
	 * @param array  $variant Expected size, checksum and dimensions.
	 * @param string $mime    Expected type.
	 * @param bool   $decode  True to require that WordPress can decode the file.
	 * @return WP_Error|null
	 */
	private static function fault( $answer, $path, $variant, $mime, $decode ) {
		if ( 200 !== $answer['status'] ) {
			return Imagewright_Rest_Errors::from_service( $answer['status'], (array) json_decode( Imagewright_Files::read( $path ), true ), $answer['headers'] );
		}
		clearstatcache( true, $path );
		$size = wp_getimagesize( $path );
		$same = wp_filesize( $path ) === (int) $variant['size']
			&& hash_file( 'sha256', $path ) === $variant['sha256']
			&& wp_get_image_mime( $path ) === $mime
			&& $size && $size[0] === (int) $variant['width'] && $size[1] === (int) $variant['height'];
		if ( ! $same ) {
			/* translators: %s: file name */
			return Imagewright_Rest_Errors::make( 'bad_download', sprintf( __( 'The downloaded file %s differs from the exported one.', 'imagewright' ), $variant['filename'] ), 502 );
		}
		if ( $decode && ! self::opens( $path, $size ) ) {
			/* translators: %s: file name */
			return Imagewright_Rest_Errors::make( 'cannot_open', sprintf( __( 'WordPress cannot open the exported file %s on this server.', 'imagewright' ), $variant['filename'] ), 422 );
		}
		return null;
	}

	/**
	 * Returns true if this server can decode a file. Files above 2.1 megapixels and animations, which GD cannot open, are not
	 * decoded.
	 *
	 * @param string $path File.
	 * @param array  $size Dimensions.
	 * @return bool
	 */
	private static function opens( $path, $size ) {
		if ( $size[0] * $size[1] > 2100000 ) {
			return true;
		}
		$webp = wp_get_webp_info( $path );
		return 'animated-alpha' === $webp['type'] || ! is_wp_error( wp_get_image_editor( $path ) );
	}
}
