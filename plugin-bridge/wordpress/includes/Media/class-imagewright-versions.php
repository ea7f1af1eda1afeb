<?php
/**
 * Versions of URLs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Adds a version to the printed URLs of overwritten files. An overwritten file keeps its URL, so browsers and CDNs would
 * serve their cached copy. The version changes with each change of the file. Stored content and URLs offered to editors for
 * insertion stay without a version.
 */
class Imagewright_Versions {

	const META = '_imagewright_version';

	/** Name of the query parameter. */
	const QUERY = 'imagewright';

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->filter( 'wp_get_attachment_image_src', array( __CLASS__, 'image_src' ), 20, 2 );
		$hooks->filter( 'wp_calculate_image_srcset', array( __CLASS__, 'srcset' ), 20, 5 );
		$hooks->filter( 'wp_content_img_tag', array( __CLASS__, 'content_image' ), 20, 3 );
		$hooks->filter( 'wp_prepare_attachment_for_js', array( __CLASS__, 'media_library' ), 20, 2 );
		$hooks->filter( 'attachment_url_to_postid', array( __CLASS__, 'find_post' ), 20, 2 );
	}

	/**
	 * Sets a new version for overwritten files of an attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names File names.
	 */
	public function renew( $id, $names ) {
		if ( ! $names ) {
			return;
		}
		$old = $this->of( $id );
		update_post_meta(
			$id,
			self::META,
			wp_slash(
				array(
					// Two changes within one second need two versions.
					'at'    => max( time(), $old['at'] + 1 ),
					'files' => array_values( array_unique( array_merge( $old['files'], $names ) ) ),
				)
			)
		);
	}

	/**
	 * Adds the version to the URL of an attachment's file, if it has one.
	 *
	 * @param string $url URL.
	 * @param int    $id  Attachment.
	 * @return string
	 */
	public function url( $url, $id ) {
		$version = $this->of( $id );
		if ( ! $version['files'] || ! is_string( $url ) ) {
			return $url;
		}
		$path = (string) wp_parse_url( $url, PHP_URL_PATH );
		if ( ! in_array( rawurldecode( wp_basename( $path ) ), $version['files'], true ) ) {
			return $url;
		}
		return add_query_arg( self::QUERY, base_convert( (string) $version['at'], 10, 36 ), $url );
	}

	/**
	 * Versions images that themes and plugins print. Not in the REST API: block editors store its URLs.
	 *
	 * @param array|false $image URL and dimensions.
	 * @param int         $id    Attachment.
	 * @return array|false
	 */
	public function image_src( $image, $id ) {
		if ( is_array( $image ) && ! empty( $image[0] ) && ! $this->is_rest() ) {
			$image[0] = $this->url( $image[0], $id );
		}
		return $image;
	}

	/**
	 * Versions the URLs of a `srcset`.
	 *
	 * @param array  $sources  URLs by width.
	 * @param array  $size     Dimensions. Unused.
	 * @param string $src      URL of the image. Unused.
	 * @param array  $metadata Attachment metadata. Unused.
	 * @param int    $id       Attachment.
	 * @return array
	 */
	public function srcset( $sources, $size, $src, $metadata, $id ) {
		foreach ( (array) $sources as $width => $source ) {
			$sources[ $width ]['url'] = $this->url( $source['url'], $id );
		}
		return $sources;
	}

	/**
	 * Versions images in rendered posts.
	 *
	 * @param string $tag     The `img` tag.
	 * @param string $context Context. Unused.
	 * @param int    $id      Attachment; 0 if unknown.
	 * @return string
	 */
	public function content_image( $tag, $context, $id ) {
		if ( ! $id || ! preg_match( '/\ssrc=(["\'])([^"\']+)\1/', $tag, $found ) ) {
			return $tag;
		}
		$old = html_entity_decode( $found[2], ENT_QUOTES );
		$url = $this->url( $old, $id );
		return $url === $old ? $tag : str_replace( $found[0], " src={$found[1]}" . esc_url( $url ) . $found[1], $tag );
	}

	/**
	 * Versions the thumbnails of the media library's screen, which cannot be inserted into posts. The URL of the file itself
	 * stays without a version, since users copy it.
	 *
	 * @param array   $data Data for the script of the screen.
	 * @param WP_Post $post Attachment.
	 * @return array
	 */
	public function media_library( $data, $post ) {
		if ( '/wp-admin/upload.php' !== substr( (string) wp_parse_url( (string) wp_get_referer(), PHP_URL_PATH ), -20 ) ) {
			return $data;
		}
		foreach ( (array) ( $data['sizes'] ?? array() ) as $name => $size ) {
			$data['sizes'][ $name ]['url'] = $this->url( $size['url'], $post->ID );
		}
		return $data;
	}

	/**
	 * Finds the attachment of a URL with a version. Core compares whole URLs.
	 *
	 * @param int    $id  Attachment found by core, or 0.
	 * @param string $url URL.
	 * @return int
	 */
	public function find_post( $id, $url ) {
		return ! $id && false !== strpos( $url, self::QUERY . '=' ) ? attachment_url_to_postid( remove_query_arg( self::QUERY, $url ) ) : $id;
	}

	/**
	 * Returns the version of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return array{at:int,files:string[]}
	 */
	private function of( $id ) {
		$stored = get_post_meta( $id, self::META, true );
		return is_array( $stored ) ? $stored : array(
			'at'    => 0,
			'files' => array(),
		);
	}

	/**
	 * Returns true in a request to the REST API.
	 *
	 * @return bool
	 */
	private function is_rest() {
		return defined( 'REST_REQUEST' ) && REST_REQUEST;
	}
}
