<?php
/**
 * Addresses of replaced files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Shows the new files where posts name the replaced ones. WordPress adds `srcset`, dimensions and lazy loading only to addresses
 * that are in the attachment's metadata, and these name the new files.
 */
class Imagewright_Old_Addresses {

	/** Registers the hooks. */
	public static function register() {
		add_filter( 'wp_content_img_tag', array( __CLASS__, 'content_image' ), 10, 3 );
		add_filter( 'attachment_url_to_postid', array( __CLASS__, 'find_post' ), 20, 2 );
		add_filter( 'render_block', array( __CLASS__, 'backgrounds' ), 25 );
		add_filter( 'the_content', array( __CLASS__, 'backgrounds' ), 41 );
		foreach ( array( 'imagewright_replaced', 'imagewright_restored', 'delete_attachment' ) as $action ) {
			add_action( $action, array( 'Imagewright_Background_Names', 'forget' ) );
		}
	}

	/** Shows the old addresses of backgrounds on this page. */
	public static function leave_backgrounds() {
		remove_filter( 'render_block', array( __CLASS__, 'backgrounds' ), 25 );
		remove_filter( 'the_content', array( __CLASS__, 'backgrounds' ), 41 );
	}

	/**
	 * Replaces the old address of an `img` and adds the attributes that WordPress adds to files it knows.
	 *
	 * @param string $tag     The `img`.
	 * @param string $context Name of the filter or block.
	 * @param int    $id      Attachment; 0 if unknown.
	 * @return string
	 */
	public static function content_image( $tag, $context, $id ) {
		if ( false !== strpos( $tag, ' srcset=' ) || Imagewright_Original_Addresses::are_wanted() ) {
			// WordPress knows the file, an author has chosen files, or originals are wanted. Reading the record takes time.
			return $tag;
		}
		$state = $id && strpos( $tag, 'src=' ) ? Imagewright_State::get( $id ) : null;
		if ( ! $state || 'optimized' !== $state['status'] || 'beside' === ( $state['way'] ?? '' ) || ! preg_match( '/\ssrc=(["\'])([^"\']+)\1/', $tag, $found ) ) {
			return $tag;
		}
		$old      = wp_basename( rawurldecode( (string) strtok( html_entity_decode( $found[2], ENT_QUOTES ), '?' ) ) );
		$metadata = wp_get_attachment_metadata( $id );
		$new      = is_array( $metadata ) ? self::successor( $old, $state['snapshot'], $metadata ) : '';
		if ( '' === $new ) {
			return $tag;
		}
		$tag = str_replace( $found[0], ' src=' . $found[1] . self::with_name( $found[2], $new ) . $found[1], $tag );
		return self::complete( $tag, $context, $id, $metadata );
	}

	/**
	 * Replaces the old addresses of backgrounds, in attributes and `style` elements, on sites that replace. Only the first page that shows
	 * a background asks the database for it.
	 *
	 * @param string $html Block or content.
	 * @return string
	 */
	public static function backgrounds( $html ) {
		if ( ! is_string( $html ) || false === strpos( $html, 'background-image' ) || 'replace' !== Imagewright_Options::all()['delivery'] ) {
			return $html;
		}
		return preg_replace_callback(
			'/(background-image:\s*url\((?:["\']|&quot;|&\#0?39;)?)([^"\'()&]+)/i',
			static function ( $found ) {
				return $found[1] . self::current( $found[2] );
			},
			$html
		);
	}

	/**
	 * Returns the address of the file that took the place of another.
	 *
	 * @param string $url URL.
	 * @return string The same URL if the file was not replaced.
	 */
	private static function current( $url ) {
		$path = self::relative( $url );
		$new  = '' === $path ? '' : Imagewright_Background_Names::of(
			$path,
			static function () use ( $path ) {
				// The attached file may be this one, or the one that this size was made of.
				$main     = preg_replace( '/-\d+x\d+(?=\.\w+$)/', '', $path );
				$id       = self::attachment( array_unique( array( $path, $main, preg_replace( '/(?=\.\w+$)/', '-scaled', $main ) ) ) );
				$state    = $id ? Imagewright_State::get( $id ) : null;
				$metadata = $state && 'optimized' === $state['status'] ? wp_get_attachment_metadata( $id ) : null;
				return is_array( $metadata ) ? self::successor( wp_basename( $path ), $state['snapshot'], $metadata ) : '';
			}
		);
		return '' === $new ? $url : self::with_name( $url, $new );
	}

