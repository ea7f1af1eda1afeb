<?php
/**
 * Stand-in for two documented functions of Polylang 3.7 on attachments: `pll_get_post_language( $id, 'locale' )` and
 * `pll_get_post_translations( $id )`. The language of a post is its meta `_stand_in_locale`; posts with one `_stand_in_picture` are
 * translations of each other. With `?wpml` in the option `stand_in_languages` the filters of WPML 4.6 answer instead:
 * `wpml_post_language_details`, `wpml_active_languages`, `wpml_object_id`.
 */
defined( 'ABSPATH' ) || exit;

function stand_in_locale( $id ) {
	return (string) get_post_meta( $id, '_stand_in_locale', true );
}

function stand_in_pictures( $id ) {
	$picture = get_post_meta( $id, '_stand_in_picture', true );
	$posts   = $picture ? get_posts( array( 'post_type' => 'attachment', 'post_status' => 'any', 'fields' => 'ids', 'numberposts' => -1, 'meta_key' => '_stand_in_picture', 'meta_value' => $picture ) ) : array();
	$by_code = array();
	foreach ( $posts as $post ) {
		$by_code[ substr( stand_in_locale( $post ), 0, 2 ) ] = $post;
	}
	return $by_code;
}

if ( 'wpml' === get_option( 'stand_in_languages' ) ) {
	add_filter( 'wpml_post_language_details', static fn( $value, $id ) => array( 'locale' => stand_in_locale( $id ) ), 10, 2 );
	add_filter( 'wpml_active_languages', static fn() => array( 'en' => array(), 'de' => array() ) );
	add_filter( 'wpml_object_id', static fn( $id, $type, $original, $code ) => stand_in_pictures( $id )[ $code ] ?? ( $original ? $id : null ), 10, 4 );
} else {
	function pll_get_post_language( $id, $field = 'slug' ) {
		$locale = stand_in_locale( $id );
		return '' === $locale ? false : ( 'locale' === $field ? $locale : substr( $locale, 0, 2 ) );
	}

	function pll_get_post_translations( $id ) {
		return stand_in_pictures( $id );
	}
}
