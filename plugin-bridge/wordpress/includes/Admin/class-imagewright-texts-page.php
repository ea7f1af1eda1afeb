<?php
/**
 * Media > Image texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Page with the unconfirmed texts of AI, and the audit of all texts.
 */
class Imagewright_Texts_Page {

	const SLUG = 'imagewright-texts';

	/**
	 * Hook of the page.
	 *
	 * @var string
	 */
	private $hook = '';

	/** Permissions of users. */
	private Imagewright_Access $access;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access $access Permissions of users.
	 */
	public function __construct( Imagewright_Access $access ) {
		$this->access = $access;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'admin_menu', array( __CLASS__, 'menu' ) );
	}

	/** Adds the page. */
	public function menu() {
		$this->hook = (string) add_media_page( __( 'Image texts', 'imagewright' ), __( 'Image texts', 'imagewright' ), $this->access->capability( 'use' ), self::SLUG, array( $this, 'render' ) );
	}

	/**
	 * Returns the hook of the page.
	 *
	 * @return string
	 */
	public function hook() {
		return $this->hook;
	}

	/** Renders the page. The script fills it. */
	public function render() {
		?>
		<div class="wrap imagewright">
			<h1><?php esc_html_e( 'Image texts', 'imagewright' ); ?></h1>
			<div id="imagewright-texts"></div>
			<noscript><?php esc_html_e( 'This page needs JavaScript.', 'imagewright' ); ?></noscript>
		</div>
		<?php
	}
}
