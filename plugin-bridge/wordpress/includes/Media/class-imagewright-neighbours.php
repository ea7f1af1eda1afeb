<?php
/**
 * Other plugins that deliver smaller files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Asks what pages show by other plugins: one that puts images into a `picture` of its own hides optimized files beside WordPress's, and
 * files that are served already are what a gain is measured by.
 */
class Imagewright_Neighbours {

	/** Attribute of an `img` that is in a `picture` of this plugin: block themes filter the content of a post a second time. */
	const OURS = 'data-iw';

	/**
	 * Answers of hide(), by attachment.
	 *
	 * @var array<int,bool>
	 */
	private $known = array();

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
	 * Returns true if another plugin changes the images of pages, and the optimized files lie beside those of WordPress.
	 *
	 * @return bool
	 */
	public function may_hide() {
		if ( 'beside' !== $this->options->all()['delivery'] ) {
			return false;
		}
		global $wp_filter;
		foreach ( isset( $wp_filter['wp_content_img_tag'] ) ? $wp_filter['wp_content_img_tag']->callbacks : array() as $callbacks ) {
			foreach ( $callbacks as $callback ) {
				$function = $callback['function'];
				$of       = $function instanceof Closure ? ( new ReflectionFunction( $function ) )->getClosureThis() : ( is_array( $function ) ? $function[0] : null );
				if ( ! is_object( $of ) || 0 !== strpos( get_class( $of ), 'Imagewright_' ) ) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Returns true if another plugin puts an image of a content into a `picture`: its files are shown instead of those beside WordPress's.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function hide( $id ) {
		if ( ! isset( $this->known[ $id ] ) ) {
			$this->known[ $id ] = $this->may_hide() && $this->is_in_picture( $id );
		}
		return $this->known[ $id ];
	}

	/**
	 * Returns true if an image comes back from the filters of a content in a `picture` of another plugin.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	private function is_in_picture( $id ) {
		$img = wp_get_attachment_image( $id, 'large', false, array( 'class' => "wp-image-$id" ) );
		if ( '' === $img || false !== strpos( $img, self::OURS ) ) {
			return false;
		}
		// A filter of core, called with the same arguments.
		$html = (string) apply_filters( 'wp_content_img_tag', $img, 'the_content', (int) $id );
		return false !== stripos( $html, '<picture' ) && false !== stripos( $html, '<source' ) && false === strpos( $html, self::OURS );
	}

	/**
	 * Returns how many bytes visitors get for a file: Modern Image Formats shows smaller files in its place, and lists them.
	 *
	 * @param int   $bytes Size of the file.
	 * @param array $entry Its entry in the metadata of the attachment.
	 * @return int
	 */
	public function served( $bytes, $entry ) {
		if ( empty( $entry['sources'] ) || ! is_array( $entry['sources'] ) || ! has_filter( 'the_content', 'webp_uploads_update_image_references' ) ) {
			return $bytes;
		}
		$sizes = array_filter( array_map( 'intval', array_column( $entry['sources'], 'filesize' ) ) );
		return min( array_merge( array( $bytes ), array_values( $sizes ) ) );
	}
}
