<?php
/**
 * Addresses of originals.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Names the original of a replaced image where programs read pages that may not know its new format: feeds, the REST API, and the
 * pictures that social networks show (`og:image`). Originals that were deleted cannot be named.
 */
class Imagewright_Original_Addresses {

	/**
	 * Level of the output buffer of the head.
	 *
	 * @var int
	 */
	private static $level = 0;

	/**
	 * True while this class reads the present metadata itself.
	 *
	 * @var bool
	 */
	private static $is_reading = false;

	/** Registers the hooks. */
	public static function register() {
		add_action( 'template_redirect', array( __CLASS__, 'begin' ) );
		add_filter( 'rest_prepare_attachment', array( __CLASS__, 'rest' ), 20, 2 );
		add_filter( 'wp_content_img_tag', array( __CLASS__, 'content_image' ), 11, 3 );
	}

	/** Registers the filters of a feed or a page. */
	public static function begin() {
		if ( is_feed() ) {
			add_filter( 'get_post_metadata', array( __CLASS__, 'metadata' ), 10, 3 );
		} elseif ( 'replace' === Imagewright_Options::all()['delivery'] ) {
			add_action( 'wp_head', array( __CLASS__, 'open' ), PHP_INT_MIN );
			add_action( 'wp_head', array( __CLASS__, 'close' ), PHP_INT_MAX );
		}
	}

	/**
	 * Returns true where WordPress's own markup is kept.
	 *
	 * @return bool
	 */
	public static function are_wanted() {
		return is_feed() || ( defined( 'REST_REQUEST' ) && REST_REQUEST );
	}

	/**
	 * Returns the record of an attachment whose originals exist in another format, or null.
	 *
	 * @param int $id Attachment.
	 * @return array|null
	 */
	private static function replaced( $id ) {
		$state = Imagewright_State::get( $id );
		$is_so = $state && 'optimized' === $state['status'] && isset( $state['snapshot']['mime'] ) && empty( $state['discarded'] ) && $state['snapshot']['mime'] !== $state['after']['mime'];
		if ( ! $is_so ) {
			return null;
		}
		self::$is_reading = true;
		$is_edited        = Imagewright_State::is_edited( $id, $state, false );
		self::$is_reading = false;
		return $is_edited ? null : $state;
	}

	/**
	 * Returns the present metadata of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return array
	 */
	private static function present( $id ) {
		self::$is_reading = true;
		$metadata         = get_post_meta( $id, '_wp_attachment_metadata', true );
		self::$is_reading = false;
		return is_array( $metadata ) ? $metadata : array();
	}

	/**
	 * Returns the metadata that a replaced attachment had before.
	 *
	 * @param mixed  $value Value of other filters; null without one.
	 * @param int    $id    Post.
	 * @param string $key   Key of the metadata.
	 * @return mixed
	 */
	public static function metadata( $value, $id, $key ) {
		$fields = array(
			'_wp_attached_file'       => 'attached_file',
			'_wp_attachment_metadata' => 'metadata',
		);
		if ( ! isset( $fields[ $key ] ) || self::$is_reading ) {
			return $value;
		}
		$state = self::replaced( $id );
		return $state ? array( $state['snapshot'][ $fields[ $key ] ] ) : $value;
	}

	/**
	 * Names the originals in an `img` of content, in its `srcset` too.
	 *
	 * @param string $tag     The `img`.
	 * @param string $context Name of the filter. Unused.
	 * @param int    $id      Attachment; 0 if unknown.
	 * @return string
	 */
	public static function content_image( $tag, $context, $id ) {
		$state = $id && self::are_wanted() ? self::replaced( $id ) : null;
		return $state ? self::html( $tag, $id, $state ) : $tag;
	}

	/**
	 * Names the originals in the attributes of HTML.
	 *
	 * @param string $html  HTML.
	 * @param int    $id    Attachment.
	 * @param array  $state Its record.
	 * @return string
	 */
	private static function html( $html, $id, $state ) {
		return preg_replace_callback(
			'/(?<=["\'\s])(?:https?:)?\/[^"\'\s,]+/',
			static function ( $found ) use ( $id, $state ) {
				return self::original( $found[0], $id, $state );
			},
			$html
		);
	}

