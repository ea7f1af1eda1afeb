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
	 * True while this class reads the present metadata itself.
	 *
	 * @var bool
	 */
	private $is_reading = false;

	/** Records of images. */
	private Imagewright_State $state;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State $state Records of images.
	 * @param Imagewright_Files $files Files below the uploads folder.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Files $files
	) {
		$this->state = $state;
		$this->files = $files;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'template_redirect', array( __CLASS__, 'begin' ) );
		$hooks->filter( 'rest_prepare_attachment', array( __CLASS__, 'rest' ), 20, 2 );
		$hooks->filter( 'wp_content_img_tag', array( __CLASS__, 'content_image' ), 11, 3 );
	}

	/** Registers the filters of a feed or a page. */
	public function begin() {
		if ( is_feed() ) {
			add_filter( 'get_post_metadata', array( $this, 'metadata' ), 10, 3 );
		}
	}

	/**
	 * Returns true where WordPress's own markup is kept.
	 *
	 * @return bool
	 */
	public function are_wanted() {
		return is_feed() || ( defined( 'REST_REQUEST' ) && REST_REQUEST );
	}

	/**
	 * Returns the record of an attachment whose originals exist in another format, or null.
	 *
	 * @param int $id Attachment.
	 * @return array|null
	 */
	public function replaced( $id ) {
		$state = $this->state->get( $id );
		$is_so = $state && 'optimized' === $state['status'] && isset( $state['snapshot']['mime'] ) && empty( $state['discarded'] ) && $state['snapshot']['mime'] !== $state['after']['mime'];
		if ( ! $is_so ) {
			return null;
		}
		$this->is_reading = true;
		$is_edited        = $this->state->is_edited( $id, $state, false );
		$this->is_reading = false;
		return $is_edited ? null : $state;
	}

	/**
	 * Returns the present metadata of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return array
	 */
	public function present( $id ) {
		$this->is_reading = true;
		$metadata         = get_post_meta( $id, '_wp_attachment_metadata', true );
		$this->is_reading = false;
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
	public function metadata( $value, $id, $key ) {
		$fields = array(
			'_wp_attached_file'       => 'attached_file',
			'_wp_attachment_metadata' => 'metadata',
		);
		if ( ! isset( $fields[ $key ] ) || $this->is_reading ) {
			return $value;
		}
		$state = $this->replaced( $id );
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
	public function content_image( $tag, $context, $id ) {
		$state = $id && $this->are_wanted() ? $this->replaced( $id ) : null;
		return $state ? $this->html( $tag, $id, $state ) : $tag;
	}

	/**
	 * Names the originals in the attributes of HTML.
	 *
	 * @param string $html  HTML.
	 * @param int    $id    Attachment.
	 * @param array  $state Its record.
	 * @return string
	 */
	private function html( $html, $id, $state ) {
		return preg_replace_callback(
			'/(?<=["\'\s])(?:https?:)?\/[^"\'\s,]+/',
			function ( $found ) use ( $id, $state ) {
				return $this->original( $found[0], $id, $state );
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
	public function rest( $response, $post ) {
		$state = $this->replaced( $post->ID );
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
			$data['description']['rendered'] = $this->html( $data['description']['rendered'], $post->ID, $state );
		}
		$response->set_data( $data );
		return $response;
	}

	/**
	 * Returns the address of the original of a file.
	 *
	 * @param string $url   Address of a new file.
	 * @param int    $id    Attachment.
	 * @param array  $state Record.
	 * @return string The same address if it is of no new file.
	 */
	public function original( $url, $id, $state ) {
		$metadata = $this->present( $id );
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
		return '' === $old ? $url : $this->files->with_name( $url, $old );
	}
}
