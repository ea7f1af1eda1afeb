<?php
/**
 * Autoloads the classes of the plugin.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Loads the file of a class: `Imagewright_Rest_Runs` is `<folder>/class-imagewright-rest-runs.php`.
 *
 * @param string $class_name Name of any class.
 */
function imagewright_autoload( $class_name ) {
	if ( 0 !== strpos( $class_name, 'Imagewright_' ) ) {
		return;
	}
	$name = 'class-' . str_replace( '_', '-', strtolower( $class_name ) ) . '.php';
	foreach ( array( '', 'Service', 'Media', 'Texts', 'Deliver', 'Replace', 'Bulk', 'Report', 'Admin', 'Rest', 'Cli' ) as $imagewright_folder ) {
		$file = IMAGEWRIGHT_DIR . "includes/$imagewright_folder/$name";
		if ( is_readable( $file ) ) {
			require_once $file;
			return;
		}
	}
}

spl_autoload_register( 'imagewright_autoload' );

/**
 * Returns the plugin, whose objects are made when they are needed. Only the plugin's main file and uninstall.php ask for it: objects
 * get others by their constructors.
 *
 * @return Imagewright_Plugin
 */
function imagewright() {
	static $plugin = null;
	if ( null === $plugin ) {
		$plugin = new Imagewright_Plugin();
	}
	return $plugin;
}
