<?php
/**
 * Delivery by `<picture>`.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Offers browsers the optimized files that lie beside the files of WordPress. The `img` stays as WordPress prints it, with
 * `srcset`, `sizes`, `loading` and dimensions, and serves browsers that do not know the format. Asks the file system only. Shops
 * load the images of a variation by a script, which gets the same.
 */
class Imagewright_Picture {

	/** Key of the data of an image: `srcset` by type. */
	const KEY = 'imagewright';

	const SEEN = Imagewright_Neighbours::OURS;

	/** Settings. */
	private Imagewright_Options $options;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Optimized files beside the files of WordPress. */
	private Imagewright_Beside $beside;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Files   $files   Files below the uploads folder.
	 * @param Imagewright_Beside  $beside  Optimized files beside the files of WordPress.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Files $files,
		Imagewright_Beside $beside
	) {
		$this->options = $options;
		$this->files   = $files;
		$this->beside  = $beside;
	}

	/**
	 * Registers the hooks for pages. Administration, feeds and the REST API keep WordPress's own markup.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'template_redirect', array( __CLASS__, 'begin' ) );
	}

	/**
	 * Returns true if pages offer optimized files.
	 *
	 * @return bool
	 */
	public function is_on() {
		/**
		 * Filters whether pages offer optimized files.
		 *
		 * @param bool $is_on True by default, except in feeds.
		 */
		return (bool) apply_filters( 'imagewright_deliver', ! is_feed() && (bool) $this->options->delivered() );
	}

	/** Registers the filters of a page. */
	public function begin() {
		if ( ! $this->is_on() ) {
			return;
		}
		add_filter( 'the_content', array( $this, 'respect' ), 8 );
		add_filter( 'the_content', array( $this, 'styles' ), 40 );
		add_filter( 'render_block', array( $this, 'block' ), 30 );
		add_filter( 'wp_content_img_tag', array( $this, 'wrap' ), 30 );
		add_filter( 'wp_get_attachment_image', array( $this, 'wrap' ), 30 );
		add_filter( 'get_header_image_tag', array( $this, 'wrap' ), 30 );
	}

	/**
	 * Leaves the images of a `picture` that an author wrote as they are.
	 *
	 * @param string $html Content.
	 * @return string
	 */
	public function respect( $html ) {
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
	public function block( $html ) {
		$html = $this->respect( (string) $html );
		if ( false === strpos( $html, 'background-image' ) ) {
			return $html;
		}
		return preg_replace_callback( '/(\sstyle="[^"]*background-image:\s*url\((?:\'|&\#0?39;|&quot;)?)([^"\'()&]+)((?:\'|&\#0?39;|&quot;)?\)[^"]*)"/i', array( $this, 'background' ), $html );
	}

	/**
	 * Adds the optimized file to the style of a background. Browsers that do not know `image-set` ignore the addition.
	 *
	 * @param string[] $found Match of block(): attribute up to the URL, URL, rest.
	 * @return string
	 */
	public function background( $found ) {
		list( $all, $before, $url, $after ) = $found;
		$set = false === strpos( $all, 'image-set' ) ? $this->image_set( $url, "'" ) : '';
		return '' === $set ? $all : $before . $url . rtrim( $after, '; ' ) . ';background-image:' . str_replace( '&', '&#038;', $set ) . '"';
	}

	/**
	 * Changes the backgrounds in `style` elements of a content, as page builders print them.
	 *
	 * @param string $html Content.
	 * @return string
	 */
	public function styles( $html ) {
		if ( false === stripos( $html, '<style' ) || false === strpos( $html, 'background-image' ) ) {
			return $html;
		}
		$rule = function ( $found ) {
			$set = $this->image_set( $found[2], '"' );
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
	private function image_set( $url, $quote ) {
		$path = $this->files->path( $url );
		$set  = array();
		foreach ( '' === $path ? array() : $this->beside->types( $path ) as $mime ) {
			$set[] = "url($quote" . esc_url_raw( $this->beside->url( $url, $mime ) ) . "$quote) type($quote$mime$quote)";
		}
		return $set ? 'image-set(' . implode( ',', $set ) . ",url($quote" . esc_url_raw( $url ) . "$quote))" : '';
	}

	/**
	 * Puts an `img` into a `picture` with its optimized files.
	 *
	 * @param string $html Markup with one `img`.
	 * @return string
	 */
	public function wrap( $html ) {
		if ( ! is_string( $html ) || false === stripos( $html, '<img' ) || false !== strpos( $html, ' ' . self::SEEN ) ) {
			return $html;
		}
		if ( false === stripos( $html, '<picture' ) ) {
			return preg_replace_callback( '/<img\s[^>]*>/i', array( $this, 'picture' ), $html, 1 );
		}
		// Another plugin has made it. One that offers no file gets ours.
		return false === stripos( $html, '<source' ) ? preg_replace_callback( '/<img\s[^>]*>/i', array( $this, 'offers' ), $html, 1 ) : $html;
	}

	/**
	 * Builds the `picture` of an `img`.
	 *
	 * @param string[] $found The `img`.
	 * @return string The `img` itself if it has no optimized file.
	 */
	public function picture( $found ) {
		$html = $this->offers( $found );
		// `display:contents` keeps layouts that expect the img as a child of the figure.
		return $html === $found[0] ? $html : '<picture style="display:contents">' . $html . '</picture>';
	}

	/**
	 * Builds the sources of an `img`, and the `img`.
	 *
	 * @param string[] $found The `img`.
	 * @return string The `img` itself if it has no optimized file.
	 */
	private function offers( $found ) {
		$img     = $found[0];
		$srcset  = $this->attribute( $img, 'srcset' );
		$src     = $this->attribute( $img, 'src' );
		$sources = $this->sources( '' === $srcset ? $src : $srcset );
		if ( ! $sources ) {
			return $img;
		}
		$sizes = $this->attribute( $img, 'sizes' );
		$html  = '';
		foreach ( $sources as $mime => $set ) {
			$html .= '<source type="' . esc_attr( $mime ) . '" srcset="' . esc_attr( $set ) . '"' . ( '' === $sizes ? '' : ' sizes="' . esc_attr( $sizes ) . '"' ) . '>';
		}
		return $html . '<img ' . self::SEEN . substr( $img, strlen( '<img' ) );
	}

	/**
	 * Builds the `srcset` of each type. A candidate without an optimized file of that type keeps its own, so that each width
	 * has its smallest file.
	 *
	 * @param string $srcset Candidates, or one URL.
	 * @return array<string,string> By type; only types of which there is a file.
	 */
	public function sources( $srcset ) {
		$candidates = array();
		foreach ( preg_split( '/,\s+|,$/', trim( $srcset ) ) as $candidate ) {
			$parts = preg_split( '/\s+/', trim( $candidate ), 2 );
			$path  = $this->files->path( $parts[0] );
			if ( '' !== $parts[0] ) {
				$candidates[] = array( $parts[0], isset( $parts[1] ) ? ' ' . $parts[1] : '', '' === $path ? array() : $this->beside->types( $path ) );
			}
		}
		$sources = array();
		foreach ( array_unique( array_merge( array(), ...array_column( $candidates, 2 ) ) ) as $mime ) {
			$set = array();
			foreach ( $candidates as list( $url, $width, $types ) ) {
				$set[] = ( in_array( $mime, $types, true ) ? $this->beside->url( $url, $mime ) : $url ) . $width;
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
	public function attribute( $tag, $name ) {
		return preg_match( '/\s' . $name . '=(["\'])(.*?)\1/is', $tag, $found ) ? html_entity_decode( $found[2], ENT_QUOTES, 'UTF-8' ) : '';
	}

	/**
	 * Adds the optimized files to the data of a variation, in the page or for a request of its script.
	 *
	 * @param array $data Data with `image`: `src`, `srcset`, `sizes`.
	 * @return array
	 */
	public function variation( $data ) {
		if ( empty( $data['image']['src'] ) || ! $this->is_on() ) {
			return $data;
		}
		$image                       = $data['image'];
		$data['image'][ self::KEY ] = (object) $this->sources( (string) ( empty( $image['srcset'] ) ? $image['src'] : $image['srcset'] ) );
		return $data;
	}

	/** Loads the script before a form of variations. */
	public function form() {
		if ( $this->is_on() ) {
			wp_enqueue_script( 'imagewright-shop', plugins_url( 'build/shop.js', IMAGEWRIGHT_FILE ), array( 'jquery' ), IMAGEWRIGHT_VERSION, true );
		}
	}
}
