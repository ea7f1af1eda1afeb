<?php
/**
 * Images of a page.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Lists the images of a page and the file that a browser would load of each on a screen, by the rules of Chromium for `srcset` and
 * `sizes`.
 */
class Imagewright_Page_Images {

	/** Pixels of one unit of a length in `sizes`. */
	const UNITS = array(
		'px'  => 1,
		'em'  => 16,
		'rem' => 16,
	);

	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Delivery by `<picture>`. */
	private Imagewright_Picture $picture;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Files   $files   Files below the uploads folder.
	 * @param Imagewright_Picture $picture Delivery by `<picture>`.
	 */
	public function __construct(
		Imagewright_Files $files,
		Imagewright_Picture $picture
	) {
		$this->files   = $files;
		$this->picture = $picture;
	}

	/**
	 * Lists the images of a page: `img` elements, then backgrounds in attributes and `style` elements.
	 *
	 * @param string $html HTML.
	 * @return array<int,array{sources:array<int,array>,img:string}> `sources`: `srcset`, `sizes`, `media` of each source, the `img` last.
	 */
	public function of( $html ) {
		$found = array();
		preg_match_all( '#<picture\b.*?</picture>|<img\s[^>]*>#is', preg_replace( '#<(script|template|noscript|style)\b.*?</\1>|<!--.*?-->#is', '', $html ), $tags );
		foreach ( $tags[0] as $tag ) {
			preg_match_all( '#<(?:source|img)\s[^>]*>#i', $tag, $parts );
			$sources = array_map( array( $this, 'source' ), $parts[0] );
			if ( $sources ) {
				$found[] = array(
					'sources' => $sources,
					'img'     => end( $parts[0] ),
				);
			}
		}
		foreach ( $this->backgrounds( $html ) as $style ) {
			if ( preg_match( '/image-set\(\s*url\([\'"]?([^\'")]+)/i', $style, $url ) || preg_match( '/url\([\'"]?([^\'")]+)/i', $style, $url ) ) {
				if ( '' === $this->files->path( trim( $url[1] ) ) ) {
					continue;
				}
				$found[] = array(
					'sources' => array(
						array(
							'srcset' => trim( $url[1] ),
							'sizes'  => '',
							'media'  => '',
						),
					),
					'img'     => '',
				);
			}
		}
		return $found;
	}

	/**
	 * Lists the styles with a background: attributes, and rules of `style` elements.
	 *
	 * @param string $html HTML.
	 * @return string[] CSS.
	 */
	private function backgrounds( $html ) {
		preg_match_all( '/\sstyle="([^"]*?background(?:-image)?:[^"]*)"/i', $html, $attributes );
		preg_match_all( '#<style\b[^>]*>(.*?)</style>#is', $html, $elements );
		preg_match_all( '/\{([^{}]*background(?:-image)?:[^{}]*url\([^{}]*)\}/i', implode( "\n", $elements[1] ), $rules );
		$decoded = array_map(
			static function ( $style ) {
				return html_entity_decode( $style, ENT_QUOTES, 'UTF-8' );
			},
			$attributes[1]
		);
		return array_merge( $decoded, $rules[1] );
	}

	/**
	 * Reads a `source` or an `img`.
	 *
	 * @param string $tag Tag.
	 * @return array{srcset:string,sizes:string,media:string}
	 */
	private function source( $tag ) {
		$srcset = $this->picture->attribute( $tag, 'srcset' );
		return array(
			'srcset' => '' === $srcset ? $this->picture->attribute( $tag, 'src' ) : $srcset,
			'sizes'  => $this->picture->attribute( $tag, 'sizes' ),
			'media'  => $this->picture->attribute( $tag, 'media' ),
		);
	}

	/**
	 * Chooses the file of an image on a screen.
	 *
	 * @param array $image  Of of().
	 * @param int   $width  Width of the window in CSS pixels.
	 * @param float $screen Device pixels of a CSS pixel.
	 * @return string URL; empty if there is none.
	 */
	public function choose( $image, $width, $screen ) {
		foreach ( $image['sources'] as $source ) {
			if ( '' !== $source['srcset'] && ( '' === $source['media'] || $this->matches( $source['media'], $width ) ) ) {
				return $this->candidate( $this->densities( $source['srcset'], $this->slot( $source['sizes'], $width ) ), $screen );
			}
		}
		return '';
	}