	/**
	 * Names the originals in the data of an attachment.
	 *
	 * @param WP_REST_Response $response Answer.
	 * @param WP_Post          $post     Attachment.
	 * @return WP_REST_Response
	 */
	public static function rest( $response, $post ) {
		$state = self::replaced( $post->ID );
		$data  = $response->get_data();
		if ( ! $state || ! is_array( $data ) || empty( $data['source_url'] ) ) {
			return $response;
		}
		$folder              = substr( $data['source_url'], 0, (int) strrpos( $data['source_url'], '/' ) + 1 );
		$data['source_url']  = $folder . wp_basename( $state['snapshot']['attached_file'] );
		$data['mime_type']   = $state['snapshot']['mime'];
		$details             = array_diff_key( $state['snapshot']['metadata'], array( 'image_meta' => 1 ) ) + (array) ( $data['media_details'] ?? array() );
		$details['sizes']    = array();
		foreach ( (array) ( $state['snapshot']['metadata']['sizes'] ?? array() ) as $name => $size ) {
			$details['sizes'][ $name ] = array(
				'mime_type'  => $size['mime-type'] ?? $state['snapshot']['mime'],
				'source_url' => $folder . $size['file'],
			) + $size;
			unset( $details['sizes'][ $name ]['mime-type'] );
		}
		$details['sizes']['full'] = array(
			'file'       => wp_basename( $state['snapshot']['attached_file'] ),
			'width'      => (int) ( $details['width'] ?? 0 ),
			'height'     => (int) ( $details['height'] ?? 0 ),
			'mime_type'  => $state['snapshot']['mime'],
			'source_url' => $data['source_url'],
		);
		if ( isset( $data['media_details'] ) ) {
			$data['media_details'] = $details;
		}
		if ( isset( $data['description']['rendered'] ) ) {
			$data['description']['rendered'] = self::html( $data['description']['rendered'], $post->ID, $state );
		}
		$response->set_data( $data );
		return $response;
	}

	/** Collects what themes and plugins print into the head of a page. */
	public static function open() {
		ob_start( array( __CLASS__, 'head' ) );
		self::$level = ob_get_level();
	}

	/** Prints the head. Not if another plugin has begun to collect the page meanwhile: then it is printed with that. */
	public static function close() {
		if ( ob_get_level() === self::$level ) {
			ob_end_flush();
		}
	}

	/**
	 * Names the originals in the pictures for social networks.
	 *
	 * @param string $html Head of a page.
	 * @return string
	 */
	public static function head( $html ) {
		$type = '';
		$html = preg_replace_callback(
			'/<meta\s[^>]*(?:property|name)=["\'](?:og:image(?::(?:secure_)?url)?|twitter:image(?::src)?)["\'][^>]*>/i',
			static function ( $tag ) use ( &$type ) {
				return preg_replace_callback(
					'/(\scontent=["\'])([^"\']+)/i',
					static function ( $found ) use ( &$type ) {
						list( $id, $state ) = self::of_url( $found[2] );
						$type               = $state ? $state['snapshot']['mime'] : $type;
						return $found[1] . ( $state ? self::original( $found[2], $id, $state ) : $found[2] );
					},
					$tag[0]
				);
			},
			$html
		);
		return '' === $type ? $html : preg_replace( '/(<meta\s[^>]*property=["\']og:image:type["\'][^>]*\scontent=["\'])image\/\w+/i', '${1}' . $type, $html );
	}

	/**
	 * Finds the replaced attachment of an address: mostly the featured image of the page.
	 *
	 * @param string $url Address, with HTML entities.
	 * @return array{0:int,1:?array} Attachment, record.
	 */
	private static function of_url( $url ) {
		$path = Imagewright_Addresses::path( html_entity_decode( $url, ENT_QUOTES ) );
		$name = wp_basename( $path );
		$id   = '' === $path ? 0 : (int) get_post_thumbnail_id( get_queried_object_id() );
		$id   = $id && in_array( $name, self::names( $id ), true ) ? $id : 0;
		if ( 0 === $id && '' !== $path ) {
			$relative = substr( $path, strlen( trailingslashit( wp_get_upload_dir()['basedir'] ) ) );
			$id       = (int) Imagewright_Background_Names::of(
				"id:$relative",
				static function () use ( $url ) {
					return (string) attachment_url_to_postid( (string) strtok( $url, '?' ) );
				}
			);
		}
		$state = $id ? self::replaced( $id ) : null;
		return array( $id, $state );
	}

	/**
	 * Lists the names of the files of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return string[]
	 */
	private static function names( $id ) {
		return Imagewright_Snapshot::names( (string) get_post_meta( $id, '_wp_attached_file', true ), self::present( $id ) );
	}

	/**
	 * Returns the address of the original of a file.
	 *
	 * @param string $url   Address of a new file.
	 * @param int    $id    Attachment.
	 * @param array  $state Record.
	 * @return string The same address if it is of no new file.
	 */
	private static function original( $url, $id, $state ) {
		$metadata = self::present( $id );
		$name     = rawurldecode( wp_basename( (string) strtok( html_entity_decode( $url, ENT_QUOTES ), '?' ) ) );
		$old      = '';
		if ( wp_basename( $state['after']['file'] ) === $name || ( $metadata['original_image'] ?? '' ) === $name ) {
			$old = wp_basename( $state['snapshot']['attached_file'] );
		}
		foreach ( '' === $old ? (array) ( $metadata['sizes'] ?? array() ) : array() as $size => $entry ) {
			if ( ( $entry['file'] ?? '' ) === $name ) {
				$old = $state['snapshot']['metadata']['sizes'][ $size ]['file'] ?? '';
				break;
			}
		}
		return '' === $old ? $url : Imagewright_Old_Addresses::with_name( $url, $old );
	}
}
