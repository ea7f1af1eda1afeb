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
	/** Schedule of the queue. */
	private Imagewright_Schedule $schedule;
	/** Nightly check of states. */
	private Imagewright_Nightly $nightly;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** Roles that may spend credits. */
	private Imagewright_Roles $roles;
	/** Records of images. */
	private Imagewright_State $state;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options   $options   Settings.
	 * @param Imagewright_Schedule  $schedule  Schedule of the queue.
	 * @param Imagewright_Nightly   $nightly   Nightly check of states.
	 * @param Imagewright_Index     $index     Rows of images.
	 * @param Imagewright_Gathering $gathering Attachments that come to share a file.
	 * @param Imagewright_Roles     $roles     Roles that may spend credits.
	 * @param Imagewright_State     $state     Records of images.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Schedule $schedule,
		Imagewright_Nightly $nightly,
		Imagewright_Index $index,
		Imagewright_Gathering $gathering,
		Imagewright_Roles $roles,
		Imagewright_State $state
	) {
		$this->options   = $options;
		$this->schedule  = $schedule;
		$this->nightly   = $nightly;
		$this->index     = $index;
		$this->gathering = $gathering;
		$this->roles     = $roles;
		$this->state     = $state;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->activation( array( __CLASS__, 'activate' ) );
		$hooks->deactivation( array( 'Imagewright_Schedule', 'clear' ) );
		$hooks->deactivation( array( 'Imagewright_Page_Caches', 'finish' ) );
		$hooks->deactivation( array( 'Imagewright_Nightly', 'clear' ) );
		$hooks->action( 'init', array( __CLASS__, 'install' ) );
		$hooks->action( 'delete_attachment', array( 'Imagewright_Restoration', 'forget_deleted' ) );
		$hooks->action( 'deleted_post', array( 'Imagewright_Index', 'remove' ) );
		$hooks->action( 'deleted_user', array( 'Imagewright_Budget', 'forget' ) );
		$hooks->action( 'admin_init', array( __CLASS__, 'privacy' ) );
	}

	/** Adds the default options. The key is not autoloaded. */
	public function activate() {
		add_option( Imagewright_Options::SETTINGS, $this->options->defaults() );
		add_option( Imagewright_Options::KEY, '', '', false );
		$this->install();
		$this->schedule->wake();
		$this->nightly->plan();
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
		}
		$this->gathering->gather_all();
		$this->roles->grant();
		$this->nightly->plan();
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
}
