<?php
/**
 * Images of products.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Offers the optimized files of a product's variations. WooCommerce sends their images as data and puts them into the `img` of the
 * page by script, where the `source` of the first image would still take precedence.
 */
class Imagewright_Shop {

	/** Key of the data of an image: `srcset` by type. */
	const KEY = 'imagewright';

	/**
	 * Adds the optimized files to the data of a variation, in the page or for a request of its script.
	 *
	 * @param array $data Data with `image`: `src`, `srcset`, `sizes`.
	 * @return array
	 */
	public static function variation( $data ) {
		if ( empty( $data['image']['src'] ) || ! Imagewright_Picture::is_on() ) {
			return $data;
		}
		$image                       = $data['image'];
		$data['image'][ self::KEY ] = (object) Imagewright_Picture::sources( (string) ( empty( $image['srcset'] ) ? $image['src'] : $image['srcset'] ) );
		return $data;
	}

	/** Loads the script before a form of variations. */
	public static function form() {
		if ( Imagewright_Picture::is_on() ) {
			wp_enqueue_script( 'imagewright-shop', plugins_url( 'build/shop.js', IMAGEWRIGHT_FILE ), array( 'jquery' ), IMAGEWRIGHT_VERSION, true );
		}
	}
}
