<?php
/**
 * Plans of replacements.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Chooses file names and metadata before any file is changed.
 */
class Imagewright_Plan {

	/**
	 * Assigns variants to the parts of the attachment.
	 *
	 * @param int   $id     Attachment.
	 * @param array $result Result of the export.
	 * @return array{full:array,scaled:?array,sizes:array<string,array>,variants:array<int,array>}
	 */
	public static function roles( $id, $result ) {
		$full   = $result['variants'][0];
		$scaled = Imagewright_Sizes::scaled( $full, $result['variants'], $id );
		$sizes  = Imagewright_Sizes::assign( $full, $result['variants'] );
		$needed = array();
		foreach ( array_merge( array( $full, $scaled ), array_values( $sizes ) ) as $variant ) {
			if ( $variant ) {
				$needed[ $variant['name'] ] = $variant;
			}
		}
		return array(
			'full'     => $full,
			'scaled'   => $scaled,
			'sizes'    => $sizes,
			'variants' => array_values( $needed ),
		);
	}

	/**
	 * Plans file names and metadata. The caller holds the lock for choosing names.
	 *
	 * @param array       $snapshot Snapshot.
	 * @param array       $roles    Of roles().
	 * @param string      $mime     Type of the new files.
	 * @param string|null $rename   Base name that the user confirmed, or null.
	 * @return array `attached`, `files` (name => variant name), `copies` (name => copy), `metadata`, `reserved` (sizes that
	 *               WordPress must not make, since a file of another attachment has their name).
	 */
	public static function make( $snapshot, $roles, $mime, $rename ) {
		$old      = $snapshot['metadata'];
		$dir      = dirname( path_join( wp_get_upload_dir()['basedir'], $snapshot['attached_file'] ) );
		$in_place = null === $rename && $snapshot['mime'] === $mime;
		$names    = $in_place ? self::same_names( $snapshot, $roles, $dir ) : self::new_names( $snapshot, $roles, $mime, $rename, $dir );
		$files    = array();
		$shown    = $roles['scaled'] ? $roles['scaled'] : $roles['full'];

		$files[ $names['attached'] ] = $shown['name'];
		if ( $roles['scaled'] ) {
			$files[ $names['original'] ] = 'full';
		}
		$metadata = array_merge(
			array_diff_key( $old, array_flip( array( 'sizes', 'original_image', 'sources', 'filesize' ) ) ),
			array(
				'width'    => (int) $shown['width'],
				'height'   => (int) $shown['height'],
				'file'     => self::beside( $snapshot['attached_file'], $names['attached'] ),
				'filesize' => (int) $shown['size'],
				'sizes'    => array(),
			)
		);
		foreach ( $roles['sizes'] as $size => $variant ) {
			$files[ $names['sizes'][ $size ] ] = $variant['name'];
			$metadata['sizes'][ $size ]        = array(
				'file'      => $names['sizes'][ $size ],
				'width'     => (int) $variant['width'],
				'height'    => (int) $variant['height'],
				'mime-type' => $mime,
				'filesize'  => (int) $variant['size'],
			);
		}
		if ( $roles['scaled'] ) {
			$metadata['original_image'] = $names['original'];
		}
		$by_core  = self::left_to_wordpress( $roles, $roles['scaled'] ? $names['original'] : $names['attached'] );
		$reserved = array();
		foreach ( $by_core as $size => $name ) {
			if ( self::is_foreign( $name, $snapshot, $dir ) ) {
				$reserved[] = $size;
			}
		}
		$copies  = array();
		$written = array_unique( array_merge( array_keys( $files ), array_values( $by_core ) ) );
		foreach ( array_intersect( $written, array_keys( $snapshot['files'] ) ) as $name ) {
			$parts           = pathinfo( $name );
			$copies[ $name ] = wp_unique_filename( $dir, $parts['filename'] . '-before.' . $parts['extension'] );
		}
		return array(
			'attached' => $metadata['file'],
			'files'    => $files,
			'copies'   => $copies,
			'metadata' => $metadata,
			'reserved' => $reserved,
		);
	}

	/**
	 * Returns true if a file of this name exists and does not belong to the attachment.
	 *
	 * @param string $name     File name.
	 * @param array  $snapshot Snapshot.
	 * @param string $dir      Folder.
	 * @return bool
	 */
	private static function is_foreign( $name, $snapshot, $dir ) {
		return ! isset( $snapshot['files'][ $name ] ) && file_exists( path_join( $dir, $name ) );
	}

