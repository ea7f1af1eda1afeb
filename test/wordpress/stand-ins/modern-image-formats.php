<?php
/**
 * Stand-in for plugins that make a smaller file of each size and note it in the metadata, as Modern Image Formats (webp-uploads 2.2) was
 * seen to do it. `STAND_IN_PICTURE` puts images of a content into a `picture`, else addresses in the content become those of the smaller
 * files. They are found again by the metadata alone when the attachment is deleted. `STAND_IN_QUALITY` is that of WebP, 82 by default.
 */

add_filter(
	'wp_generate_attachment_metadata',
	static function ( $data, $id ) {
		if ( 'image/jpeg' !== get_post_mime_type( $id ) || empty( $data['sizes'] ) ) {
			return $data;
		}
		$dir  = dirname( get_attached_file( $id, true ) );
		$make = static function ( $entry ) use ( $dir ) {
			$name = wp_basename( $entry['file'] );
			$webp = preg_replace( '/\.(\w+)$/', '-$1.webp', $name );
			imagewebp( imagecreatefromjpeg( "$dir/$name" ), "$dir/$webp", defined( 'STAND_IN_QUALITY' ) ? STAND_IN_QUALITY : 82 );
			clearstatcache();
			$entry['sources'] = array(
				'image/jpeg' => array( 'file' => $name, 'filesize' => filesize( "$dir/$name" ) ),
				'image/webp' => array( 'file' => $webp, 'filesize' => filesize( "$dir/$webp" ) ),
			);
			return $entry;
		};
		$data['sizes'] = array_map( $make, $data['sizes'] );
		return $make( $data );
	},
	10,
	2
);

add_action(
	'delete_attachment',
	static function ( $id ) {
		$data = wp_get_attachment_metadata( $id );
		foreach ( array_merge( array( $data ), $data['sizes'] ?? array() ) as $entry ) {
			if ( isset( $entry['sources']['image/webp'] ) ) {
				wp_delete_file( dirname( get_attached_file( $id ) ) . '/' . $entry['sources']['image/webp']['file'] );
			}
		}
	}
);

/** Returns the addresses of the smaller files of an attachment by those of its files. */
function stand_in_smaller( $id ) {
	$data  = wp_get_attachment_metadata( $id );
	$url   = dirname( wp_get_attachment_url( $id ) ) . '/';
	$found = array();
	foreach ( is_array( $data ) ? array_merge( array( $data ), $data['sizes'] ) : array() as $entry ) {
		if ( isset( $entry['sources']['image/webp'] ) ) {
			$found[ $url . wp_basename( $entry['file'] ) ] = $url . $entry['sources']['image/webp']['file'];
		}
	}
	return $found;
}

/** Puts an image into a `picture`. */
function stand_in_picture( $img, $context, $id ) {
	$smaller = stand_in_smaller( $id );
	if ( 'the_content' !== $context ) {
		return $img;
	}
	if ( 'empty' === STAND_IN_PICTURE ) {
		// As the real one does where none of its files became smaller.
		return '<picture class="theirs">' . $img . '</picture>';
	}
	if ( ! $smaller || ! preg_match( '/ srcset="([^"]+)"/', $img, $set ) ) {
		return $img;
	}
	return '<picture class="theirs"><source type="image/webp" srcset="' . strtr( $set[1], $smaller ) . '">' . $img . '</picture>';
}

/** Shows the smaller files of a content. The name is that of the real function. */
function webp_uploads_update_image_references( $html ) {
	preg_match_all( '/wp-image-(\d+)/', $html, $ids );
	foreach ( $ids[1] as $id ) {
		$html = strtr( $html, stand_in_smaller( (int) $id ) );
	}
	return $html;
}

add_action(
	'init',
	static function () {
		if ( defined( 'STAND_IN_PICTURE' ) && STAND_IN_PICTURE ) {
			add_filter( 'wp_content_img_tag', 'stand_in_picture', 10, 3 );
		} else {
			add_filter( 'the_content', 'webp_uploads_update_image_references', 13 );
		}
	}
);
