<?php
/**
 * Caches of pages.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Empties the page caches of other plugins after files of pages have changed, once a minute at most, so that a run of thousands of
 * images does not empty them for each.
 */
class Imagewright_Page_Caches {

	/** Action that empties the caches. Other plugins may add theirs to it. */
	const HOOK = 'imagewright_pages_changed';

	/** Seconds between a change and the action. */
	const DELAY = 60;

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'imagewright_replaced', array( __CLASS__, 'plan' ) );
		$hooks->action( 'imagewright_restored', array( __CLASS__, 'plan' ) );
		$hooks->action( 'update_option_' . Imagewright_Options::SETTINGS, array( __CLASS__, 'compare' ), 10, 2 );
		$hooks->action( self::HOOK, array( __CLASS__, 'purge' ) );
		$hooks->filter( 'cloudflare_purge_everything_actions', array( __CLASS__, 'add_action_name' ) );
	}

	/** Plans the action, unless it is planned already. */
	public function plan() {
		if ( ! wp_next_scheduled( self::HOOK ) ) {
			wp_schedule_single_event( time() + self::DELAY, self::HOOK );
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

	/** Empties the caches at once and drops the planned action, for the end of the plugin. */
	public function finish() {
		wp_clear_scheduled_hook( self::HOOK );
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
		return array_merge( (array) $actions, array( self::HOOK ) );
	}
}