	/**
	 * Returns the name of the file that took the place of another.
	 *
	 * @param string $name     Name of the old file.
	 * @param array  $snapshot Snapshot.
	 * @param array  $metadata Metadata of the attachment.
	 * @return string Empty if the file was not replaced, or is in use.
	 */
	private static function successor( $name, $snapshot, $metadata ) {
		$old   = $snapshot['metadata'];
		$shown = wp_basename( (string) $metadata['file'] );
		if ( in_array( $name, array( wp_basename( $snapshot['attached_file'] ), $old['original_image'] ?? '' ), true ) ) {
			return $name === $shown ? '' : $shown;
		}
		foreach ( (array) ( $old['sizes'] ?? array() ) as $size => $entry ) {
			if ( ( $entry['file'] ?? '' ) === $name ) {
				$new = $metadata['sizes'][ $size ]['file'] ?? '';
				return $new === $name ? '' : $new;
			}
		}
		return '';
	}

	/**
	 * Replaces the last part of a URL.
	 *
	 * @param string $url  URL, with HTML entities.
	 * @param string $name File name.
	 * @return string
	 */
	public static function with_name( $url, $name ) {
		$parts = explode( '?', $url, 2 );
		return substr( $parts[0], 0, (int) strrpos( $parts[0], '/' ) + 1 ) . rawurlencode( $name ) . ( isset( $parts[1] ) ? '?' . $parts[1] : '' );
	}

	/**
	 * Adds what WordPress adds to an `img` in content.
	 *
	 * @param string $tag      The `img`.
	 * @param string $context  Name of the filter or block.
	 * @param int    $id       Attachment.
	 * @param array  $metadata Its metadata.
	 * @return string
	 */
	private static function complete( $tag, $context, $id, $metadata ) {
		if ( false === strpos( $tag, ' width=' ) && false === strpos( $tag, ' height=' ) ) {
			$tag = wp_img_tag_add_width_and_height_attr( $tag, $context, $id );
		}
		if ( false === strpos( $tag, ' srcset=' ) ) {
			$tag = wp_image_add_srcset_and_sizes( $tag, $metadata, $id );
		}
		if ( function_exists( 'wp_img_tag_add_loading_optimization_attrs' ) ) {
			return wp_img_tag_add_loading_optimization_attrs( $tag, $context );
		}
		return false === strpos( $tag, ' loading=' ) ? wp_img_tag_add_loading_attr( $tag, $context ) : $tag;
	}

	/**
	 * Finds the attachment of an old address. Core compares the names of the files in use only.
	 *
	 * @param int    $id  Attachment found by core, or 0.
	 * @param string $url URL.
	 * @return int
	 */
	public static function find_post( $id, $url ) {
		$path = $id ? '' : self::relative( $url );
		return '' === $path ? $id : self::attachment( array( $path ) );
	}

	/**
	 * Returns the path of an upload below the uploads folder, or an empty string.
	 *
	 * @param string $url URL.
	 * @return string
	 */
	private static function relative( $url ) {
		$path = Imagewright_Addresses::path( $url );
		return '' === $path ? '' : substr( $path, strlen( wp_get_upload_dir()['basedir'] ) + 1 );
	}

	/**
	 * Finds the attachment whose attached file was replaced.
	 *
	 * @param string[] $paths Paths below the uploads folder, one of which was the attached file.
	 * @return int 0 if there is none.
	 */
	private static function attachment( $paths ) {
		$found = get_posts(
			array(
				'post_type'   => 'attachment',
				'post_status' => 'any',
				'fields'      => 'ids',
				'numberposts' => 1,
				'meta_query'  => array(
					array(
						'key'     => Imagewright_State::WAS,
						'value'   => array_values( $paths ),
						'compare' => 'IN',
					),
				),
			)
		);
		return $found ? (int) $found[0] : 0;
	}
}
