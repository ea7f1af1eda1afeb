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

	/** Option: name of the new file by path below the uploads folder; empty if the file is still in use. */
	const OPTION = 'imagewright_backgrounds';

	/** Most entries. */
	const MAX = 300;

	/**
	 * True if backgrounds are left as they are.
	 *
	 * @var bool
	 */
	private $leaves = false;

	/**
	 * Entries that this page has added.
	 *
	 * @var array<string,string>
	 */
	private $new = array();

	/** Addresses of originals. */
	private Imagewright_Original_Addresses $original_addresses;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Settings. */
	private Imagewright_Options $options;
	/** Pictures that other programs replaced. */
	private Imagewright_Former $former;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Original_Addresses $original_addresses Addresses of originals.
	 * @param Imagewright_Files              $files              Files below the uploads folder.
	 * @param Imagewright_Options            $options            Settings.
	 * @param Imagewright_Former             $former             Pictures that other programs replaced.
	 */
	public function __construct(
		Imagewright_Original_Addresses $original_addresses,
		Imagewright_Files $files,
		Imagewright_Options $options,
		Imagewright_Former $former
	) {
		$this->original_addresses = $original_addresses;
		$this->files              = $files;
		$this->options            = $options;
		$this->former             = $former;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->filter( 'wp_content_img_tag', array( __CLASS__, 'content_image' ), 10, 3 );
		$hooks->filter( 'attachment_url_to_postid', array( __CLASS__, 'find_post' ), 20, 2 );
		$hooks->filter( 'render_block', array( __CLASS__, 'backgrounds' ), 25 );
		$hooks->filter( 'the_content', array( __CLASS__, 'backgrounds' ), 41 );
		foreach ( array( 'imagewright_replaced', 'imagewright_restored', 'imagewright_let_go', 'delete_attachment' ) as $action ) {
			$hooks->action( $action, array( __CLASS__, 'forget_backgrounds' ) );
		}
	}

	/** Shows the old addresses of backgrounds on this page. */
	public function leave_backgrounds() {
		$this->leaves = true;
	}

	/**
	 * Replaces the old address of an `img` and adds the attributes that WordPress adds to files it knows.
	 *
	 * @param string $tag     The `img`.
	 * @param string $context Name of the filter or block.
	 * @param int    $id      Attachment; 0 if unknown.
	 * @return string
	 */
	public function content_image( $tag, $context, $id ) {
		if ( false !== strpos( $tag, ' srcset=' ) || $this->original_addresses->are_wanted() ) {
			// WordPress knows the file, an author has chosen files, or originals are wanted. Reading the record takes time.
			return $tag;
		}
		$snapshots = $id ? $this->former->replaced( $id ) : array();
		if ( ! $snapshots || ! preg_match( '/\ssrc=(["\'])([^"\']+)\1/', $tag, $found ) ) {
			return $tag;
		}
		if ( ! $this->files->is_own( $found[2] ) ) {
			// Content that was copied from another site has its addresses, and numbers that mean other images here.
			return $tag;
		}
		$old      = wp_basename( rawurldecode( (string) strtok( html_entity_decode( $found[2], ENT_QUOTES ), '?' ) ) );
		$metadata = wp_get_attachment_metadata( $id );
		$new      = is_array( $metadata ) ? $this->successor( $old, $snapshots, $metadata ) : '';
		if ( '' === $new ) {
			return $tag;
		}
		$tag = str_replace( $found[0], ' src=' . $found[1] . $this->files->with_name( $found[2], $new ) . $found[1], $tag );
		return $this->complete( $tag, $context, $id, $metadata );
	}

	/**
	 * Replaces the old addresses of backgrounds, in attributes and `style` elements, on sites that replace. Only the first page that shows
	 * a background asks the database for it.
	 *
	 * @param string $html Block or content.
	 * @return string
	 */
	public function backgrounds( $html ) {
		if ( $this->leaves || ! is_string( $html ) || false === strpos( $html, 'background-image' ) || 'replace' !== $this->options->all()['delivery'] ) {
			return $html;
		}
		return preg_replace_callback(
			'/(background-image:\s*url\((?:["\']|&quot;|&\#0?39;)?)([^"\'()&]+)/i',
			function ( $found ) {
				return $found[1] . $this->current( $found[2] );
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
	private function current( $url ) {
		$path = $this->relative( $url );
		$new  = '' === $path ? '' : $this->background(
			$path,
			function () use ( $path ) {
				// The attached file may be this one, or the one that this size was made of.
				$main     = preg_replace( '/-\d+x\d+(?=\.\w+$)/', '', $path );
				$id       = $this->attachment( array_unique( array( $path, $main, preg_replace( '/(?=\.\w+$)/', '-scaled', $main ) ) ) );
				$snapshots = $id ? $this->former->replaced( $id ) : array();
				$metadata  = $snapshots ? wp_get_attachment_metadata( $id ) : null;
				return is_array( $metadata ) ? $this->successor( wp_basename( $path ), $snapshots, $metadata ) : '';
			}
		);
		return '' === $new ? $url : $this->files->with_name( $url, $new );
	}

	/**
	 * Returns the name of the file that took the place of another.
	 *
	 * @param string $name      Name of the old file.
	 * @param array  $snapshots Of Imagewright_Former::replaced().
	 * @param array  $metadata  Metadata of the attachment.
	 * @return string Empty if the file was not replaced, or is in use.
	 */
	private function successor( $name, $snapshots, $metadata ) {
		$shown = wp_basename( (string) $metadata['file'] );
		foreach ( $snapshots as $snapshot ) {
			if ( in_array( $name, array( wp_basename( $snapshot['attached_file'] ), $snapshot['metadata']['original_image'] ?? '' ), true ) ) {
				return $name === $shown ? '' : $shown;
			}
			foreach ( (array) ( $snapshot['metadata']['sizes'] ?? array() ) as $size => $entry ) {
				if ( ( $entry['file'] ?? '' ) === $name ) {
					$new = $metadata['sizes'][ $size ]['file'] ?? ( isset( $snapshot['files'] ) ? '' : $shown );
					return $new === $name ? '' : $new;
				}
			}
		}
		return '';
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
	private function complete( $tag, $context, $id, $metadata ) {
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
	public function find_post( $id, $url ) {
		$path = $id ? '' : $this->relative( $url );
		return '' === $path ? $id : $this->attachment( array( $path ) );
	}

	/**
	 * Returns the path of an upload below the uploads folder, or an empty string.
	 *
	 * @param string $url URL.
	 * @return string
	 */
	private function relative( $url ) {
		$path = $this->files->path( $url );
		return '' === $path ? '' : substr( $path, strlen( wp_get_upload_dir()['basedir'] ) + 1 );
	}

	/**
	 * Finds the attachment whose attached file was replaced.
	 *
	 * @param string[] $paths Paths below the uploads folder, one of which was the attached file.
	 * @return int 0 if there is none.
	 */
	private function attachment( $paths ) {
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

	/**
	 * Returns the name of the file that took the place of another.
	 *
	 * @param string   $path Path below the uploads folder.
	 * @param callable $find Finds the name in the database.
	 * @return string Empty if the file was not replaced.
	 */
	public function background( $path, $find ) {
		$known = $this->new + (array) get_option( self::OPTION, array() );
		if ( ! isset( $known[ $path ] ) ) {
			$known[ $path ] = (string) call_user_func( $find );
			if ( ! $this->new ) {
				add_action( 'shutdown', array( $this, 'save_backgrounds' ) );
			}
			$this->new[ $path ] = $known[ $path ];
		}
		return $known[ $path ];
	}

	/** Stores the entries that this page has added, as far as there is room. */
	public function save_backgrounds() {
		$known = (array) get_option( self::OPTION, array() );
		$all   = array_slice( $known + $this->new, 0, self::MAX, true );
		if ( count( $all ) > count( $known ) ) {
			update_option( self::OPTION, $all, true );
		}
	}

	/** Removes all entries after files have changed. */
	public function forget_backgrounds() {
		if ( get_option( self::OPTION ) ) {
			delete_option( self::OPTION );
		}
	}
}
