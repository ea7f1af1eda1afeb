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

	/** Registers the hooks. */
	public static function register() {
		register_activation_hook( IMAGEWRIGHT_FILE, array( __CLASS__, 'activate' ) );
		register_deactivation_hook( IMAGEWRIGHT_FILE, array( 'Imagewright_Schedule', 'clear' ) );
		register_deactivation_hook( IMAGEWRIGHT_FILE, array( 'Imagewright_Page_Caches', 'finish' ) );
		register_deactivation_hook( IMAGEWRIGHT_FILE, array( 'Imagewright_Nightly', 'clear' ) );
		add_action( 'delete_attachment', array( 'Imagewright_Restoration', 'forget_deleted' ) );
		add_action( 'deleted_post', array( 'Imagewright_Index', 'remove' ) );
		add_action( 'deleted_user', array( 'Imagewright_Budget', 'forget' ) );
		add_action( 'admin_init', array( __CLASS__, 'privacy' ) );
	}

	/** Adds the default options. The key is not autoloaded. */
	public static function activate() {
		add_option( Imagewright_Options::SETTINGS, Imagewright_Options::defaults() );
		add_option( Imagewright_Options::KEY, '', '', false );
		Imagewright_Index::install();
		Imagewright_Schedule::wake();
		Imagewright_Nightly::plan();
	}

	/** Suggests a text for the privacy policy. */
	public static function privacy() {
		$text = '<p>' . esc_html__( 'When a user with access to the media library optimizes images, or this site optimizes new uploads by itself, these image files, their alternative texts and titles are sent to the image service that this site is set up to use. The service keeps them until they are optimized, for 24 hours at most after they were last used. If the service is set up to describe images, it may send them on to a vision model. Nothing about visitors of the site is sent.', 'imagewright' ) . '</p>';
		wp_add_privacy_policy_content( 'Imagewright', wp_kses_post( $text ) );
	}
}
