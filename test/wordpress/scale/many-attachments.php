<?php
/**
 * Only for tests: fills a media library by SQL, as an import of years would have left it.
 */
defined( 'ABSPATH' ) || exit;

/**
 * Adds attachments with the metadata that WordPress would have made: all registered sizes, camera data, partly texts.
 *
 * @param int    $count Number of attachments.
 * @param string $files Files that exist: 'none', 'full' (each upload) or 'all' (sizes, too). All are links to `$photo`.
 * @param string $photo Path of a JPEG.
 * @return array First and last id.
 */
function add_many_attachments( int $count, string $files, string $photo ): array {
	global $wpdb;
	$first = 1 + (int) $wpdb->get_var( "SELECT MAX(ID) FROM $wpdb->posts" );
	$kinds = many_attachments_kinds( $wpdb );
	$link  = many_attachments_linker( $photo, $files );
	$wpdb->query( 'START TRANSACTION' );
	for ( $from = 0; $from < $count; $from += 500 ) {
		$posts = array();
		$meta  = array();
		for ( $at = $from; $at < min( $count, $from + 500 ); $at++ ) {
			$id     = $first + $at;
			$kind   = $kinds[ $at % count( $kinds ) ];
			$time   = 1420070400 + intdiv( $at * 370000000, $count );
			$folder = gmdate( 'Y/m/', $time );
			$name   = "picture-$id";
			$file   = $folder . $name . $kind['suffix'];
			$date   = gmdate( 'Y-m-d H:i:s', $time );
			$text   = 0 === $at % 3 ? "Text of picture $id, which says in a sentence or two where it was taken and what can be seen." : '';
			$guid   = content_url( 'uploads/' . $folder . $name . '.' . $kind['extension'] );
			$posts[] = "($id,1,'$date','$date','$text','$name','$text','inherit','open','closed','$name','','','$date','$date','',0,'$guid',0,'attachment','{$kind['mime']}',0)";
			// Each name has the length of its placeholder, so that the serialized data stay valid.
			$metadata = str_replace( array( '2000/01/', 'picture-NUMBER' ), array( $folder, str_pad( $name, 14, '0' ) ), $kind['metadata'] );
			$file     = str_replace( $name, str_pad( $name, 14, '0' ), $file );
			$meta[]   = "($id,'_wp_attached_file','$file')";
			$meta[]   = "($id,'_wp_attachment_metadata','$metadata')";
			if ( 0 === $at % 2 ) {
				$meta[] = "($id,'_wp_attachment_image_alt','Picture $id beside the river')";
			}
			$link( $folder, str_pad( $name, 14, '0' ), $kind['names'] );
		}
		$wpdb->query( "INSERT INTO $wpdb->posts (ID,post_author,post_date,post_date_gmt,post_content,post_title,post_excerpt,post_status,comment_status,ping_status,post_name,to_ping,pinged,post_modified,post_modified_gmt,post_content_filtered,post_parent,guid,menu_order,post_type,post_mime_type,comment_count) VALUES " . implode( ',', $posts ) );
		$wpdb->query( "INSERT INTO $wpdb->postmeta (post_id,meta_key,meta_value) VALUES " . implode( ',', $meta ) );
	}
	$wpdb->query( 'COMMIT' );
	if ( '' !== $wpdb->last_error ) {
		throw new RuntimeException( $wpdb->last_error );
	}
	return array( $first, $first + $count - 1 );
}

/** Types and sizes of uploads: photographs of cameras and phones, screens, small pictures. */
function many_attachments_kinds( wpdb $wpdb ): array {
	$kinds = array();
	foreach ( array( array( 4032, 3024 ), array( 3000, 2000 ), array( 2400, 1600 ), array( 2000, 3000 ), array( 1600, 1200 ), array( 1200, 1200 ), array( 1920, 1080, 'png' ), array( 640, 480 ) ) as $picture ) {
		list( $width, $height ) = $picture;
		$extension = isset( $picture[2] ) ? $picture[2] : 'jpg';
		$mime      = 'png' === $extension ? 'image/png' : 'image/jpeg';
		$is_scaled = max( $width, $height ) > 2560;
		if ( $is_scaled ) {
			list( $width, $height ) = wp_constrain_dimensions( $width, $height, 2560, 2560 );
		}
		$suffix = ( $is_scaled ? '-scaled' : '' ) . ".$extension";
		$sizes  = array();
		$names  = array( $suffix );
		foreach ( wp_get_registered_image_subsizes() as $name => $size ) {
			$box = image_resize_dimensions( $width, $height, $size['width'], $size['height'], $size['crop'] );
			if ( $box ) {
				$sizes[ $name ] = array(
					'file'      => "picture-NUMBER-$box[4]x$box[5].$extension",
					'width'     => $box[4],
					'height'    => $box[5],
					'mime-type' => $mime,
					'filesize'  => intdiv( $box[4] * $box[5], 6 ),
				);
				$names[]        = "-$box[4]x$box[5].$extension";
			}
		}
		$metadata = array(
			'width'      => $width,
			'height'     => $height,
			'file'       => "2000/01/picture-NUMBER$suffix",
			'filesize'   => intdiv( $width * $height, 5 ),
			'sizes'      => $sizes,
			'image_meta' => array(
				'aperture'          => '2.8',
				'credit'            => 'A photographer',
				'camera'            => 'A camera with a long name',
				'caption'           => 'A caption that the camera wrote',
				'created_timestamp' => '1420070400',
				'copyright'         => 'Copyright of the photographer',
				'focal_length'      => '35',
				'iso'               => '200',
				'shutter_speed'     => '0.004',
				'title'             => '',
				'orientation'       => '1',
				'keywords'          => array( 'river', 'valley', 'mountains' ),
			),
		);
		if ( $is_scaled ) {
			$metadata['original_image'] = "picture-NUMBER.$extension";
			$names[]                    = ".$extension";
		}
		$kinds[] = array(
			'suffix'    => $suffix,
			'extension' => $extension,
			'mime'      => $mime,
			'names'     => array_unique( $names ),
			'metadata'  => $wpdb->_real_escape( serialize( $metadata ) ),
		);
	}
	return $kinds;
}

/** Returns a function that makes the files of an attachment. */
function many_attachments_linker( string $photo, string $files ): callable {
	$base  = wp_upload_dir()['basedir'] . '/';
	$links = 0;
	$copy  = '';
	return static function ( string $folder, string $name, array $endings ) use ( $base, $photo, $files, &$links, &$copy ) {
		if ( 'none' === $files ) {
			return;
		}
		if ( ! is_dir( $base . $folder ) ) {
			mkdir( $base . $folder, 0777, true );
		}
		foreach ( 'all' === $files ? $endings : array_filter( array( $endings[0], end( $endings ) ), static fn( $ending ) => false === strpos( $ending, 'x' ) ) as $ending ) {
			// Filesystems limit the number of links to a file.
			if ( 0 === $links++ % 20000 ) {
				$copy = $base . $folder . "links-$links.jpg";
				copy( $photo, $copy );
			}
			$path = $base . $folder . $name . $ending;
			if ( ! file_exists( $path ) ) {
				link( $copy, $path );
			}
		}
	};
}