	/**
	 * Chooses a candidate, as Chromium does: the first whose density suffices, or the one below it if that is nearer.
	 *
	 * @param array<string,float> $densities Density by URL.
	 * @param float               $screen    Device pixels of a CSS pixel.
	 * @return string
	 */
	private function candidate( $densities, $screen ) {
		asort( $densities );
		$urls = array_keys( $densities );
		$last = count( $urls ) - 1;
		for ( $at = 0; $at < $last; $at++ ) {
			$next = $densities[ $urls[ $at + 1 ] ];
			if ( $next < $screen ) {
				continue;
			}
			$here = $densities[ $urls[ $at ] ];
			return ( $screen <= 1 && $screen > $here ) || $screen >= sqrt( $here * $next ) ? $urls[ $at + 1 ] : $urls[ $at ];
		}
		return (string) ( $urls[ max( 0, $last ) ] ?? '' );
	}

	/**
	 * Reads the candidates of a `srcset`.
	 *
	 * @param string $srcset Candidates.
	 * @param float  $slot   Width of the image on the page in CSS pixels.
	 * @return array<string,float> Density by URL.
	 */
	private function densities( $srcset, $slot ) {
		$found = array();
		foreach ( preg_split( '/,\s+|,$/', trim( $srcset ) ) as $candidate ) {
			$parts = preg_split( '/\s+/', trim( $candidate ) );
			if ( '' === $parts[0] || 0 === strpos( $parts[0], 'data:' ) ) {
				continue;
			}
			$number             = (float) ( $parts[1] ?? 1 );
			$found[ $parts[0] ] = 'w' === substr( $parts[1] ?? '', -1 ) ? $number / max( 1, $slot ) : $number;
		}
		return $found;
	}

	/**
	 * Computes the width of an image on the page from `sizes`. `auto`, which depends on the layout, is left out.
	 *
	 * @param string $sizes Attribute.
	 * @param int    $width Width of the window.
	 * @return float CSS pixels.
	 */
	private function slot( $sizes, $width ) {
		foreach ( preg_split( '/,(?![^(]*\))/', $sizes ) as $entry ) {
			$entry = trim( $entry );
			if ( '' === $entry || 'auto' === strtolower( $entry ) ) {
				continue;
			}
			if ( preg_match( '/^((?:\((?:min|max)-width:[^)]*\)(?:\s+and\s+)?)+)\s+(.+)$/i', $entry, $parts ) ) {
				if ( $this->matches( $parts[1], $width ) ) {
					return $this->length( $parts[2], $width );
				}
			} elseif ( '(' !== $entry[0] ) {
				return $this->length( $entry, $width );
			}
		}
		return $width;
	}

	/**
	 * Returns true if the limits of width in a media query hold. Other conditions count as true.
	 *
	 * @param string $query Media query.
	 * @param int    $width Width of the window.
	 * @return bool
	 */
	private function matches( $query, $width ) {
		preg_match_all( '/\((min|max)-width:\s*([^)]+)\)/i', $query, $limits, PREG_SET_ORDER );
		foreach ( $limits as list( , $kind, $length ) ) {
			$limit = $this->length( $length, $width );
			if ( 'min' === strtolower( $kind ) ? $width < $limit : $width > $limit ) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Computes a length: `33.3vw`, `300px`, or a `calc()` of sums.
	 *
	 * @param string $length Length.
	 * @param int    $width  Width of the window.
	 * @return float CSS pixels; the width of the window for other lengths.
	 */
	private function length( $length, $width ) {
		preg_match_all( '/([+-]?)\s*(\d*\.?\d+)(px|vw|r?em)\b/i', $length, $terms, PREG_SET_ORDER );
		if ( ! $terms || preg_match( '/min|max|clamp|[*\/]/i', $length ) ) {
			return $width;
		}
		$sum = 0;
		foreach ( $terms as list( , $sign, $number, $unit ) ) {
			$pixels = (float) $number * ( self::UNITS[ strtolower( $unit ) ] ?? $width / 100 );
			$sum   += '-' === $sign ? -$pixels : $pixels;
		}
		return max( 1, $sum );
	}
}
