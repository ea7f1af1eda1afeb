<?php
/**
 * Only for tests: takes from images what lets a browser choose among sizes, as a careless plugin does.
 */
defined( 'ABSPATH' ) || exit;

add_filter( 'wp_calculate_image_srcset', '__return_false' );
