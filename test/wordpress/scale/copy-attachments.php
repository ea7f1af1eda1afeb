<?php
/**
 * Only for tests: copies attachments with all their files, thousands in a minute. Each copy of an upload differs from the others by a comment.
 */
defined( 'ABSPATH' ) || exit;

/**
 * Adds copies of JPEGs.
 *
 * @param int[] $ids   Attachments to copy, in turn.
 * @param int   $from  Number of the first copy.
 * @param int   $count Number of copies.
 */
function copy_attachments( array $ids, int $from, int $count ): void {
	$base = wp_get_upload_dir()['basedir'];
	for ( $number = $from; $number < $from + $count; $number++ ) {
		$id       = $ids[ $number % count( $ids ) ];
		$metadata = wp_get_attachment_metadata( $id, true );
		$folder   = dirname( $metadata['file'] );
		$file     = wp_basename( $metadata['file'] );
		$comment  = "copy $number";
		$bytes    = file_get_contents( "$base/$folder/$file" );
		file_put_contents( "$base/$folder/c$number-$file", substr( $bytes, 0, 2 ) . "\xFF\xFE" . pack( 'n', 2 + strlen( $comment ) ) . $comment . substr( $bytes, 2 ) );
		foreach ( $metadata['sizes'] as $name => $size ) {
			copy( "$base/$folder/{$size['file']}", "$base/$folder/c$number-{$size['file']}" );
			$metadata['sizes'][ $name ]['file'] = "c$number-{$size['file']}";
		}
		$metadata['file']     = "$folder/c$number-$file";
		$metadata['filesize'] = filesize( "$base/{$metadata['file']}" );
		$copy                 = wp_insert_attachment(
			array(
				'post_title'     => "Copy $number",
				'post_mime_type' => 'image/jpeg',
			),
			$metadata['file']
		);
		wp_update_attachment_metadata( $copy, $metadata );
	}
}
