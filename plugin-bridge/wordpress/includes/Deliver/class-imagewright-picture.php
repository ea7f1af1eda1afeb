<?php
/**
 * Delivery by `<picture>`.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Offers browsers the optimized files that lie beside the files of WordPress. The `img` stays as WordPress prints it, with
 * `srcset`, `sizes`, `loading` and dimensions, and serves browsers that do not know the format. Asks the file system only.
 */
class Imagewright_Picture {

	/** Attribute of an `img` that is in a `picture`: block themes filter the content of a post a second time. */
	const SEEN = 'data-iw';

	/** Registers the hooks for pages. Administration, feeds and the REST API keep WordPress's own markup. */
	public static function register() {
		add_action( 'template_redirect', array( __CLASS__, 'begin' ) );
	}

	/**
	 * Returns true if pages offer optimized files.
	 *
	 * @return bool
	 */
	public static function is_on() {
		/**
		 * Filters whether pages offer optimized files.
		 *
		 * @param bool $is_on True by default, except in feeds.
		 */
		return (bool) apply_filters( 'imagewright_deliver', ! is_feed() && (bool) Imagewright_Options::delivered() );
	}

	/** Registers the filters of a page. */
	public static function begin() {
		if ( ! self::is_on() ) {
			return;
		}
		add_filter( 'the_content', array( __CLASS__, 'respect' ), 8 );
		add_filter( 'the_content', array( __CLASS__, 'styles' ), 40 );
		add_filter( 'render_block', array( __CLASS__, 'block' ), 30 );
		add_filter( 'wp_content_img_tag', array( __CLASS__, 'wrap' ), 30 );
		add_filter( 'wp_get_attachment_image', array( __CLASS__, 'wrap' ), 30 );
		add_filter( 'get_header_image_tag', array( __CLASS__, 'wrap' ), 30 );
	}

	/**
	 * Leaves the images of a `picture` that an author wrote as they are.
	 *
	 * @param string $html Content.
	 * @return string
	 */
	public static function respect( $html ) {
		if ( false === stripos( $html, '<picture' ) ) {
			return $html;
		}
		return preg_replace_callback(
			'#<picture\b.*?</picture>#is',
			static function ( $found ) {
				return preg_replace( '/<img\s(?!' . self::SEEN . ')/i', '<img ' . self::SEEN . ' ', $found[0] );
			},
			$html
		);
	}

	/**
	 * Changes the backgrounds of a block, and leaves the images of an author's `picture` as they are.
	 *
	 * @param string $html Block.
	 * @return string
	 */
	public static function block( $html ) {
		$html = self::respect( (string) $html );
		if ( false === strpos( $html, 'background-image' ) ) {
			return $html;
		}
		return preg_replace_callback( '/(\sstyle="[^"]*background-image:\s*url\((?:\'|&\#0?39;|&quot;)?)([^"\'()&]+)((?:\'|&\#0?39;|&quot;)?\)[^"]*)"/i', array( __CLASS__, 'background' ), $html );
	}

	/**
	 * Adds the optimized file to the style of a background. Browsers that do not know `image-set` ignore the addition.
	 *
	 * @param string[] $found Match of block(): attribute up to the URL, URL, rest.
	 * @return string
	 */
	public static function background( $found ) {
		list( $all, $before, $url, $after ) = $found;
		$set = false === strpos( $all, 'image-set' ) ? self::image_set( $url, "'" ) : '';
		return '' === $set ? $all : $before . $url . rtrim( $after, '; ' ) . ';background-image:' . str_replace( '&', '&#038;', $set ) . '"';
	}

	/**
	 * Changes the backgrounds in `style` elements of a content, as page builders print them.
	 *
	 * @param string $html Content.
	 * @return string
	 */
	public static function styles( $html ) {
		if ( false === stripos( $html, '<style' ) || false === strpos( $html, 'background-image' ) ) {
			return $html;
		}
		$rule = static function ( $found ) {
			$set = self::image_set( $found[2], '"' );
			return '' === $set ? $found[0] : "$found[0];background-image:$set";
		};
		return preg_replace_callback(
			'#<style\b[^>]*>.*?</style>#is',
			static function ( $found ) use ( $rule ) {
				return preg_replace_callback( '/background-image:\s*url\(\s*(["\']?)([^"\'()]+)\1\s*\)(?=\s*[;}])(?!;background-image:image-set)/i', $rule, $found[0] );
			},
			$html
		);
	}

