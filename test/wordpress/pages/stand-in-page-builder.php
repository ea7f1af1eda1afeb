<?php
/**
 * Stand-in for Elementor, which the tests cannot have: it stores and shows pages in the same way as far as images are concerned.
 * The content of a page is JSON in the meta `_elementor_data`; image widgets name an attachment and its URL, text and HTML widgets hold
 * plain `img` elements, sections have background images. It has not met the real Elementor.
 */
defined( 'ABSPATH' ) || exit;

function stand_in_builder_render( array $elements ): string {
	$html = '';
	foreach ( $elements as $element ) {
		$settings = $element['settings'];
		if ( 'container' === $element['elType'] ) {
			$id     = 'elementor-element-' . $element['id'];
			$image  = isset( $settings['background_image']['url'] ) ? $settings['background_image']['url'] : '';
			$style  = $image ? "<style>.$id{background-image:url(\"$image\");background-size:cover;min-height:320px}</style>" : '';
			$html  .= $style . "<div class=\"elementor-element $id e-con\">" . stand_in_builder_render( $element['elements'] ) . '</div>';
		} elseif ( 'image' === $element['widgetType'] ) {
			$id    = $settings['image']['id'];
			$size  = $settings['image_size'];
			$class = "attachment-$size size-$size wp-image-$id";
			$image = wp_get_attachment_image( $id, $size, false, array( 'class' => $class ) );
			$html .= "<div class=\"elementor-widget elementor-widget-image\">$image</div>";
		} else {
			$html .= "<div class=\"elementor-widget\">{$settings['html']}</div>";
		}
	}
	return $html;
}

add_filter(
	'the_content',
	static function ( $content ) {
		$data = get_post_meta( get_the_ID(), '_elementor_data', true );
		if ( ! $data ) {
			return $content;
		}
		remove_filter( 'the_content', 'wpautop' );
		remove_filter( 'the_content', 'wptexturize' );
		return '<div class="elementor">' . stand_in_builder_render( json_decode( $data, true ) ) . '</div>';
	},
	9
);
