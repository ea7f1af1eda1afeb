<?php
/**
 * Snapshots of attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Records everything that a replacement changes, with a checksum of each file.
 */
class Imagewright_Snapshot {

	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Other plugins that deliver smaller files. */
	private Imagewright_Neighbours $neighbours;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Files      $files      Files below the uploads folder.
	 * @param Imagewright_Neighbours $neighbours Other plugins that deliver smaller files.
	 */
	public function __construct( Imagewright_Files $files, Imagewright_Neighbours $neighbours ) {
		$this->files      = $files;
		$this->neighbours = $neighbours;
	}

	/**
	 * Takes a snapshot.
	 *
	 * @param int $id Attachment.
	 * @return array|WP_Error `attached_file`, `metadata`, `mime`, `alt`, `title`, `backup_sizes`, `files` (name => md5 and size), `others`
	 *                        (names of files that other plugins made of them).
	 */
	public function take( $id ) {
		$fault = $this->fault( $id );
		if ( $fault ) {
			return $fault;
		}
		$attached = (string) get_post_meta( $id, '_wp_attached_file', true );
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$path     = get_attached_file( $id, true );
		$alt      = get_post_meta( $id, Imagewright_Texts::ALT );
		$backups  = get_post_meta( $id, '_wp_attachment_backup_sizes', true );
		return array(
			'attached_file' => $attached,
			'metadata'      => $metadata,
			'mime'          => get_post_mime_type( $id ),
			'alt'           => $alt ? (string) $alt[0] : null,
			'title'         => get_post( $id )->post_title,
			'backup_sizes'  => is_array( $backups ) ? $backups : null,
			// Sizes whose file is missing are not recorded.
			'files'         => $this->checksums( dirname( $path ), $this->names( $attached, $metadata ) ),
			'others'        => $this->others( dirname( $path ), $this->names( $attached, $metadata ), $metadata ),
		);
	}

	/**
	 * Lists existing files that other plugins made of those of an attachment: files that its metadata names in fields of theirs, and those
	 * with another ending after the whole name. They find them by names that a replacement changes.
	 *
	 * @param string   $dir      Folder.
	 * @param string[] $names    Files of WordPress.
	 * @param array    $metadata Attachment metadata.
	 * @return string[] Names.
	 */
	public function others( $dir, $names, $metadata ) {
		$found = array();
		array_walk_recursive(
			$metadata,
			static function ( $value, $key ) use ( &$found ) {
				if ( 'file' === $key && is_string( $value ) && '' !== $value ) {
					$found[] = wp_basename( $value );
				}
			}
		);
		foreach ( $names as $name ) {
			array_push( $found, "$name.webp", "$name.avif" );
		}
		return array_values( array_filter( array_diff( array_unique( $found ), $names ), static fn( $name ) => is_file( path_join( $dir, $name ) ) ) );
	}

	/**
	 * Returns the reason why an attachment cannot be recorded, or null.
	 *
	 * @param int $id Attachment.
	 * @return WP_Error|null
	 */
	public function fault( $id ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		if ( $this->files->is_offloaded( $id ) ) {
			/* translators: %s: host name */
			return Imagewright_Rest_Errors::make( 'offloaded', sprintf( __( 'Pages get this image from another host, %s, which would not have the optimized files.', 'imagewright' ), (string) wp_parse_url( wp_get_attachment_url( $id ), PHP_URL_HOST ) ), 422 );
		}
		if ( $this->neighbours->hide( $id ) ) {
			return Imagewright_Rest_Errors::make( 'hidden', __( 'Pages show it in a picture element of another plugin, so visitors would not get the optimized files. Switch that off, or let the optimized files take the place of the originals.', 'imagewright' ), 422 );
		}
		if ( is_array( $metadata ) && ! empty( $metadata['width'] ) && $this->files->is_local( get_attached_file( $id, true ) ) ) {
			return null;
		}
		if ( $this->files->is_local( get_attached_file( $id, true ) ) ) {
			return Imagewright_Rest_Errors::make( 'no_sizes', __( 'WordPress has no sizes of this file. It makes none for a TIFF. For other images, regenerate the thumbnails.', 'imagewright' ), 422 );
		}
		return Imagewright_Rest_Errors::make( 'not_local', __( 'The file is not on this server, so it cannot be replaced here.', 'imagewright' ), 422 );
	}

	/**
	 * Computes the checksums of the existing files.
	 *
	 * @param string   $dir   Folder.
	 * @param string[] $names Names.
	 * @return array<string,array{md5:string,size:int}> By name.
	 */
	public function checksums( $dir, $names ) {
		$files = array();
		foreach ( $names as $name ) {
			$file = path_join( $dir, $name );
			if ( is_file( $file ) ) {
				$files[ $name ] = array(
					'md5'  => md5_file( $file ),
					'size' => wp_filesize( $file ),
				);
			}
		}
		return $files;
	}

	/**
	 * Returns the names of the files that cannot be regenerated: the attached file and the file it was scaled from.
	 *
	 * @param string $attached Attached file, relative to the uploads folder.
	 * @param array  $metadata Attachment metadata.
	 * @return string[]
	 */
	public function essential( $attached, $metadata ) {
		return $this->names( $attached, array( 'original_image' => $metadata['original_image'] ?? '' ) );
	}

	/**
	 * Returns the names of all files in the metadata, without duplicates.
	 *
	 * @param string $attached Attached file, relative to the uploads folder.
	 * @param array  $metadata Attachment metadata.
	 * @return string[]
	 */
	public function names( $attached, $metadata ) {
		$names = array( wp_basename( $attached ) );
		if ( ! empty( $metadata['original_image'] ) ) {
			$names[] = $metadata['original_image'];
		}
		foreach ( (array) ( $metadata['sizes'] ?? array() ) as $size ) {
			if ( ! empty( $size['file'] ) ) {
				$names[] = $size['file'];
			}
		}
		return array_values( array_unique( $names ) );
	}

	/**
	 * Builds the entries of `_wp_attachment_backup_sizes` for the old files. Core removes these files with the attachment even
	 * without this plugin, and its image editor ignores them.
	 *
	 * @param array                $snapshot Snapshot.
	 * @param array<string,string> $copies   Name of an overwritten file => name of its copy.
	 * @return array
	 */
	public function backup_sizes( $snapshot, $copies ) {
		$metadata = $snapshot['metadata'];
		$sizes    = (array) $snapshot['backup_sizes'];
		$entry    = static function ( $file, $size ) use ( $copies ) {
			return array(
				'file'   => $copies[ $file ] ?? $file,
				'width'  => (int) ( $size['width'] ?? 0 ),
				'height' => (int) ( $size['height'] ?? 0 ),
			);
		};
		$attached = wp_basename( $snapshot['attached_file'] );

		$sizes['full-imagewright'] = $entry( $attached, $metadata );
		if ( ! empty( $metadata['original_image'] ) ) {
			$sizes['original-imagewright'] = $entry( $metadata['original_image'], array() );
		}
		foreach ( (array) ( $metadata['sizes'] ?? array() ) as $name => $size ) {
			if ( ! empty( $size['file'] ) ) {
				$sizes[ "$name-imagewright" ] = $entry( $size['file'], $size );
			}
		}
		foreach ( $snapshot['others'] ?? array() as $number => $name ) {
			$sizes[ "other-$number-imagewright" ] = $entry( $name, array() );
		}
		return $sizes;
	}
}
