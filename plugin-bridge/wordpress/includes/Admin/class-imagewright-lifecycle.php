<?php
/**
 * Lifecycle of the plugin.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Handles activation, deleted attachments and the privacy policy. Deactivation stops the queue; pages show WordPress's own markup.
 */
class Imagewright_Lifecycle {

	/** Settings. */
	private Imagewright_Options $options;
	/** Schedule of the queue and of the nightly check. */
	private Imagewright_Schedule $schedule;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Records of images. */
	private Imagewright_State $state;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options   $options   Settings.
	 * @param Imagewright_Schedule  $schedule  Schedule of the queue and of the nightly check.
	 * @param Imagewright_Index     $index     Rows of images.
	 * @param Imagewright_Gathering $gathering Attachments that come to share a file.
	 * @param Imagewright_Access    $access    Permissions of users.
	 * @param Imagewright_State     $state     Records of images.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Schedule $schedule,
		Imagewright_Index $index,
		Imagewright_Gathering $gathering,
		Imagewright_Access $access,
		Imagewright_State $state
	) {
		$this->options   = $options;
		$this->schedule  = $schedule;
		$this->index     = $index;
		$this->gathering = $gathering;
		$this->access    = $access;
		$this->state     = $state;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->activation( array( __CLASS__, 'activate' ) );
		$hooks->deactivation( array( 'Imagewright_Schedule', 'clear_work' ) );
		$hooks->deactivation( array( 'Imagewright_Caches', 'purge_at_end' ) );
		$hooks->deactivation( array( 'Imagewright_Schedule', 'clear' ) );
		$hooks->action( 'init', array( __CLASS__, 'install' ) );
		$hooks->action( 'delete_attachment', array( 'Imagewright_Restoration', 'forget_deleted' ) );
		$hooks->action( 'deleted_post', array( 'Imagewright_Index', 'remove' ) );
		$hooks->action( 'deleted_user', array( 'Imagewright_Budget', 'forget' ) );
		$hooks->action( 'admin_init', array( __CLASS__, 'privacy' ) );
		global $wp_textdomain_registry;
		if ( $wp_textdomain_registry instanceof WP_Textdomain_Registry ) {
			$wp_textdomain_registry->set_custom_path( 'imagewright', IMAGEWRIGHT_DIR . 'languages' );
		}
		$hooks->filter( 'load_textdomain_mofile', array( __CLASS__, 'nearest' ), 10, 2 );
	}

	/** Adds the default options. The key is not autoloaded. */
	public function activate() {
		add_option( Imagewright_Options::SETTINGS, $this->options->defaults() );
		add_option( Imagewright_Options::KEY, '', '', false );
		$this->install();
		$this->schedule->wake();
		$this->schedule->plan();
	}

	/** Suggests a text for the privacy policy. */
	public function privacy() {
		$text = '<p>' . esc_html__( 'When a user with access to the media library optimizes images, or this site optimizes new uploads by itself, these image files, their alternative texts and titles are sent to the image service that this site is set up to use. The service keeps them until they are optimized, for 24 hours at most after they were last used. If the service is set up to describe images, it may send them on to a vision model. Nothing about visitors of the site is sent.', 'imagewright' ) . '</p>';
		wp_add_privacy_policy_content( 'Imagewright', wp_kses_post( $text ) );
	}

	/** Creates or changes the table and what belongs to it, once for each version. */
	public function install() {
		$known = (int) get_option( Imagewright_Index::OPTION );
		if ( Imagewright_Index::VERSION === $known ) {
			return;
		}
		$this->index->create();
		if ( 0 === $known ) {
			$this->adopt();
			// Once: later versions leave the roles as the settings have them.
			$this->access->grant_spending();
		}
		$this->gathering->gather_all();
		$this->schedule->plan();
		// Each page reads it: an option that does not exist costs a query.
		add_option( Imagewright_Options::DELIVERED, array() );
		update_option( Imagewright_Index::OPTION, Imagewright_Index::VERSION, true );
	}

	/** Adds the images that an earlier version of the plugin has replaced. */
	private function adopt() {
		global $wpdb;
		$last = 0;
		do {
			$found = $wpdb->get_results( $wpdb->prepare( "SELECT meta_id, post_id, meta_value FROM $wpdb->postmeta WHERE meta_key = %s AND meta_id > %d ORDER BY meta_id LIMIT 500", Imagewright_State::META, $last ) );
			foreach ( $found as $row ) {
				$last  = (int) $row->meta_id;
				$state = maybe_unserialize( $row->meta_value );
				if ( is_array( $state ) ) {
					$this->index->put( (int) $row->post_id, $this->state->summary( $state ) );
				}
			}
		} while ( $found );
	}

	/**
	 * Falls back to the translation of another region: `de_DE` for `de_AT`, `es_ES` for `es_MX`.
	 *
	 * @param string $file   Path of the translation.
	 * @param string $domain Text domain.
	 * @return string
	 */
	public function nearest( $file, $domain ) {
		$is_ours = 'imagewright' === $domain && preg_match( '/^imagewright-([a-z]{2,3})(?:_\w+)?\.mo$/', wp_basename( $file ), $found );
		// Since WordPress 6.5 a translation may exist as PHP only.
		if ( ! $is_ours || is_readable( $file ) || is_readable( substr_replace( $file, '.l10n.php', -strlen( '.mo' ) ) ) ) {
			return $file;
		}
		$others = glob( IMAGEWRIGHT_DIR . "languages/imagewright-{$found[1]}[_.]*mo" );
		return $others ? $others[0] : $file;
	}
}
