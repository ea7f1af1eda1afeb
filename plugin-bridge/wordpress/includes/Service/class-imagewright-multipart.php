<?php
/**
 * Uploads to the service.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Builds multipart bodies. The HTTP API of WordPress takes the body as one string in memory.
 */
class Imagewright_Multipart {

	/**
	 * Builds a request body of files and the `metadata` field.
	 *
	 * @param array<int,array{path:string,name:string,type:string}> $files    Files on disk.
	 * @param string                                                $metadata JSON array in file order, or an empty string.
	 * @return array{body:string,headers:array<string,string>}|WP_Error
	 */
	public static function build( $files, $metadata = '' ) {
		wp_raise_memory_limit( 'image' );
		$parts = array();
		$sum   = '';
		foreach ( $files as $file ) {
			// A local file. Its path never comes from a request.
			$bytes = is_readable( $file['path'] ) ? file_get_contents( $file['path'] ) : false;
			if ( false === $bytes || '' === $bytes ) {
				return Imagewright_Rest_Errors::make( 'unreadable', __( 'The file cannot be read.', 'imagewright' ), 422 );
			}
			$sum    .= md5( $bytes );
			$parts[] = array( $file, $bytes );
			unset( $bytes );
		}
		// Derived from the contents: a repeated request needs an equal body for its idempotency key.
		$boundary = 'imagewright-' . md5( $sum . $metadata );
		$body     = '';
		foreach ( $parts as $index => list( $file, $bytes ) ) {
			$body .= "--$boundary\r\nContent-Disposition: form-data; name=\"images\"; filename=\"" . self::quote( $file['name'] ) . "\"\r\n";
			$body .= 'Content-Type: ' . $file['type'] . "\r\n\r\n";
			$body .= $bytes;
			$body .= "\r\n";
			unset( $parts[ $index ], $bytes );
		}
		if ( '' !== $metadata ) {
			$body .= "--$boundary\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n$metadata\r\n";
		}
		return array(
			'body'    => $body . "--$boundary--\r\n",
			'headers' => array( 'Content-Type' => "multipart/form-data; boundary=$boundary" ),
		);
	}

	/**
	 * Escapes a file name for a quoted parameter in the same way as browsers.
	 *
	 * @param string $name File name.
	 * @return string
	 */
	private static function quote( $name ) {
		return str_replace( array( '"', "\r", "\n", '\\' ), array( '%22', '%0D', '%0A', '_' ), $name );
	}
}
