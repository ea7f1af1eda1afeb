<?php
/**
 * Stand-in for Polylang 3.9-dev (d814d2af) with translated media: `stand_in_translate()` makes a further attachment of a file in the order of
 * PLL_Translated_Post::create_media_translation(), three metas are the same on all of them (PLL_Sync_Metas), and files are kept while any
 * meta names them (`wp_delete_file`, 10). As there, that a picture is one of several ends with `delete_attachment`.
 */
defined( 'ABSPATH' ) || exit;

const STAND_IN_SYNCED = array( '_wp_attached_file', '_wp_attachment_metadata', '_wp_attachment_backup_sizes' );

function stand_in_translations( $id ) {
	$group = get_post_meta( $id, '_stand_in_group', true );
	return $group ? array_diff( get_posts( array( 'post_type' => 'attachment', 'post_status' => 'any', 'fields' => 'ids', 'numberposts' => -1, 'meta_key' => '_stand_in_group', 'meta_value' => $group ) ), array( (int) $id ) ) : array();
}

function stand_in_translate( $id, $title ) {
	$post = get_post( $id, ARRAY_A );
	unset( $post['ID'] );
	$post['post_title'] = $title;
	$new                = wp_insert_attachment( wp_slash( $post ) );
	wp_update_attachment_metadata( $new, wp_slash( wp_get_attachment_metadata( $id, true ) ) );
	update_attached_file( $new, wp_slash( get_attached_file( $id, true ) ) );
	$alt = get_post_meta( $id, '_wp_attachment_image_alt', true );
	if ( $alt ) {
		add_post_meta( $new, '_wp_attachment_image_alt', wp_slash( $alt ) );
	}
	update_post_meta( $id, '_stand_in_group', $id );
	update_post_meta( $new, '_stand_in_group', $id );
	return $new;
}

foreach ( array( 'added_post_meta', 'update_post_meta' ) as $hook ) {
	add_action(
		$hook,
		static function ( $meta_id, $id, $key, $value ) {
			static $is_busy = false;
			if ( ! $is_busy && in_array( $key, STAND_IN_SYNCED, true ) ) {
				$is_busy = true;
				foreach ( stand_in_translations( $id ) as $other ) {
					update_metadata( 'post', $other, $key, wp_slash( $value ) );
				}
				$is_busy = false;
			}
		},
		10,
		4
	);
}
add_action(
	'deleted_post_meta',
	static function ( $meta_ids, $id, $key ) {
		static $is_busy = false;
		if ( ! $is_busy && in_array( $key, STAND_IN_SYNCED, true ) ) {
			$is_busy = true;
			foreach ( stand_in_translations( $id ) as $other ) {
				delete_metadata( 'post', $other, $key );
			}
			$is_busy = false;
		}
	},
	10,
	3
);
add_action(
	'delete_attachment',
	static function ( $id ) {
		delete_post_meta( $id, '_stand_in_group' );
	}
);
add_filter(
	'wp_delete_file',
	static function ( $file ) {
		global $wpdb;
		$name   = basename( $file );
		$path   = trim( str_replace( wp_upload_dir()['basedir'], '', $file ), '/' );
		$folder = trim( str_replace( $name, '', $path ), '/' );
		$like   = static fn( $text ) => '%"' . $wpdb->esc_like( $text ) . '"%';
		$count  = $wpdb->get_var(
			$wpdb->prepare(
				"SELECT COUNT(*) FROM $wpdb->postmeta AS a JOIN $wpdb->postmeta AS b ON a.post_id = b.post_id
				WHERE a.meta_key = '_wp_attached_file' AND a.meta_value LIKE %s AND b.meta_key IN ( '_wp_attachment_metadata', '_wp_attachment_backup_sizes' )
				AND ( b.meta_value LIKE %s OR b.meta_value LIKE %s )",
				$wpdb->esc_like( $folder ) . '/%',
				$like( $name ),
				$like( $path )
			)
		);
		return $count > 0 ? '' : $file;
	}
);
