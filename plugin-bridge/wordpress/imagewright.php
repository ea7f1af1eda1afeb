<?php
/**
 * Plugin Name:       Imagewright
 * Description:       Optimizes the images of the media library with an Imagewright service: smaller files at a quality you choose, every size that this site uses, and every replacement can be undone.
 * Version:           0.1.0
 * Requires at least: 6.1
 * Requires PHP:      7.4
 * Author:            Imagewright
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:       imagewright
 * Domain Path:       /languages
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

define( 'IMAGEWRIGHT_VERSION', '0.1.0' );
define( 'IMAGEWRIGHT_FILE', __FILE__ );
define( 'IMAGEWRIGHT_DIR', plugin_dir_path( __FILE__ ) );

require_once IMAGEWRIGHT_DIR . 'includes/autoload.php';

// Classes are loaded when they are needed: pages for visitors need few.
Imagewright_Languages::register();
Imagewright_Lifecycle::register();
Imagewright_Versions::register();
Imagewright_Index::register();
Imagewright_Uploads::register();
Imagewright_Schedule::register();
Imagewright_Old_Addresses::register();
Imagewright_Original_Addresses::register();
Imagewright_Beside::register();
Imagewright_Shared::register();
Imagewright_Kept_Files::register();
Imagewright_Truth::register();
Imagewright_Nightly::register();
Imagewright_Picture::register();
Imagewright_Page_Caches::register();
add_filter( 'big_image_size_threshold', array( 'Imagewright_Sizes', 'limit' ), 5 );
add_filter( 'big_image_size_threshold', array( 'Imagewright_Kept_Sizes', 'keep_scaled' ), PHP_INT_MAX, 4 );
add_filter( 'intermediate_image_sizes_advanced', array( 'Imagewright_Kept_Sizes', 'keep_sizes' ), PHP_INT_MAX, 3 );
add_filter( 'wp_generate_attachment_metadata', array( 'Imagewright_Kept_Sizes', 'put_back' ), 1, 2 );
if ( isset( $_GET['imagewright_view'] ) ) { // phpcs:ignore WordPress.Security.NonceVerification.Recommended -- signed.
	add_action( 'plugins_loaded', array( 'Imagewright_Page_View', 'register' ) );
}
add_filter( 'woocommerce_available_variation', array( 'Imagewright_Shop', 'variation' ), 30 );
add_action( 'woocommerce_before_variations_form', array( 'Imagewright_Shop', 'form' ) );
if ( function_exists( 'wp_register_ability' ) ) {
	Imagewright_Abilities::register();
}
if ( defined( 'WP_CLI' ) && WP_CLI ) {
	Imagewright_Cli::register();
}
if ( is_admin() ) {
	Imagewright_Assets::register();
	Imagewright_Settings_Page::register();
	Imagewright_Optimize_Page::register();
	Imagewright_Texts_Page::register();
	Imagewright_Media_List::register();
	Imagewright_Attachment_Field::register();
}
add_action(
	'rest_api_init',
	static function () {
		Imagewright_Proxy::register();
		Imagewright_Rest_Library::register();
		Imagewright_Rest_Media::register();
		Imagewright_Rest_Runs::register();
		Imagewright_Rest_Texts::register();
		Imagewright_Rest_Reports::register();
		Imagewright_Settings_Page::register();
	},
	0
);
