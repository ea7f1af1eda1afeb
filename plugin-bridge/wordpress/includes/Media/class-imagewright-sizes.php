<?php
/**
 * Image sizes of the site.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Builds the sizes of an export from the registered sizes, and assigns the exported variants to them.
 */
class Imagewright_Sizes {

	/** Point around which WordPress crops. Without one the service crops around the part that attracts attention. */
	const CENTRE = array(
		'x' => 0.5,
		'y' => 0.5,
	);

	/** Settings. */
	private Imagewright_Options $options;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 */
	public function __construct( Imagewright_Options $options ) {
		$this->options = $options;
	}

	/**
	 * Applies the setting of the largest edge to the limit above which WordPress shows a scaled copy of an upload.
	 *
	 * @param int|false $threshold Pixels; false for no limit.
	 * @return int|false
	 */
	public function limit( $threshold ) {
		$wanted = (int) $this->options->all()['max_edge'];
		return $wanted > 0 ? $wanted : $threshold;
	}

	/**
	 * Returns the longest edge in pixels above which WordPress uses a scaled copy; 0 for no limit.
	 *
	 * @param array $size   Width and height of the image.
	 * @param int   $id     Attachment.
	 * @param string $path  File.
	 * @return int
	 */
	public function threshold( $size, $id, $path = '' ) {
		// A filter of core, called with the same arguments.
		return (int) apply_filters( 'big_image_size_threshold', 2560, $size, $path, $id );
	}

	/**
	 * Builds the `responsiveSizes` of an export from the registered sizes, up to the limit of the contract. The service omits
	 * boxes that are wider than the image even if their height would apply, so such images get an entry with exact dimensions.
	 * WordPress makes the omitted sizes from the optimized file.
	 *
	 * @param array<int,array{width:int,height:int}> $images Dimensions of the images, if known.
	 * @return array<int,array{width:int,height?:int,fit?:string}>
	 */
	public function requested( $images = array() ) {
		$entries = array();
		foreach ( $this->boxes() as list( $width, $height, $crop ) ) {
			$fitting = 0;
			$own     = array();
			foreach ( $images as $image ) {
				$measures = image_resize_dimensions( $image['width'], $image['height'], $width, $height, $crop );
				if ( $measures && $width <= $image['width'] ) {
					++$fitting;
				} elseif ( $measures && ! $crop ) {
					$own[] = $this->entry( $measures[4], $measures[5], false );
				}
			}
			if ( ! $images || $fitting > 0 ) {
				$entries[] = $this->entry( $width, $height, $crop );
			}
			$entries = array_merge( $entries, $own );
		}
		$by_width = array();
		foreach ( array_filter( $entries ) as $entry ) {
			$width = $entry['width'];
			// The service makes one file per width. A second box of a width is one pixel wider or narrower, which counts as equal.
			foreach ( array( $width, $width + 1, $width - 1 ) as $free ) {
				$taken = $by_width[ $free ] ?? null;
				if ( null === $taken || array( 'width' => $width ) + $taken === $entry ) {
					$by_width[ $free ] = $taken ?? array( 'width' => $free ) + $entry;
					break;
				}
			}
		}
		return array_slice( array_values( $by_width ), 0, Imagewright_Contract::MAX_RESPONSIVE_SIZES );
	}

	/**
	 * Returns the boxes that WordPress fits images into: the scaled copy of large images, then the registered sizes.
	 *
	 * @return array<int,array{0:int,1:int,2:bool}> Width, height, true for cropped sizes.
	 */
	private function boxes() {
		$threshold = $this->threshold( array( 0, 0 ), 0 );
		$boxes     = $threshold > 0 ? array( array( $threshold, $threshold, false ) ) : array();
		foreach ( wp_get_registered_image_subsizes() as $size ) {
			if ( $this->is_centred( $size ) ) {
				$boxes[] = array( (int) $size['width'], (int) $size['height'], (bool) $size['crop'] );
			}
		}
		return $boxes;
	}

	/**
	 * Returns true if the service can make a size: the whole image, or a crop around CENTRE.
	 *
	 * @param array $size Registered size.
	 * @return bool
	 */
	private function is_centred( $size ) {
		return ! is_array( $size['crop'] ) || array( 'center', 'center' ) === $size['crop'];
	}

	/**
	 * Returns true if a registered size is a crop around the centre.
	 *
	 * @param string $name Name of the size.
	 * @return bool
	 */
	public function is_centred_crop( $name ) {
		$size = wp_get_registered_image_subsizes()[ $name ] ?? array( 'crop' => false );
		return ! empty( $size['crop'] ) && $this->is_centred( $size );
	}

