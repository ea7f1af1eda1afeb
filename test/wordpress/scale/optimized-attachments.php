<?php
/**
 * Only for tests: marks attachments as a library of years would have them: five of six are optimized, each third of these in the place of its
 * originals, and the others would not become smaller. Records have the fields that the plugin writes.
 */
defined( 'ABSPATH' ) || exit;

/**
 * Writes records and rows, in batches of 500.
 *
 * @param int $first First attachment.
 * @param int $last  Last attachment.
 * @return array Number of optimized images, and of those without gain.
 */
function mark_attachments_as_optimized( int $first, int $last ): array {
	global $wpdb;
	$counts = array( 0, 0 );
	$wpdb->query( 'START TRANSACTION' );
	for ( $from = $first; $from <= $last; $from += 500 ) {
		$meta = array();
		$rows = array();
		foreach ( $wpdb->get_results( $wpdb->prepare( "SELECT post_id, meta_value FROM $wpdb->postmeta WHERE meta_key = '_wp_attachment_metadata' AND post_id BETWEEN %d AND %d ORDER BY post_id", $from, min( $last, $from + 499 ) ) ) as $found ) {
			$id       = (int) $found->post_id;
			$metadata = unserialize( $found->meta_value );
			if ( 0 === ( $id - $first ) % 6 ) {
				++$counts[1];
				$path   = wp_get_upload_dir()['basedir'] . '/' . $metadata['file'];
				$source = is_file( $path ) ? filesize( $path ) . ' ' . filemtime( $path ) : '';
				$rows[] = $wpdb->prepare( "(%d,'no_gain','webp high beside',%s,0,0,'imagewright_not_smaller','The optimized file would not be smaller, so the image stays as it is.',1700000000)", $id, $source );
				continue;
			}
			++$counts[0];
			$state  = record_of_optimized_attachment( $metadata, 0 === $id % 3 ? 'replace' : 'beside' );
			$meta[] = $wpdb->prepare( "(%d,'_imagewright',%s)", $id, serialize( $state ) );
			$meta[] = $wpdb->prepare( "(%d,'_wp_attachment_backup_sizes',%s)", $id, serialize( array_map( static fn( $name ) => array( 'file' => $name, 'width' => 0, 'height' => 0 ), $state['created'] ) ) );
			$rows[] = $wpdb->prepare( "(%d,'done',%s,'',%d,%d,'','',1700000000)", $id, 'webp high ' . $state['way'], $state['bytes']['before'], $state['bytes']['after'] );
		}
		if ( $meta ) {
			$wpdb->query( "INSERT INTO $wpdb->postmeta (post_id,meta_key,meta_value) VALUES " . implode( ',', $meta ) );
		}
		$wpdb->query( 'INSERT INTO ' . Imagewright_Index::table() . ' (attachment_id,status,settings,source,bytes_before,bytes_after,code,message,updated) VALUES ' . implode( ',', $rows ) );
	}
	$wpdb->query( 'COMMIT' );
	update_option( 'imagewright_delivered', array( 'image/webp' ), true );
	if ( '' !== $wpdb->last_error ) {
		throw new RuntimeException( $wpdb->last_error );
	}
	return $counts;
}

/** Builds the record of an optimized attachment with metadata of WordPress. */
function record_of_optimized_attachment( array $metadata, string $way ): array {
	$attached = $metadata['file'];
	$names    = array_merge( array( wp_basename( $attached ) ), array_column( $metadata['sizes'], 'file' ) );
	$path     = wp_get_upload_dir()['basedir'] . '/' . $attached;
	$file     = array(
		'md5'  => md5( $attached ),
		'size' => is_file( $path ) ? filesize( $path ) : 1000,
	);
	$before   = $metadata['filesize'] + array_sum( array_column( $metadata['sizes'], 'filesize' ) );
	return array(
		'status'   => 'optimized',
		'way'      => $way,
		'snapshot' => array(
			'attached_file' => $attached,
			'alt'           => null,
			'title'         => wp_basename( $attached ),
			'files'         => 'replace' === $way ? array_fill_keys( $names, $file ) : array(),
		) + ( 'replace' === $way ? array(
			'metadata'     => $metadata,
			'mime'         => 'image/jpeg',
			'backup_sizes' => null,
		) : array() ),
		'created'  => array_map( static fn( $name ) => "$name.iw.webp", $names ),
		'copies'   => array(),
		'job'      => 'job_0123456789abcdefghijk',
		'image'    => 'img_0123456789abcdefghijk',
		'at'       => 1700000000,
		'after'    => array(
			'file'  => $attached,
			'mime'  => 'image/webp',
			'texts' => array(),
			'files' => array_fill_keys( 'replace' === $way ? $names : array_slice( $names, 0, 1 ), $file ),
		),
		'bytes'    => array(
			'before' => $before,
			'after'  => intdiv( $before * 6, 10 ),
		),
		'quality'  => array(
			'format' => 'webp',
			'preset' => 'high',
		),
		'warnings' => array(),
	);
}