	/**
	 * Keeps the existing names, so that every URL in use shows the optimized file.
	 *
	 * @param array  $snapshot Snapshot.
	 * @param array  $roles    Of roles().
	 * @param string $dir      Folder.
	 * @return array{attached:string,original:string,sizes:array<string,string>}
	 */
	private static function same_names( $snapshot, $roles, $dir ) {
		$old      = $snapshot['metadata'];
		$attached = wp_basename( $snapshot['attached_file'] );
		$parts    = pathinfo( $old['original_image'] ?? $attached );
		$names    = self::names( $parts['filename'], $parts['extension'], $roles );
		$taken    = array();
		foreach ( $roles['sizes'] as $size => $variant ) {
			$old_size = $old['sizes'][ $size ] ?? array();
			// The dimensions of a registered size may have changed.
			if ( ! empty( $old_size['file'] ) && abs( $old_size['width'] - $variant['width'] ) <= 1 && abs( $old_size['height'] - $variant['height'] ) <= 1 ) {
				$name = $old_size['file'];
				// Two sizes may share a file only if they share the variant.
				if ( ! isset( $taken[ $name ] ) || $taken[ $name ] === $variant['name'] ) {
					$names['sizes'][ $size ] = $name;
				}
			}
			$taken[ $names['sizes'][ $size ] ] = $variant['name'];
		}
		$names['attached'] = $attached;
		$names['original'] = isset( $old['original_image'] ) && $old['original_image'] !== $attached ? $old['original_image'] : $parts['filename'] . '-full.' . $parts['extension'];
		// New names may belong to files of other attachments.
		$free = static function ( $name ) use ( $snapshot, $dir ) {
			return self::is_foreign( $name, $snapshot, $dir ) ? wp_unique_filename( $dir, $name ) : $name;
		};
		$names['original'] = $free( $names['original'] );
		$names['sizes']    = array_map( $free, $names['sizes'] );
		return $names;
	}

	/**
	 * Returns the names of the sizes that WordPress makes from the new file. It overwrites existing files.
	 *
	 * @param array  $roles Of roles().
	 * @param string $name  Name of the file that WordPress resizes.
	 * @return array<string,string> Name of the size => name of the file.
	 */
	private static function left_to_wordpress( $roles, $name ) {
		$parts = pathinfo( $name );
		$names = array();
		foreach ( array_diff_key( wp_get_registered_image_subsizes(), $roles['sizes'] ) as $key => $size ) {
			$measures = image_resize_dimensions( $roles['full']['width'], $roles['full']['height'], $size['width'], $size['height'], $size['crop'] );
			if ( $measures ) {
				$names[ $key ] = "{$parts['filename']}-{$measures[4]}x{$measures[5]}.{$parts['extension']}";
			}
		}
		return $names;
	}

	/**
	 * Chooses free names beside the old files.
	 *
	 * @param array       $snapshot Snapshot.
	 * @param array       $roles    Of roles().
	 * @param string      $mime     Type of the new files.
	 * @param string|null $rename   Base name that the user confirmed, or null.
	 * @param string      $dir      Folder.
	 * @return array{attached:string,original:string,sizes:array<string,string>}
	 */
	private static function new_names( $snapshot, $roles, $mime, $rename, $dir ) {
		$extension = Imagewright_Contract::EXTENSIONS[ $mime ];
		$old       = $snapshot['metadata']['original_image'] ?? wp_basename( $snapshot['attached_file'] );
		$wish      = null === $rename ? pathinfo( $old, PATHINFO_FILENAME ) : sanitize_title( $rename );
		$wish      = '' === $wish ? 'image' : $wish;
		for ( $number = 0; ; $number++ ) {
			$base  = $wish . ( $number > 0 ? "-$number" : '' );
			$file  = wp_unique_filename( $dir, "$base.$extension" );
			$names = self::names( pathinfo( $file, PATHINFO_FILENAME ), $extension, $roles );
			$taken = array_filter(
				array_merge( array( $names['attached'], $names['original'] ), array_values( $names['sizes'] ) ),
				static function ( $name ) use ( $dir ) {
					return file_exists( path_join( $dir, $name ) );
				}
			);
			if ( ! $taken ) {
				return $names;
			}
		}
	}

	/**
	 * Builds file names in the same way as WordPress.
	 *
	 * @param string $base      Base name.
	 * @param string $extension Extension.
	 * @param array  $roles     Of roles().
	 * @return array{attached:string,original:string,sizes:array<string,string>}
	 */
	private static function names( $base, $extension, $roles ) {
		$sizes = array();
		foreach ( $roles['sizes'] as $size => $variant ) {
			$sizes[ $size ] = "$base-{$variant['width']}x{$variant['height']}.$extension";
		}
		return array(
			'attached' => $roles['scaled'] ? "$base-scaled.$extension" : "$base.$extension",
			'original' => "$base.$extension",
			'sizes'    => $sizes,
		);
	}

	/**
	 * Returns a name in the folder of another file, relative to the uploads folder.
	 *
	 * @param string $relative Relative path.
	 * @param string $name     File name.
	 * @return string
	 */
	private static function beside( $relative, $name ) {
		$folder = dirname( $relative );
		return '.' === $folder ? $name : "$folder/$name";
	}
}
