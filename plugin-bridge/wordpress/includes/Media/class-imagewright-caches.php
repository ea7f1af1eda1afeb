<?php
/**
 * Caches after files have changed.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Makes caches forget files that have changed. An overwritten file keeps its URL, so printed URLs get a version, which changes with
 * each change of the file; stored content and URLs offered to editors for insertion stay without one. Page caches of other plugins are
 * emptied when a person restores an image, and in a run once a minute at most, so that thousands of images do not empty them for each.
 */
class Imagewright_Caches {

	const META = '_imagewright_version';

	/** Name of the query parameter. */
	const QUERY = 'imagewright';

	/** Action that empties the caches. Other plugins may add theirs to it. */
	const CHANGED = 'imagewright_pages_changed';

	/** Seconds between a change and the action. */
	const DELAY = 60;

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
		$hooks->action( 'imagewright_replaced', array( __CLASS__, 'plan' ) );
		$hooks->action( 'imagewright_restored', array( __CLASS__, 'plan' ) );
		$hooks->action( 'update_option_' . Imagewright_Options::SETTINGS, array( __CLASS__, 'compare' ), 10, 2 );
		$hooks->action( self::CHANGED, array( __CLASS__, 'purge' ) );
		$hooks->filter( 'cloudflare_purge_everything_actions', array( __CLASS__, 'add_action_name' ) );
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

	/** Plans the action, unless it is planned already. */
	public function plan() {
		if ( ! wp_next_scheduled( self::CHANGED ) ) {
			wp_schedule_single_event( time() + self::DELAY, self::CHANGED );
		}
	}

	/**
	 * Plans the action after the way of delivery has changed.
	 *
	 * @param mixed $old Settings before.
	 * @param mixed $all Settings.
	 */
	public function compare( $old, $all ) {
		if ( ( $old['delivery'] ?? '' ) !== ( $all['delivery'] ?? '' ) ) {
			$this->plan();
		}
	}

	/** Runs the action at once, in the place of a planned one: pages in caches name files that were removed. */
	public function purge_now() {
		wp_clear_scheduled_hook( self::CHANGED );
		do_action( self::CHANGED );
	}

	/** Empties the caches at once and drops the planned action, for the end of the plugin. */
	public function purge_at_end() {
		wp_clear_scheduled_hook( self::CHANGED );
		$this->purge();
	}

	/** Empties the page caches of the plugins that are there. */
	public function purge() {
		// WP Rocket, W3 Total Cache and WP Super Cache have functions, the others actions.
		foreach ( array( 'rocket_clean_domain', 'w3tc_flush_posts', 'wp_cache_clear_cache' ) as $function ) {
			if ( function_exists( $function ) ) {
				call_user_func( $function );
			}
		}
		// phpcs:disable WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedHooknameFound -- actions of other plugins.
		do_action( 'litespeed_purge_all' );
		do_action( 'cache_enabler_clear_site_cache' );
		// phpcs:enable
	}

	/**
	 * Adds the action to those after which Cloudflare's plugin empties its cache.
	 *
	 * @param mixed $actions Names of actions.
	 * @return array
	 */
	public function add_action_name( $actions ) {
		return array_merge( (array) $actions, array( self::CHANGED ) );
	}
}
