<?php
/**
 * Media > Image texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Page with the texts of AI that nobody confirmed, and the audit of all texts.
 */
class Imagewright_Texts_Page {

	const SLUG = 'imagewright-texts';

	/**
	 * Hook of the page.
	 *
	 * @var string
	 */
	private static $hook = '';

	/** Registers the hooks. */
	public static function register() {
		add_action( 'admin_menu', array( __CLASS__, 'menu' ) );
	}

	/** Adds the page. */
	public static function menu() {
		self::$hook = (string) add_media_page( __( 'Image texts', 'imagewright' ), __( 'Image texts', 'imagewright' ), Imagewright_Access::capability( 'use' ), self::SLUG, array( __CLASS__, 'render' ) );
	}

	/**
	 * Returns the hook of the page.
	 *
	 * @return string
	 */
	public static function hook() {
		return self::$hook;
	}

	/** Renders the page. The script fills it. */
	public static function render() {
		?>
		<div class="wrap imagewright">
			<h1><?php esc_html_e( 'Image texts', 'imagewright' ); ?></h1>
			<div id="imagewright-texts"></div>
			<noscript><?php esc_html_e( 'This page needs JavaScript.', 'imagewright' ); ?></noscript>
		</div>
		<?php
	}
}
