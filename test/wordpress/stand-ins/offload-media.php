<?php
/**
 * Stand-in for WP Offload Media Lite 3.2.11 (deliciousbrains/wp-amazon-s3-and-cloudfront), files kept on the server: it sends the files of
 * an attachment to a bucket when its metadata is written (`wp_update_attachment_metadata`, 110), and pages name the bucket
 * (`wp_get_attachment_url`, 99; `wp_calculate_image_srcset`; `the_content`, 100). The bucket is IMAGEWRIGHT_TEST_BUCKET. As in the real
 * plugin, `as3cf_attachment_file_paths` filters the files, and posts store addresses of this site.
 */
defined( 'ABSPATH' ) || exit;

function stand_in_bucket_url( $url ) {
	return str_replace( wp_get_upload_dir()['baseurl'], IMAGEWRIGHT_TEST_BUCKET . '/wp-content/uploads', $url );
}

function stand_in_is_offloaded( $id ) {
	return defined( 'IMAGEWRIGHT_TEST_BUCKET' ) && get_post_meta( $id, '_stand_in_offloaded', true );
}

add_filter(
	'wp_update_attachment_metadata',
	static function ( $metadata, $id ) {
		if ( ! defined( 'IMAGEWRIGHT_TEST_BUCKET' ) ) {
			return $metadata;
		}
		$attached = get_attached_file( $id, true );
		$names    = array( wp_basename( $attached ), $metadata['original_image'] ?? '' );
		$names    = array_merge( $names, array_column( $metadata['sizes'] ?? array(), 'file' ) );
		$paths    = array();
		foreach ( array_filter( $names ) as $name ) {
			$paths[ $name ] = dirname( $attached ) . "/$name";
		}
		foreach ( apply_filters( 'as3cf_attachment_file_paths', $paths, $id, $metadata ) as $path ) {
			if ( is_file( $path ) ) {
				wp_remote_request(
					stand_in_bucket_url( str_replace( wp_get_upload_dir()['basedir'], wp_get_upload_dir()['baseurl'], $path ) ),
					array(
						'method' => 'PUT',
						'body'   => file_get_contents( $path ),
					)
				);
			}
		}
		update_post_meta( $id, '_stand_in_offloaded', 1 );
		return $metadata;
	},
	110,
	2
);
add_filter(
	'wp_get_attachment_url',
	static function ( $url, $id ) {
		return stand_in_is_offloaded( $id ) ? stand_in_bucket_url( $url ) : $url;
	},
	99,
	2
);
add_filter(
	'wp_calculate_image_srcset',
	static function ( $sources, $size, $src, $metadata, $id ) {
		foreach ( stand_in_is_offloaded( $id ) ? $sources : array() as $width => $source ) {
			$sources[ $width ]['url'] = stand_in_bucket_url( $source['url'] );
		}
		return $sources;
	},
	99,
	5
);
add_filter(
	'the_content',
	static function ( $content ) {
		return preg_replace_callback(
			'/<img\s[^>]*wp-image-(\d+)[^>]*>/',
			static function ( $found ) {
				return stand_in_is_offloaded( (int) $found[1] ) ? stand_in_bucket_url( $found[0] ) : $found[0];
			},
			$content
		);
	},
	100
);
