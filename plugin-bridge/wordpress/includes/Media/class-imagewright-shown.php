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

	/** Share of the bytes of the shown files that an export has to save. */
	const LEAST_GAIN = 0.01;

	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Image sizes of the site. */
	private Imagewright_Sizes $sizes;
	/** Records of images. */
	private Imagewright_State $state;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Settings. */
	private Imagewright_Options $options;
	/** Other plugins that deliver smaller files. */
	private Imagewright_Neighbours $neighbours;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Files   $files   Files below the uploads folder.
	 * @param Imagewright_Sizes   $sizes   Image sizes of the site.
	 * @param Imagewright_State   $state   Records of images.
	 * @param Imagewright_Source  $source  Source files of attachments.
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Neighbours $neighbours Other plugins that deliver smaller files.
	 */
	public function __construct(
		Imagewright_Files $files,
		Imagewright_Sizes $sizes,
		Imagewright_State $state,
		Imagewright_Source $source,
		Imagewright_Options $options,
		Imagewright_Neighbours $neighbours
	) {
		$this->files   = $files;
		$this->sizes   = $sizes;
		$this->state   = $state;
		$this->source  = $source;
		$this->options = $options;
		$this->neighbours = $neighbours;
	}

	/**
	 * Lists the files that exist on this server.
	 *
	 * @param int $id Attachment.
	 * @return array<string,array{path:string,width:int,height:int,bytes:int,served:int,known:bool}> By name. `served`: bytes that visitors
	 *         get in its place by another plugin, else those of the file; `known` is false if the service cannot make the same picture: a crop that is not centred or that a person cut, or of a size that is not registered any more.
	 */
	public function of( $id ) {
		$attached = get_attached_file( $id, true );
		$metadata = wp_get_attachment_metadata( $id, true );
		if ( ! is_array( $metadata ) || ! $this->files->is_local( $attached ) ) {
			return array();
		}
		$found = array();
		foreach ( $this->listed( $attached, $metadata ) as $name => $file ) {
			$path = path_join( dirname( $attached ), $name );
			if ( is_file( $path ) ) {
				$bytes          = (int) filesize( $path );
				$found[ $name ] = array( 'served' => $this->neighbours->served( $bytes, $file['entry'] ) ) + array_diff_key( $file, array( 'entry' => 1 ) ) + compact( 'path', 'bytes' );
			}
		}
		return $found;
	}

	/**
	 * Lists the files that pages showed before an attachment was replaced.
	 *
	 * @param array $snapshot Snapshot.
	 * @return array<string,array{width:int,height:int,bytes:int,served:int,known:bool}> By name.
	 */
	private function before( $snapshot ) {
		$found = array();
		foreach ( $this->listed( $snapshot['attached_file'], $snapshot['metadata'] ) as $name => $file ) {
			if ( isset( $snapshot['files'][ $name ] ) ) {
				$bytes          = (int) $snapshot['files'][ $name ]['size'];
				$found[ $name ] = array( 'served' => $this->neighbours->served( $bytes, $file['entry'] ) ) + $file + compact( 'bytes' );
			}
		}
		return $found;
	}

	/**
	 * Lists the attached file and the sizes in metadata.
	 *
	 * @param string $attached Attached file.
	 * @param array  $metadata Attachment metadata.
	 * @return array<string,array{width:int,height:int,known:bool,entry:array}> By name.
	 */
	private function listed( $attached, $metadata ) {
		$full  = array(
			'width'  => (int) ( $metadata['width'] ?? 0 ),
			'height' => (int) ( $metadata['height'] ?? 0 ),
		);
		$files = array( wp_basename( $attached ) => $full + array( 'known' => true, 'entry' => $metadata ) );
		foreach ( (array) ( $metadata['sizes'] ?? array() ) as $name => $size ) {
			if ( ! empty( $size['file'] ) && ! empty( $size['width'] ) && ! isset( $files[ $size['file'] ] ) ) {
				$files[ $size['file'] ] = array(
					'width'  => (int) $size['width'],
					'height' => (int) $size['height'],
					'entry'  => $size,
					'known'  => ( $this->is_whole( $size, $full ) || $this->sizes->is_centred_crop( $name ) ) && ! $this->sizes->is_cut_by_hand( $size, $attached ),
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
	 * @return array<string,array> Smaller variants by name of the file.
	 */
	public function smaller( $files, $variants ) {
		$found = array();
		foreach ( $files as $name => $file ) {
			foreach ( $file['known'] ? $variants : array() as $variant ) {
				if ( $this->sizes->is_near( $variant, $file['width'], $file['height'] ) && (int) $variant['size'] < min( $file['bytes'], $file['served'] ) ) {
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
	public function replaces( $id, $size ) {
		$files  = $this->now( $id );
		$in_use = function ( $width, $height ) use ( $files ) {
			foreach ( $files as $file ) {
				if ( $file['known'] && $this->sizes->is_near( $file, $width, $height ) ) {
					return $file['served'];
				}
			}
			return 0;
		};
		$source = $this->source->of( $id );
		$full   = $in_use( $size['width'], $size['height'] );
		if ( 0 === $full && 'replace' === $this->options->all()['delivery'] && ! is_wp_error( $source ) ) {
			// The upload that WordPress scaled is replaced too.
			$full = (int) filesize( $source['path'] );
		}
		$list = array(
			array(
				'name'  => 'full',
				'bytes' => $full,
			),
		);
		foreach ( $this->sizes->requested( array( $size ) ) as $entry ) {
			$is_crop = 'cover' === ( $entry['fit'] ?? '' );
			$box     = array( $entry['width'], $entry['height'] ?? 0 );
			list( $width, $height ) = $is_crop ? $box : wp_constrain_dimensions( $size['width'], $size['height'], $box[0], $box[1] );
			$list[] = array(
				'name'  => $entry['width'] . 'w',
				'bytes' => $in_use( $width, $height ),
			);
		}
		if ( 'replace' === $this->options->all()['delivery'] ) {
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
	 * Returns how much an export has to save of what pages show: with less they load no faster, and it would be paid for nothing.
	 *
	 * @param array $size     Width and height of the source file.
	 * @param int   $id       Attachment.
	 * @param array $replaces Of replaces().
	 * @return array{bytes:int,of:string[]} `of`: variants of files that pages show.
	 */
	public function least_gain( $id, $size, $replaces ) {
		$bytes = array_filter( array_column( $replaces, 'bytes', 'name' ) );
		$files = $this->now( $id );
		$shown = array_filter( $files, fn( $file ) => $this->sizes->is_near( $file, $size['width'], $size['height'] ) );
		if ( ! $shown ) {
			// The upload that WordPress scaled, which no page shows.
			unset( $bytes['full'] );
		}
		return array(
			'bytes' => max( 1, (int) ceil( self::LEAST_GAIN * array_sum( $bytes ) ) ),
			'of'    => array_map( 'strval', array_keys( $bytes ) ),
		);
	}

	/**
	 * Lists the files that a result is compared with.
	 *
	 * @param int $id Attachment.
	 * @return array<string,array> Of of(), or of before() for a replaced image.
	 */
	private function now( $id ) {
		$state = $this->state->get( $id );
		return $state && isset( $state['snapshot']['metadata'] ) ? $this->before( $state['snapshot'] ) : $this->of( $id );
	}

	/**
	 * Returns true if a size shows the whole image.
	 *
	 * @param array $size Size.
	 * @param array $full Attached file.
	 * @return bool
	 */
	private function is_whole( $size, $full ) {
		return abs( $size['width'] * $full['height'] / max( 1, $full['width'] ) - $size['height'] ) <= 1;
	}
}
