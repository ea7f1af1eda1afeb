<?php
/**
 * Stand-in for WooCommerce, which the tests cannot have: it registers the same image sizes and shows a product's images with the same
 * functions of WordPress, outside of the post's content. It has not met the real WooCommerce.
 */
defined( 'ABSPATH' ) || exit;

add_action(
	'init',
	static function () {
		add_image_size( 'woocommerce_thumbnail', 300, 300, true );
		add_image_size( 'woocommerce_single', 600, 0, false );
		add_image_size( 'woocommerce_gallery_thumbnail', 100, 100, true );
		register_post_type(
			'product',
			array(
				'public'   => true,
				'label'    => 'Products',
				'supports' => array( 'title', 'editor', 'thumbnail' ),
			)
		);
	}
);

// After `wp_filter_content_tags`: the real shop prints its images in templates of its own.
add_filter(
	'the_content',
	static function ( $content ) {
		if ( 'product' !== get_post_type() ) {
			return $content;
		}
		$gallery = array_map( 'intval', array_filter( explode( ',', (string) get_post_meta( get_the_ID(), '_product_image_gallery', true ) ) ) );
		$main    = (int) get_post_thumbnail_id();
		$full    = wp_get_attachment_image_src( $main, 'full' );
		$html    = '<div class="woocommerce-product-gallery"><a href="' . esc_url( $full[0] ) . '">';
		$html   .= wp_get_attachment_image(
			$main,
			'woocommerce_single',
			false,
			array(
				'class'            => 'wp-post-image',
				'data-src'         => $full[0],
				'data-large_image' => $full[0],
			)
		) . '</a><ol class="flex-control-thumbs">';
		foreach ( array_merge( array( $main ), $gallery ) as $id ) {
			$html .= '<li>' . wp_get_attachment_image( $id, 'woocommerce_gallery_thumbnail' ) . '</li>';
		}
		$html .= '</ol></div>' . $content . '<ul class="products">';
		foreach ( $gallery as $id ) {
			$html .= '<li class="product">' . wp_get_attachment_image( $id, 'woocommerce_thumbnail' ) . '</li>';
		}
		return $html . '</ul>';
	},
	20
);
