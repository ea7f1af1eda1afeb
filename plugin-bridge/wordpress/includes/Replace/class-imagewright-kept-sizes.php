<?php
/**
 * Sizes that are kept when WordPress makes them again.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Keeps the optimized files of a replaced image when all of its sizes are made again, as plugins that regenerate thumbnails do: a file that
 * is as the export left it needs no other one, and would take another export to get back.
 */
class Imagewright_Kept_Sizes {

	/**
	 * Entries of metadata that are put back, by attachment: `sizes` by name, and `scaled`, those of the attached file.
	 *
	 * @var array<int,array<string,array>>
	 */
	private $kept = array();

	/** Records of images. */
	private Imagewright_State $state;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Image sizes of the site. */
	private Imagewright_Sizes $sizes;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State $state Records of images.
	 * @param Imagewright_Lock  $lock  Locks of attachments.
	 * @param Imagewright_Sizes $sizes Image sizes of the site.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Lock $lock,
		Imagewright_Sizes $sizes
	) {
		$this->state = $state;
		$this->lock  = $lock;
		$this->sizes = $sizes;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->filter( 'big_image_size_threshold', array( __CLASS__, 'keep_scaled' ), PHP_INT_MAX, 4 );
		$hooks->filter( 'intermediate_image_sizes_advanced', array( __CLASS__, 'keep_sizes' ), PHP_INT_MAX, 3 );
		$hooks->filter( 'wp_generate_attachment_metadata', array( __CLASS__, 'put_back' ), 1, 2 );
	}

	/**
	 * Returns the record of an image whose files took the place of WordPress's own, if another plugin works on it.
	 *
	 * @param int $id Attachment.
	 * @return array|null
	 */
	private function record( $id ) {
		$state = $this->state->get( $id );
		$is_it = $state && 'optimized' === $state['status'] && 'beside' !== ( $state['way'] ?? '' ) && ! $this->lock->is_mine( $id );
		return $is_it && get_post_meta( $id, '_wp_attached_file', true ) === $state['after']['file'] ? $state : null;
	}

	/**
	 * Keeps the scaled copy of a large image.
	 *
	 * @param int|false $threshold Pixels; false for no limit.
	 * @param array     $size      Unused.
	 * @param string    $file      File that is to be scaled; empty if the limit alone is asked for.
	 * @param int       $id        Attachment.
	 * @return int|false
	 */
	public function keep_scaled( $threshold, $size = array(), $file = '', $id = 0 ) {
		$state = '' === (string) $file || ! $id ? null : $this->record( (int) $id );
		$named = $state ? wp_get_attachment_metadata( $id, true ) : array();
		$path  = $state ? (string) get_attached_file( $id, true ) : '';
		if ( ! $state || empty( $named['original_image'] ) || wp_basename( $file ) !== $named['original_image'] || ! $this->is_same( $state, $path ) ) {
			return $threshold;
		}
		$this->kept[ $id ]['scaled'] = array_intersect_key( $named, array_flip( array( 'width', 'height', 'file', 'filesize', 'original_image' ) ) );
		return false;
	}

	/**
	 * Removes sizes with optimized files from the list of sizes to make.
	 *
	 * @param array $sizes    Registered sizes by name.
	 * @param array $metadata Metadata of the file they are made of.
	 * @param int   $id       Attachment.
	 * @return array
	 */
	public function keep_sizes( $sizes, $metadata = array(), $id = 0 ) {
		$state = $id && ! empty( $metadata['width'] ) ? $this->record( (int) $id ) : null;
		if ( ! $state ) {
			return $sizes;
		}
		$dir = dirname( (string) get_attached_file( $id, true ) );
		foreach ( $sizes as $name => $size ) {
			$measures = image_resize_dimensions( $metadata['width'], $metadata['height'], (int) $size['width'], (int) $size['height'], $size['crop'] );
			foreach ( $measures ? array_keys( (array) ( $state['after']['shown'] ?? array() ) ) : array() as $file ) {
				$is_it = preg_match( '/-(\d+)x(\d+)\.\w+$/', $file, $found ) && $this->sizes->is_near(
					array(
						'width'  => (int) $found[1],
						'height' => (int) $found[2],
					),
					$measures[4],
					$measures[5]
				);
				if ( $is_it && $this->is_same( $state, path_join( $dir, $file ) ) ) {
					$this->kept[ $id ]['sizes'][ $name ] = array(
						'file'      => $file,
						'width'     => (int) $found[1],
						'height'    => (int) $found[2],
						'mime-type' => (string) wp_check_filetype( $file )['type'],
						'filesize'  => (int) filesize( path_join( $dir, $file ) ),
					);
					unset( $sizes[ $name ] );
					break;
				}
			}
		}
		return $sizes;
	}

	/**
	 * Puts the kept files back into the metadata.
	 *
	 * @param mixed $metadata Metadata of the files that were made.
	 * @param int   $id       Attachment.
	 * @return mixed
	 */
	public function put_back( $metadata, $id ) {
		$kept = $this->kept[ $id ] ?? array();
		unset( $this->kept[ $id ] );
		if ( ! $kept || ! is_array( $metadata ) ) {
			return $metadata;
		}
		$sizes    = ( $kept['sizes'] ?? array() ) + (array) ( $metadata['sizes'] ?? array() );
		$metadata = ( $kept['scaled'] ?? array() ) + $metadata;
		return array( 'sizes' => $sizes ) + $metadata;
	}

	/**
	 * Returns true if a file is as the export left it, by its size.
	 *
	 * @param array  $state Record.
	 * @param string $path  File.
	 * @return bool
	 */
	private function is_same( $state, $path ) {
		$known = $state['after']['shown'][ wp_basename( $path ) ] ?? null;
		clearstatcache( true, $path );
		return $known && is_file( $path ) && filesize( $path ) === $known['size'];
	}
}
