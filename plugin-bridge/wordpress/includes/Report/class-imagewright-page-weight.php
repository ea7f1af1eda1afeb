<?php
/**
 * Weight of a page.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Compares what visitors load of a page, on a phone and a desktop, with what they would load of WordPress's own files. Tells the size of
 * files of attachments only: those in their metadata, the optimized ones beside them, and those that a replacement keeps.
 */
class Imagewright_Page_Weight {

	/** Width of the window in CSS pixels, and device pixels of each. */
	const SCREENS = array(
		'phone'   => array( 390, 2 ),
		'desktop' => array( 1280, 1 ),
	);

	/** Attributes that WordPress adds for the sake of loading. */
	const ATTRIBUTES = array( 'srcset', 'width', 'height', 'loading', 'fetchpriority' );

	/** Pages as visitors get them. */
	private Imagewright_Page_View $page_view;
	/** Images of a page. */
	private Imagewright_Page_Images $page_images;
	/** Delivery by `<picture>`. */
	private Imagewright_Picture $picture;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Page_View   $page_view   Pages as visitors get them.
	 * @param Imagewright_Page_Images $page_images Images of a page.
	 * @param Imagewright_Picture     $picture     Delivery by `<picture>`.
	 * @param Imagewright_Files       $files       Files below the uploads folder.
	 * @param Imagewright_Snapshot    $snapshot    Snapshots of attachments.
	 */
	public function __construct(
		Imagewright_Page_View $page_view,
		Imagewright_Page_Images $page_images,
		Imagewright_Picture $picture,
		Imagewright_Files $files,
		Imagewright_Snapshot $snapshot
	) {
		$this->page_view   = $page_view;
		$this->page_images = $page_images;
		$this->picture     = $picture;
		$this->files       = $files;
		$this->snapshot    = $snapshot;
	}

	/**
	 * Weighs a page.
	 *
	 * @param string $url Address on this site.
	 * @return array|WP_Error `totals` (by screen: bytes before and after), `images` (see pairs()), `complete` (false if the page shows
	 *         other images each time).
	 */
	public function of( $url ) {
		$found = array();
		foreach ( Imagewright_Page_View::VIEWS as $view ) {
			$html = $this->page_view->fetch( $url, $view );
			if ( is_wp_error( $html ) ) {
				return $html;
			}
			$found[ $view ] = $this->images( $html );
		}
		$totals = array();
		foreach ( array_keys( self::SCREENS ) as $screen ) {
			foreach ( $found as $view => $images ) {
				$totals[ $screen ][ $view ] = array_sum( $this->files( $images, $screen ) );
			}
		}
		return array(
			'url'      => $url,
			'totals'   => $totals,
			'images'   => $this->pairs( $found['before'], $found['after'] ),
			'complete' => count( $found['before'] ) === count( $found['after'] ),
		);
	}