	/**
	 * Builds the `image-set()` of a file and its optimized files.
	 *
	 * @param string $url   URL of a file of WordPress.
	 * @param string $quote Quote of CSS.
	 * @return string CSS; empty if there are no optimized files.
	 */
	private static function image_set( $url, $quote ) {
		$path = Imagewright_Addresses::path( $url );
		$set  = array();
		foreach ( '' === $path ? array() : Imagewright_Beside::types( $path ) as $mime ) {
			$set[] = "url($quote" . esc_url_raw( Imagewright_Beside::url( $url, $mime ) ) . "$quote) type($quote$mime$quote)";
		}
		return $set ? 'image-set(' . implode( ',', $set ) . ",url($quote" . esc_url_raw( $url ) . "$quote))" : '';
	}

	/**
	 * Puts an `img` into a `picture` with its optimized files.
	 *
	 * @param string $html Markup with one `img`.
	 * @return string
	 */
	public static function wrap( $html ) {
		if ( ! is_string( $html ) || false === stripos( $html, '<img' ) || false !== stripos( $html, '<picture' ) || false !== strpos( $html, ' ' . self::SEEN ) ) {
			return $html;
		}
		return preg_replace_callback( '/<img\s[^>]*>/i', array( __CLASS__, 'picture' ), $html, 1 );
	}

	/**
	 * Builds the `picture` of an `img`.
	 *
	 * @param string[] $found The `img`.
	 * @return string The `img` itself if it has no optimized file.
	 */
	public static function picture( $found ) {
		$img     = $found[0];
		$srcset  = self::attribute( $img, 'srcset' );
		$src     = self::attribute( $img, 'src' );
		$sources = self::sources( '' === $srcset ? $src : $srcset );
		if ( ! $sources ) {
			return $img;
		}
		$sizes = self::attribute( $img, 'sizes' );
		$html  = '';
		foreach ( $sources as $mime => $set ) {
			$html .= '<source type="' . esc_attr( $mime ) . '" srcset="' . esc_attr( $set ) . '"' . ( '' === $sizes ? '' : ' sizes="' . esc_attr( $sizes ) . '"' ) . '>';
		}
		// `display:contents` keeps layouts that expect the img as a child of the figure.
		return '<picture style="display:contents">' . $html . '<img ' . self::SEEN . substr( $img, strlen( '<img' ) ) . '</picture>';
	}

	/**
	 * Builds the `srcset` of each type. A candidate without an optimized file of that type keeps its own, so that each width
	 * has its smallest file.
	 *
	 * @param string $srcset Candidates, or one URL.
	 * @return array<string,string> By type; only types of which there is a file.
	 */
	public static function sources( $srcset ) {
		$candidates = array();
		foreach ( preg_split( '/,\s+|,$/', trim( $srcset ) ) as $candidate ) {
			$parts = preg_split( '/\s+/', trim( $candidate ), 2 );
			$path  = Imagewright_Addresses::path( $parts[0] );
			if ( '' !== $parts[0] ) {
				$candidates[] = array( $parts[0], isset( $parts[1] ) ? ' ' . $parts[1] : '', '' === $path ? array() : Imagewright_Beside::types( $path ) );
			}
		}
		$sources = array();
		foreach ( array_unique( array_merge( array(), ...array_column( $candidates, 2 ) ) ) as $mime ) {
			$set = array();
			foreach ( $candidates as list( $url, $width, $types ) ) {
				$set[] = ( in_array( $mime, $types, true ) ? Imagewright_Beside::url( $url, $mime ) : $url ) . $width;
			}
			$sources[ $mime ] = implode( ', ', $set );
		}
		return $sources;
	}

	/**
	 * Reads an attribute of a tag.
	 *
	 * @param string $tag  Tag.
	 * @param string $name Attribute.
	 * @return string Decoded; empty if there is none.
	 */
	public static function attribute( $tag, $name ) {
		return preg_match( '/\s' . $name . '=(["\'])(.*?)\1/is', $tag, $found ) ? html_entity_decode( $found[2], ENT_QUOTES, 'UTF-8' ) : '';
	}
}
