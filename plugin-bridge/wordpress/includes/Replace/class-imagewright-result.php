<?php
/**
 * Results of exports, and their files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads results and checks that they may replace an attachment's files.
 */
class Imagewright_Result {

	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;
	/** Records of images. */
	private Imagewright_State $state;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Service. */
	private Imagewright_Service $service;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Sessions    $sessions    Ownership of sessions and jobs.
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Source      $source      Source files of attachments.
	 * @param Imagewright_Files       $files       Files below the uploads folder.
	 * @param Imagewright_Service     $service     Service.
	 */
	public function __construct(
		Imagewright_Sessions $sessions,
		Imagewright_State $state,
		Imagewright_Eligibility $eligibility,
		Imagewright_Source $source,
		Imagewright_Files $files,
		Imagewright_Service $service
	) {
		$this->sessions    = $sessions;
		$this->state       = $state;
		$this->eligibility = $eligibility;
		$this->source      = $source;
		$this->files       = $files;
		$this->service     = $service;
	}

	/**
	 * Reads a result from the service and checks that it was made from the attachment's current file.
	 *
	 * @param int    $id           Attachment.
	 * @param string $job_id       Job.
	 * @param string $image        Image.
	 * @param bool   $allow_larger True to accept a larger file. Files beside those of WordPress are always smaller.
	 * @return array|WP_Error
	 */
	public function read( $id, $job_id, $image, $allow_larger ) {
		$job = $this->sessions->own_job( $job_id );
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
		if ( ! in_array( (string) $result['clientRef'], array_map( 'strval', $this->state->attachments( $id ) ), true ) ) {
			return Imagewright_Rest_Errors::make( 'other_image', __( 'This result belongs to another image.', 'imagewright' ), 409 );
		}
		if ( 'completed' !== $result['status'] ) {
			$code = (string) ( $result['error']['code'] ?? 'processing_failed' );
			return new WP_Error( $code, Imagewright_Rest_Errors::translate( $code, (string) ( $result['error']['message'] ?? __( 'The image could not be processed.', 'imagewright' ) ) ), array( 'status' => 422 ) );
		}
		$before = (int) $result['original']['size'];
		$change = $this->change( $id, $before, (string) ( $result['original']['sha256'] ?? '' ) );
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
			return $this->eligibility->lost_animation( $result ) ? $this->eligibility->not_moving( $result, $before ) : $this->eligibility->not_smaller( $result, $before );
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
	public function change( $id, $size, $sha256 = '' ) {
		$source = $this->source->of( $id );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		$is_same = wp_filesize( $source['path'] ) === $size && ( '' === $sha256 || hash_file( 'sha256', $source['path'] ) === $sha256 );
		return $is_same ? null : $this->changed();
	}

	/**
	 * Creates the error for a result of an older file.
	 *
	 * @return WP_Error
	 */
	public function changed() {
		return Imagewright_Rest_Errors::make( 'source_changed', __( 'The file has changed since it was sent to the service.', 'imagewright' ), 409 );
	}

	/**
	 * Downloads the files of a full export.
	 *
	 * @param string  $session  Session, not one of samples.
	 * @param array   $variants Variants of the result.
	 * @param string  $mime     Expected type.
	 * @param bool    $decode   True to require that WordPress can decode the files.
	 * @return array<string,string>|WP_Error Paths by name of the variant. The caller removes the files.
	 */
	public function fetch( $session, $variants, $mime, $decode = true ) {
		$paths = array();
		foreach ( $variants as $variant ) {
			$path                      = $this->files->temporary();
			$paths[ $variant['name'] ] = $path;
			$answer                    = $this->service->request(
				'GET',
				"/v1/sessions/$session/download?filename=" . rawurlencode( $this->address( $variant ) ),
				array( 'file' => $path )
			);
			$error = is_wp_error( $answer ) ? $answer : $this->fault( $answer, $path, $variant, $mime, $decode );
			if ( $error ) {
				$this->discard( $paths );
				return $error;
			}
		}
		return $paths;
	}

	/**
	 * Returns the parameter of a file's address, which names its bytes. A service of an earlier version names the file alone.
	 *
	 * @param array $variant Variant of the result.
	 * @return string
	 */
	private function address( $variant ) {
		wp_parse_str( (string) wp_parse_url( (string) ( $variant['url'] ?? '' ), PHP_URL_QUERY ), $query );
		$address = $query['filename'] ?? '';
		return is_string( $address ) && '' !== $address ? $address : $variant['filename'];
	}

	/**
	 * Removes temporary files.
	 *
	 * @param string[] $paths Paths.
	 */
	public function discard( $paths ) {
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
	private function fault( $answer, $path, $variant, $mime, $decode ) {
		if ( 200 !== $answer['status'] ) {
			return Imagewright_Rest_Errors::from_service( $answer['status'], (array) json_decode( $this->files->read( $path ), true ), $answer['headers'] );
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
		if ( $decode && ! $this->opens( $path, $size ) ) {
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
	private function opens( $path, $size ) {
		if ( $size[0] * $size[1] > 2100000 ) {
			return true;
		}
		$webp = wp_get_webp_info( $path );
		return 'animated-alpha' === $webp['type'] || ! is_wp_error( wp_get_image_editor( $path ) );
	}
}
