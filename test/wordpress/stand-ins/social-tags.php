<?php
/**
 * Stand-in for plugins that print pictures for social networks, such as Yoast SEO 23: they ask WordPress for the featured image and print
 * it in `wp_head` (1).
 */
defined( 'ABSPATH' ) || exit;

add_action(
	'wp_head',
	static function () {
		$id    = is_singular() ? get_post_thumbnail_id() : 0;
		$full  = $id ? wp_get_attachment_image_url( $id, 'full' ) : '';
		$large = $id ? wp_get_attachment_image_url( $id, 'large' ) : '';
		if ( $full ) {
			echo '<meta property="og:image" content="' . esc_url( $full ) . "\" />\n";
			echo '<meta property="og:image:type" content="' . esc_attr( get_post_mime_type( $id ) ) . "\" />\n";
			echo '<meta name="twitter:image" content="' . esc_url( $large ) . "\" />\n";
		}
	},
	1
);
