<?php
/**
 * Stand-in for products with variations of WooCommerce, which the tests cannot have: the data of a variation (`WC_Product_Variable::
 * get_available_variation()`, `wc_get_product_attachment_props()`), the markup of the gallery and what `add-to-cart-variation.js` changes in it
 * follow WooCommerce 9. It has not met the real WooCommerce.
 */
defined( 'ABSPATH' ) || exit;

/** Data of an image, as `wc_get_product_attachment_props()` has them. */
function stand_in_attachment_props( int $id ): array {
	$full  = wp_get_attachment_image_src( $id, 'full' );
	$thumb = wp_get_attachment_image_src( $id, 'thumbnail' );
	$src   = wp_get_attachment_image_src( $id, 'medium' );
	return array(
		'title'                 => get_the_title( $id ),
		'url'                   => wp_get_attachment_url( $id ),
		'full_src'              => $full[0],
		'full_src_w'            => $full[1],
		'full_src_h'            => $full[2],
		'gallery_thumbnail_src' => $thumb[0],
		'src'                   => $src[0],
		'src_w'                 => $src[1],
		'src_h'                 => $src[2],
		'srcset'                => wp_get_attachment_image_srcset( $id, 'medium' ),
		'sizes'                 => wp_get_attachment_image_sizes( $id, 'medium' ),
	);
}

add_filter(
	'the_content',
	static function ( $content ) {
		$ids = array_map( 'intval', array_filter( explode( ',', (string) get_post_meta( get_the_ID(), '_stand_in_variations', true ) ) ) );
		if ( ! $ids ) {
			return $content;
		}
		$main  = array_shift( $ids );
		$full  = wp_get_attachment_image_src( $main, 'full' );
		$html  = '<div class="product"><div class="woocommerce-product-gallery images">';
		$html .= '<div data-thumb="' . esc_url( wp_get_attachment_image_url( $main, 'thumbnail' ) ) . '" class="woocommerce-product-gallery__image"><a href="' . esc_url( $full[0] ) . '">';
		$html .= wp_get_attachment_image( $main, 'medium', false, array( 'class' => 'wp-post-image', 'data-src' => $full[0], 'data-large_image' => $full[0] ) ) . '</a></div></div>';
		$data  = array();
		foreach ( $ids as $number => $id ) {
			$data[] = apply_filters(
				'woocommerce_available_variation',
				array(
					'variation_id' => 1000 + $number,
					'attributes'   => array( 'attribute_colour' => "colour-$number" ),
					'image'        => stand_in_attachment_props( $id ),
					'image_id'     => $id,
				),
				null,
				null
			);
		}
		ob_start();
		do_action( 'woocommerce_before_variations_form' );
		$html .= ob_get_clean() . '<form class="variations_form cart" data-product_variations="' . esc_attr( wp_json_encode( $data ) ) . '"><select name="attribute_colour"><option value="">Choose</option>';
		foreach ( $ids as $number => $id ) {
			$html .= "<option>colour-$number</option>";
		}
		wp_enqueue_script( 'jquery' );
		add_action(
			'wp_footer',
			static function () {
				?>
				<script>
				jQuery( function ( $ ) {
					$.fn.wc_set_variation_attr = function ( attr, value ) {
						if ( undefined === this.attr( 'data-o_' + attr ) ) this.attr( 'data-o_' + attr, this.attr( attr ) || '' );
						if ( false === value ) this.removeAttr( attr ); else this.attr( attr, value );
					};
					$.fn.wc_reset_variation_attr = function ( attr ) {
						if ( undefined !== this.attr( 'data-o_' + attr ) ) this.attr( attr, this.attr( 'data-o_' + attr ) );
					};
					function update( form, variation ) {
						const img = form.closest( '.product' ).find( '.images .woocommerce-product-gallery__image' ).eq( 0 ).find( '.wp-post-image' );
						const attributes = { src: 'src', height: 'src_h', width: 'src_w', srcset: 'srcset', sizes: 'sizes', title: 'title', 'data-src': 'full_src', 'data-large_image': 'full_src' };
						for ( const [ attr, name ] of Object.entries( attributes ) ) {
							if ( variation ) img.wc_set_variation_attr( attr, variation.image[ name ] ); else img.wc_reset_variation_attr( attr );
						}
					}
					$( '.variations_form' ).each( function () {
						const form = $( this );
						form.on( 'found_variation', ( event, variation ) => update( form, variation ) );
						form.on( 'reset_image', () => update( form, false ) );
						form.on( 'change', 'select', ( event ) => {
							const found = form.data( 'product_variations' ).find( ( { attributes } ) => attributes.attribute_colour === event.target.value );
							if ( found ) form.trigger( 'found_variation', [ found ] ); else form.trigger( 'reset_image' );
						} );
					} );
				} );
				</script>
				<?php
			},
			99
		);
		return $html . '</select></form></div>' . $content;
	},
	20
);
