<?php
/**
 * Weight of a page.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Compares what visitors load of a page, on a phone and a desktop, with what they would load of WordPress's own files.
 */
class Imagewright_Page_Weight {

	/** Width of the window in CSS pixels, and device pixels of each. */
	const SCREENS = array(
		'phone'   => array( 390, 2 ),
		'desktop' => array( 1280, 1 ),
	);

	/** Attributes that WordPress adds for the sake of loading. */
	const ATTRIBUTES = array( 'srcset', 'width', 'height', 'loading', 'fetchpriority' );

	/**
	 * Weighs a page.
	 *
	 * @param string $url Address on this site.
	 * @return array|WP_Error `totals` (by screen: bytes before and after), `images` (see pairs()), `complete` (false if the page shows
	 *         other images each time).
	 */
	public static function of( $url ) {
		$found = array();
		foreach ( Imagewright_Page_View::VIEWS as $view ) {
			$html = Imagewright_Page_View::fetch( $url, $view );
			if ( is_wp_error( $html ) ) {
				return $html;
			}
			$found[ $view ] = self::images( $html );
		}
		$totals = array();
		foreach ( array_keys( self::SCREENS ) as $screen ) {
			foreach ( $found as $view => $images ) {
				$totals[ $screen ][ $view ] = array_sum( self::files( $images, $screen ) );
			}
		}
		return array(
			'url'      => $url,
			'totals'   => $totals,
			'images'   => self::pairs( $found['before'], $found['after'] ),
			'complete' => count( $found['before'] ) === count( $found['after'] ),
		);
	}

	/**
	 * Lists the images of a page with the file of each screen.
	 *
	 * @param string $html HTML.
	 * @return array<int,array{files:array<string,array{url:string,bytes:?int}>,attributes:array<string,bool>}>
	 */
	private static function images( $html ) {
		$before = preg_match( '/<!-- imagewright-sizes (\{.*?\}) -->/', $html, $found ) ? (array) json_decode( $found[1], true ) : array();
		$images = Imagewright_Page_Images::of( $html );
		$chosen = array_map( array( __CLASS__, 'choose' ), $images );
		$sizes  = self::sizes( $chosen ? array_merge( ...array_map( 'array_values', $chosen ) ) : array(), $before );
		$list   = array();
		foreach ( $images as $at => $image ) {
			$files = array();
			foreach ( $chosen[ $at ] as $screen => $url ) {
				$files[ $screen ] = array(
					'url'   => $url,
					'bytes' => $sizes[ $url ] ?? null,
				);
			}
			$attributes = array();
			foreach ( self::ATTRIBUTES as $name ) {
				$value               = Imagewright_Picture::attribute( $image['img'], $name );
				$attributes[ $name ] = 'loading' === $name ? 'lazy' === $value : '' !== $value;
			}
			$list[] = compact( 'files', 'attributes' );
		}
		return $list;
	}

	/**
	 * Chooses the file of an image on each screen.
	 *
	 * @param array $image Of Imagewright_Page_Images::of().
	 * @return array<string,string> URL by screen.
	 */
	private static function choose( $image ) {
		return array_map(
			static function ( $screen ) use ( $image ) {
				return Imagewright_Page_Images::choose( $image, $screen[0], $screen[1] );
			},
			self::SCREENS
		);
	}

	/**
	 * Returns the sizes of files of attachments. Other files stay unknown: who may weigh a page may not ask about every file.
	 *
	 * @param string[]          $urls   URLs.
	 * @param array<string,int> $before Sizes before, by path below the uploads folder.
	 * @return array<string,int> Bytes by URL.
	 */
	private static function sizes( $urls, $before ) {
		$paths = array();
		$root  = trailingslashit( wp_get_upload_dir()['basedir'] );
		foreach ( array_unique( $urls ) as $url ) {
			$path = Imagewright_Addresses::path( $url );
			if ( '' !== $path ) {
				$paths[ $url ] = substr( $path, strlen( $root ) );
			}
		}
		$known = Imagewright_Known_Files::of( $paths );
		$sizes = array();
		foreach ( $paths as $url => $path ) {
			if ( isset( $before[ $path ] ) ) {
				$sizes[ $url ] = (int) $before[ $path ];
			} elseif ( isset( $known[ $path ] ) && is_file( $root . $path ) ) {
				$sizes[ $url ] = (int) filesize( $root . $path );
			}
		}
		return $sizes;
	}

	/**
	 * Lists the files of a screen, each once.
	 *
	 * @param array  $images Of images().
	 * @param string $screen Screen.
	 * @return array<string,int> Bytes by URL.
	 */
	private static function files( $images, $screen ) {
		$files = array();
		foreach ( $images as $image ) {
			$files[ $image['files'][ $screen ]['url'] ] = (int) $image['files'][ $screen ]['bytes'];
		}
		return $files;
	}

	/**
	 * Puts the images before beside those after, in the order of the page.
	 *
	 * @param array $before Of images().
	 * @param array $after  Of images().
	 * @return array<int,array{name:string,phone:array,desktop:array,attributes:array}> Pairs of before and after.
	 */
	private static function pairs( $before, $after ) {
		$pairs = array();
		foreach ( $after as $at => $now ) {
			$old  = $before[ $at ] ?? array( 'files' => array(), 'attributes' => array() );
			$pair = array( 'name' => rawurldecode( wp_basename( strtok( $old['files']['desktop']['url'] ?? $now['files']['desktop']['url'], '?' ) ) ) );
			foreach ( array_keys( self::SCREENS ) as $screen ) {
				$pair[ $screen ] = array( $old['files'][ $screen ]['bytes'] ?? null, $now['files'][ $screen ]['bytes'] );
			}
			foreach ( self::ATTRIBUTES as $name ) {
				$pair['attributes'][ $name ] = array( $old['attributes'][ $name ] ?? false, $now['attributes'][ $name ] );
			}
			$pairs[] = $pair;
		}
		return $pairs;
	}
}
