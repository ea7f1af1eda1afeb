<?php
/**
 * Addresses whose picture has changed.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * A file that was overwritten keeps its address, so browsers and CDNs go on showing the old picture. Where WordPress prints such
 * an address, this adds a version to it, which stays the same until the file changes again. What is stored is never
 * touched: neither the content of posts nor what editors are given to insert.
 */
class Imagewright_Versions {

	const META = '_imagewright_version';
	/** Name of the query parameter. */
	const QUERY = 'imagewright';

	/** Registers the hooks. */
	public static function register() {
		add_filter( 'wp_get_attachment_image_src', array( __CLASS__, 'image_src' ), 20, 2 );
		add_filter( 'wp_calculate_image_srcset', array( __CLASS__, 'srcset' ), 20, 5 );
		add_filter( 'wp_content_img_tag', array( __CLASS__, 'content_image' ), 20, 3 );
		add_filter( 'wp_prepare_attachment_for_js', array( __CLASS__, 'media_library' ), 20, 2 );
		add_filter( 'attachment_url_to_postid', array( __CLASS__, 'find_post' ), 20, 2 );
	}

	/**
	 * Notes that files of an attachment have another picture than before.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names File names.
	 */
	public static function renew( $id, $names ) {
		if ( ! $names ) {
			return;
		}
		$old = self::of( $id );
		update_post_meta(
			$id,
			self::META,
			wp_slash(
				array(
					// Two changes within a second are two versions.
					'at'    => max( time(), $old['at'] + 1 ),
					'files' => array_values( array_unique( array_merge( $old['files'], $names ) ) ),
				)
			)
		);
	}

	/**
	 * An address of an attachment's file with its version, if it has one.
	 *
	 * @param string $url Address.
	 * @param int    $id  Attachment.
	 * @return string
	 */
	public static function url( $url, $id ) {
		$version = self::of( $id );
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
	 * Pictures that themes and plugins print. Not those that the REST API names: block editors store such addresses.
	 *
	 * @param array|false $image Address and measures.
	 * @param int         $id    Attachment.
	 * @return array|false
	 */
	public static function image_src( $image, $id ) {
		if ( is_array( $image ) && ! empty( $image[0] ) && ! self::is_rest() ) {
			$image[0] = self::url( $image[0], $id );
		}
		return $image;
	}

	/**
	 * The widths that a browser chooses from.
	 *
	 * @param array  $sources  Addresses by width.
	 * @param array  $size     Measures. Unused.
	 * @param string $src      Address of the image. Unused.
	 * @param array  $metadata Attachment metadata. Unused.
	 * @param int    $id       Attachment.
	 * @return array
	 */
	public static function srcset( $sources, $size, $src, $metadata, $id ) {
		foreach ( (array) $sources as $width => $source ) {
			$sources[ $width ]['url'] = self::url( $source['url'], $id );
		}
		return $sources;
	}

	/**
	 * Images in posts, when they are shown.
	 *
	 * @param string $tag     The `img` tag.
	 * @param string $context Where. Unused.
	 * @param int    $id      Attachment; 0 when WordPress does not know it.
	 * @return string
	 */
	public static function content_image( $tag, $context, $id ) {
		if ( ! $id || ! preg_match( '/\ssrc=(["\'])([^"\']+)\1/', $tag, $found ) ) {
			return $tag;
		}
		$old = html_entity_decode( $found[2], ENT_QUOTES );
		$url = self::url( $old, $id );
		return $url === $old ? $tag : str_replace( $found[0], " src={$found[1]}" . esc_url( $url ) . $found[1], $tag );
	}

	/**
	 * Pictures of the media library's own screen, where nothing can be inserted anywhere. The address of the file itself stays
	 * plain: it is there to be copied.
	 *
	 * @param array   $data What the screen's script gets.
	 * @param WP_Post $post Attachment.
	 * @return array
	 */
	public static function media_library( $data, $post ) {
		if ( '/wp-admin/upload.php' !== substr( (string) wp_parse_url( (string) wp_get_referer(), PHP_URL_PATH ), -20 ) ) {
			return $data;
		}
		foreach ( (array) ( $data['sizes'] ?? array() ) as $name => $size ) {
			$data['sizes'][ $name ]['url'] = self::url( $size['url'], $post->ID );
		}
		return $data;
	}

	/**
	 * Finds the attachment of an address with a version: core compares addresses as they are.
	 *
	 * @param int    $id  What core found.
	 * @param string $url Address.
	 * @return int
	 */
	public static function find_post( $id, $url ) {
		return ! $id && false !== strpos( $url, self::QUERY . '=' ) ? attachment_url_to_postid( remove_query_arg( self::QUERY, $url ) ) : $id;
	}

	/**
	 * The version of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return array{at:int,files:string[]}
	 */
	private static function of( $id ) {
		$stored = get_post_meta( $id, self::META, true );
		return is_array( $stored ) ? $stored : array(
			'at'    => 0,
			'files' => array(),
		);
	}

	/**
	 * Whether this is a request to the REST API.
	 *
	 * @return bool
	 */
	private static function is_rest() {
		return defined( 'REST_REQUEST' ) && REST_REQUEST;
	}
}
