<?php
/**
 * Addresses in social tags.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Gives social networks the addresses of originals, in the tags that plugins print.
 */
class Imagewright_Social_Tags {

	/**
	 * Level of the output buffer of the head.
	 *
	 * @var int
	 */
	private $level = 0;

	/** Settings. */
	private Imagewright_Options $options;
	/** Addresses of originals. */
	private Imagewright_Original_Addresses $original_addresses;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Addresses of replaced files. */
	private Imagewright_Old_Addresses $old_addresses;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options            $options            Settings.
	 * @param Imagewright_Original_Addresses $original_addresses Addresses of originals.
	 * @param Imagewright_Files              $files              Files below the uploads folder.
	 * @param Imagewright_Old_Addresses      $old_addresses      Addresses of replaced files.
	 * @param Imagewright_Snapshot           $snapshot           Snapshots of attachments.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Original_Addresses $original_addresses,
		Imagewright_Files $files,
		Imagewright_Old_Addresses $old_addresses,
		Imagewright_Snapshot $snapshot
	) {
		$this->options            = $options;
		$this->original_addresses = $original_addresses;
		$this->files              = $files;
		$this->old_addresses      = $old_addresses;
		$this->snapshot           = $snapshot;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'template_redirect', array( __CLASS__, 'begin' ) );
	}

	/** Begins to collect the heads of pages, where addresses of originals and of optimized files differ. */
	public function begin() {
		if ( ! is_feed() && 'replace' === $this->options->all()['delivery'] ) {
			add_action( 'wp_head', array( $this, 'open' ), PHP_INT_MIN );
			add_action( 'wp_head', array( $this, 'close' ), PHP_INT_MAX );
		}
	}

	/** Collects what themes and plugins print into the head of a page. */
	public function open() {
		ob_start( array( $this, 'head' ) );
		$this->level = ob_get_level();
	}

	/** Prints the head. Not if another plugin has begun to collect the page meanwhile: then it is printed with that. */
	public function close() {
		if ( ob_get_level() === $this->level ) {
			ob_end_flush();
		}
	}

	/**
	 * Names the originals in the pictures for social networks.
	 *
	 * @param string $html Head of a page.
	 * @return string
	 */
	public function head( $html ) {
		$type = '';
		$html = preg_replace_callback(
			'/<meta\s[^>]*(?:property|name)=["\'](?:og:image(?::(?:secure_)?url)?|twitter:image(?::src)?)["\'][^>]*>/i',
			function ( $tag ) use ( &$type ) {
				return preg_replace_callback(
					'/(\scontent=["\'])([^"\']+)/i',
					function ( $found ) use ( &$type ) {
						list( $id, $state ) = $this->of_url( $found[2] );
						$type               = $state ? $state['snapshot']['mime'] : $type;
						return $found[1] . ( $state ? $this->original_addresses->original( $found[2], $id, $state ) : $found[2] );
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
	private function of_url( $url ) {
		$path = $this->files->path( html_entity_decode( $url, ENT_QUOTES ) );
		$name = wp_basename( $path );
		$id   = '' === $path ? 0 : (int) get_post_thumbnail_id( get_queried_object_id() );
		$id   = $id && in_array( $name, $this->names( $id ), true ) ? $id : 0;
		if ( 0 === $id && '' !== $path ) {
			$relative = substr( $path, strlen( trailingslashit( wp_get_upload_dir()['basedir'] ) ) );
			$id       = (int) $this->old_addresses->background(
				"id:$relative",
				static function () use ( $url ) {
					return (string) attachment_url_to_postid( (string) strtok( $url, '?' ) );
				}
			);
		}
		$state = $id ? $this->original_addresses->replaced( $id ) : null;
		return array( $id, $state );
	}

	/**
	 * Lists the names of the files of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return string[]
	 */
	private function names( $id ) {
		return $this->snapshot->names( (string) get_post_meta( $id, '_wp_attached_file', true ), $this->original_addresses->present( $id ) );
	}
}