	/**
	 * Lists the images of a page with the file of each screen.
	 *
	 * @param string $html HTML.
	 * @return array<int,array{files:array<string,array{url:string,bytes:?int}>,attributes:array<string,bool>}>
	 */
	private function images( $html ) {
		$before = preg_match( '/<!-- imagewright-sizes (\{.*?\}) -->/', $html, $found ) ? (array) json_decode( $found[1], true ) : array();
		$images = $this->page_images->of( $html );
		$chosen = array_map( array( $this, 'choose' ), $images );
		$sizes  = $this->sizes( $chosen ? array_merge( ...array_map( 'array_values', $chosen ) ) : array(), $before );
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
				$value               = $this->picture->attribute( $image['img'], $name );
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
	private function choose( $image ) {
		return array_map(
			function ( $screen ) use ( $image ) {
				return $this->page_images->choose( $image, $screen[0], $screen[1] );
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
	private function sizes( $urls, $before ) {
		$paths = array();
		$root  = trailingslashit( wp_get_upload_dir()['basedir'] );
		foreach ( array_unique( $urls ) as $url ) {
			$path = $this->files->path( $url );
			if ( '' !== $path ) {
				$paths[ $url ] = substr( $path, strlen( $root ) );
			}
		}
		$known = $this->known( $paths );
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
	private function files( $images, $screen ) {
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
	private function pairs( $before, $after ) {
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

	/**
	 * Returns those of some files that belong to attachments.
	 *
	 * @param string[] $paths Paths relative to the uploads folder.
	 * @return array<string,true> By path.
	 */
	private function known( $paths ) {
		$found = array();
		$paths = array_values( array_unique( array_filter( $paths, 'strlen' ) ) );
		foreach ( $this->attachments( $paths ) as list( 'post_id' => $id, 'meta_value' => $attached ) ) {
			$folder = dirname( $attached );
			foreach ( $this->names( (int) $id, $attached ) as $name ) {
				$found[ '.' === $folder ? $name : "$folder/$name" ] = true;
			}
		}
		$known = array();
		foreach ( $paths as $path ) {
			if ( isset( $found[ $this->without_mark( $path ) ] ) ) {
				$known[ $path ] = true;
			}
		}
		return $known;
	}

	/**
	 * Finds the attachments to which files may belong, by the names that WordPress derives from an upload. Sizes can have another type
	 * than the upload, and a page can show files of both names of a replaced attachment.
	 *
	 * @param string[] $paths Paths.
	 * @return array<int,array{post_id:string,meta_value:string}> Attachments, each with an attached file, now or before it was replaced.
	 */
	private function attachments( $paths ) {
		global $wpdb;
		$stems      = array();
		$extensions = array_merge( array( 'jpeg' ), array_values( Imagewright_Contract::EXTENSIONS ) );
		foreach ( array_map( array( $this, 'without_mark' ), $paths ) as $path ) {
			$extensions[] = pathinfo( $path, PATHINFO_EXTENSION );
			$whole        = preg_replace( '/\.\w+$/', '', $path );
			foreach ( array( $whole, preg_replace( '/-\d+x\d+$/', '', $whole ) ) as $stem ) {
				array_push( $stems, $stem, "$stem-scaled", "$stem-rotated" );
			}
		}
		$uploads = array();
		foreach ( array_unique( $stems ) as $stem ) {
			foreach ( array_unique( $extensions ) as $extension ) {
				$uploads[] = "$stem.$extension";
			}
		}
		if ( ! $uploads ) {
			return array();
		}
		$marks = implode( ',', array_fill( 0, count( $uploads ), '%s' ) );
		return (array) $wpdb->get_results( $wpdb->prepare( "SELECT post_id, meta_value FROM $wpdb->postmeta WHERE meta_key IN ( '_wp_attached_file', '" . Imagewright_State::WAS . "' ) AND meta_value IN ($marks)", $uploads ), ARRAY_A ); // phpcs:ignore WordPress.DB.PreparedSQL, WordPress.DB.PreparedSQLPlaceholders -- placeholders only.
	}

	/**
	 * Lists the names of the files of an attachment.
	 *
	 * @param int    $id       Attachment.
	 * @param string $attached Attached file, now or before it was replaced.
	 * @return string[]
	 */
	private function names( $id, $attached ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$backups  = get_post_meta( $id, '_wp_attachment_backup_sizes', true );
		return array_merge(
			$this->snapshot->names( $attached, is_array( $metadata ) ? $metadata : array() ),
			array_filter( array_column( is_array( $backups ) ? $backups : array(), 'file' ), 'is_string' )
		);
	}

	/**
	 * Returns the path of the file of WordPress beside which a file lies.
	 *
	 * @param string $path Path.
	 * @return string
	 */
	private function without_mark( $path ) {
		return (string) preg_replace( '/' . preg_quote( Imagewright_Beside::MARK, '/' ) . '\w+$/', '', $path );
	}
}