	/**
	 * Returns true if a person cut a size of an attachment: WordPress's image editor applied to thumbnails alone, whose file then has
	 * another stamp than the attached file or none, and the plugin Crop Thumbnails, which notes the cut.
	 *
	 * @param array  $size     Entry of the metadata.
	 * @param string $attached Attached file.
	 * @return bool
	 */
	public function is_cut_by_hand( $size, $attached ) {
		$stamp = static function ( $name ) {
			return preg_match( '/-e\d{13}(?=[-.])/', wp_basename( $name ), $found ) ? $found[0] : '';
		};
		return isset( $size['cpt_last_cropping_data'] ) || ( ! empty( $size['file'] ) && $stamp( $size['file'] ) !== $stamp( $attached ) );
	}

	/**
	 * Builds one entry of `responsiveSizes`.
	 *
	 * @param int  $width  Pixels; 0 for any.
	 * @param int  $height Pixels; 0 for any.
	 * @param bool $crop   True to fill the size and crop.
	 * @return array|null Null if the size is outside of the limits.
	 */
	private function entry( $width, $height, $crop ) {
		$least = Imagewright_Contract::MIN_EDGE;
		$most  = Imagewright_Contract::MAX_EDGE;
		if ( $width < $least || $width > $most || ( $crop && ( $height < $least || $height > $most ) ) ) {
			return null;
		}
		$entry = array( 'width' => $width );
		if ( $height >= $least && $height <= $most ) {
			$entry['height'] = $height;
			$entry['fit']    = $crop ? 'cover' : 'inside';
		}
		return $entry;
	}

	/**
	 * Builds the export settings for this site.
	 *
	 * @param string $format Output format.
	 * @param string $preset Preset.
	 * @param array  $images Dimensions of the images, if known.
	 * @return array
	 */
	public function settings( $format, $preset, $images = array() ) {
		$sizes    = $this->requested( $images );
		$settings = array(
			'format'     => $format,
			'preset'     => $preset,
			'responsive' => (bool) $sizes,
			'focalPoint' => self::CENTRE,
			'onlySmaller' => true,
		);
		if ( $sizes ) {
			$settings['responsiveSizes'] = $sizes;
		}
		return $settings + $this->options->for_exports();
	}

	/**
	 * Assigns variants to the sizes that WordPress would make of an image, by their dimensions.
	 *
	 * @param array $full     The `full` variant.
	 * @param array $variants All variants.
	 * @param array $metadata Attachment metadata.
	 * @return array<string,array> Variants by name of the size, without sizes that a person cut.
	 */
	public function assign( $full, $variants, $metadata ) {
		$found = array();
		foreach ( wp_get_registered_image_subsizes() as $name => $size ) {
			$measures = image_resize_dimensions( $full['width'], $full['height'], $size['width'], $size['height'], $size['crop'] );
			if ( ! $measures || ! $this->is_centred( $size ) || $this->is_cut_by_hand( $metadata['sizes'][ $name ] ?? array(), $metadata['file'] ?? '' ) ) {
				continue;
			}
			foreach ( $variants as $variant ) {
				if ( 'full' !== $variant['name'] && $this->is_near( $variant, $measures[4], $measures[5] ) ) {
					$found[ $name ] = $variant;
					break;
				}
			}
		}
		return $found;
	}

	/**
	 * Finds the scaled variant of an image above the threshold.
	 *
	 * @param array $full     The `full` variant.
	 * @param array $variants All variants.
	 * @param int   $id       Attachment.
	 * @return array|null Null if the image is below the threshold or the variant is missing.
	 */
	public function scaled( $full, $variants, $id ) {
		$threshold = $this->threshold( array( $full['width'], $full['height'] ), $id );
		if ( $threshold <= 0 || ( $full['width'] <= $threshold && $full['height'] <= $threshold ) ) {
			return null;
		}
		list( $width, $height ) = wp_constrain_dimensions( $full['width'], $full['height'], $threshold, $threshold );
		foreach ( $variants as $variant ) {
			if ( 'full' !== $variant['name'] && $this->is_near( $variant, $width, $height ) ) {
				return $variant;
			}
		}
		return null;
	}

	/**
	 * Generates the missing sizes of an attachment with WordPress.
	 *
	 * @param int      $id       Attachment.
	 * @param string[] $reserved Sizes to omit: WordPress would overwrite a file of another attachment.
	 */
	public function make_missing( $id, $reserved = array() ) {
		require_once ABSPATH . 'wp-admin/includes/image.php';
		$without = static function ( $missing ) use ( $reserved ) {
			return array_diff_key( $missing, array_flip( $reserved ) );
		};
		add_filter( 'wp_get_missing_image_subsizes', $without );
		try {
			if ( wp_get_missing_image_subsizes( $id ) ) {
				wp_update_image_subsizes( $id );
			}
		} finally {
			remove_filter( 'wp_get_missing_image_subsizes', $without );
		}
	}

	/**
	 * Returns true if a variant has the given dimensions within one pixel.
	 *
	 * @param array $variant Variant.
	 * @param int   $width   Pixels.
	 * @param int   $height  Pixels.
	 * @return bool
	 */
	public function is_near( $variant, $width, $height ) {
		return abs( $variant['width'] - $width ) <= 1 && abs( $variant['height'] - $height ) <= 1;
	}
}
