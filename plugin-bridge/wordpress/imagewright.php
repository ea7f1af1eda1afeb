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

imagewright()->start();
