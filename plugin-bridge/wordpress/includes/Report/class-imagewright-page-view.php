<?php
/**
 * Pages as visitors get them.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Fetches a page of this site without a login, as it is and as it was before its images were optimized. The second view is only
 * shown with a signature, which is valid for a minute.
 */
class Imagewright_Page_View {

	/** Query parameter with view, time and signature. The main file names it too, to load this class for such requests only. */
	const QUERY = 'imagewright_view';

	/** Views: as it is, and with the files and the markup of WordPress. */
	const VIEWS = array( 'after', 'before' );

	/** Seconds for which a signature is valid. */
	const SECONDS = 60;

	/** Most bytes of HTML. */
	const MAX_BYTES = 5 * MB_IN_BYTES;

	/** Most redirections that are followed. */
	const REDIRECTIONS = 2;

	/**
	 * Records of replaced attachments, by attachment.
	 *
	 * @var array<int,?array>
	 */
	private $records = array();

	/** Addresses of replaced files. */
	private Imagewright_Old_Addresses $old_addresses;
	/** Records of images. */
	private Imagewright_State $state;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Old_Addresses $old_addresses Addresses of replaced files.
	 * @param Imagewright_State         $state         Records of images.
	 */
	public function __construct(
		Imagewright_Old_Addresses $old_addresses,
		Imagewright_State $state
	) {
		$this->old_addresses = $old_addresses;
		$this->state         = $state;
	}

	/** Registers the view of a signed request. */
	public function begin() {
		$given = isset( $_GET[ self::QUERY ] ) ? sanitize_text_field( wp_unslash( $_GET[ self::QUERY ] ) ) : '';
		if ( 'before' === $this->verified( $given ) ) {
			add_filter( 'imagewright_deliver', array( $this, 'switch_off' ), PHP_INT_MAX );
			add_filter( 'get_post_metadata', array( $this, 'metadata' ), 10, 3 );
			$this->old_addresses->leave_backgrounds();
			add_action( 'wp_footer', array( $this, 'print_sizes' ), PHP_INT_MAX );
		}
	}

	/**
	 * Fetches a page.
	 *
	 * @param string $url  Address on this site.
	 * @param string $view Of VIEWS.
	 * @return string|WP_Error HTML.
	 */
	public function fetch( $url, $view ) {
		for ( $count = 0; $count <= self::REDIRECTIONS; $count++ ) {
			if ( ! $this->is_here( $url ) ) {
				return Imagewright_Rest_Errors::make( 'other_site', __( 'This address is not on this site.', 'imagewright' ), 400 );
			}
			$answer = wp_remote_get(
				add_query_arg( self::QUERY, $this->sign( $view ), $url ),
				array(
					'timeout'             => 20,
					'redirection'         => 0,
					// A filter of core: sites often have no certificate for requests to themselves.
					'sslverify'           => apply_filters( 'https_local_ssl_verify', false ),
					'limit_response_size' => self::MAX_BYTES,
				)
			);
			if ( is_wp_error( $answer ) ) {
				/* translators: %s: reason */
				return Imagewright_Rest_Errors::make( 'no_loopback', sprintf( __( 'This site cannot open its own pages: %s', 'imagewright' ), $answer->get_error_message() ), 502 );
			}
			$status   = (int) wp_remote_retrieve_response_code( $answer );
			$location = (string) wp_remote_retrieve_header( $answer, 'location' );
			if ( $status < 300 || $status >= 400 || '' === $location ) {
				break;
			}
			$url = remove_query_arg( self::QUERY, WP_Http::make_absolute_url( $location, $url ) );
		}
		if ( 200 !== $status ) {
			/* translators: %d: HTTP status */
			return Imagewright_Rest_Errors::make( 'no_page', sprintf( __( 'Visitors do not get this page: it answers with HTTP %d.', 'imagewright' ), $status ), 422 );
		}
		return (string) wp_remote_retrieve_body( $answer );
	}

	/**
	 * Returns true if an address is a page of this site.
	 *
	 * @param string $url Address.
	 * @return bool
	 */
	private function is_here( $url ) {
		$wanted = wp_parse_url( $url );
		$home   = wp_parse_url( home_url( '/' ) );
		$host   = static function ( $parts ) {
			return strtolower( ( $parts['host'] ?? '' ) . ':' . ( $parts['port'] ?? '' ) );
		};
		return is_array( $wanted ) && in_array( $wanted['scheme'] ?? '', array( 'http', 'https' ), true ) && $host( $wanted ) === $host( $home )
			&& ! isset( $wanted['user'] ) && 0 === strpos( trailingslashit( $wanted['path'] ?? '/' ), $home['path'] );
	}

	/**
	 * Signs a view.
	 *
	 * @param string $view Of VIEWS.
	 * @param int    $time Unix time; 0 for now.
	 * @return string
	 */
	private function sign( $view, $time = 0 ) {
		$time = $time ? $time : time();
		return "$view-$time-" . wp_hash( "imagewright $view $time", 'nonce' );
	}

	/**
	 * Returns the view of a signature; empty if it is not valid.
	 *
	 * @param string $given Of sign().
	 * @return string
	 */
	private function verified( $given ) {
		$parts = explode( '-', $given );
		$time  = (int) ( $parts[1] ?? 0 );
		$known = 3 === count( $parts ) && in_array( $parts[0], self::VIEWS, true ) && abs( time() - $time ) <= self::SECONDS;
		return $known && hash_equals( $this->sign( $parts[0], $time ), $given ) ? $parts[0] : '';
	}

	/**
	 * Switches the delivery of optimized files off.
	 *
	 * @return bool
	 */
	public function switch_off() {
		return false;
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
		$state  = isset( $fields[ $key ] ) ? $this->replaced( $id ) : null;
		return $state ? array( $state['snapshot'][ $fields[ $key ] ] ) : $value;
	}

	/**
	 * Returns the record of an attachment if its files were replaced.
	 *
	 * @param int $id Attachment.
	 * @return array|null
	 */
	private function replaced( $id ) {
		if ( ! array_key_exists( $id, $this->records ) ) {
			$state                = $this->state->get( $id );
			$this->records[ $id ] = $state && 'optimized' === $state['status'] && 'beside' !== ( $state['way'] ?? '' ) ? $state : null;
		}
		return $this->records[ $id ];
	}

	/** Prints the sizes that files had whose names are now those of optimized files. */
	public function print_sizes() {
		$sizes = array();
		foreach ( array_filter( $this->records ) as $state ) {
			$folder = trailingslashit( dirname( $state['snapshot']['attached_file'] ) );
			foreach ( $state['snapshot']['files'] as $name => $file ) {
				$sizes[ $folder . $name ] = (int) $file['size'];
			}
		}
		echo '<!-- imagewright-sizes ' . wp_json_encode( (object) $sizes, JSON_HEX_TAG | JSON_HEX_AMP ) . ' -->';
	}
}
