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

	/** Image sizes of the site. */
	private Imagewright_Sizes $sizes;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Sizes $sizes Image sizes of the site.
	 */
	public function __construct( Imagewright_Sizes $sizes ) {
		$this->sizes = $sizes;
	}

	/**
	 * Assigns variants to the parts of the attachment.
	 *
	 * @param int   $id     Attachment.
	 * @param array $result Result of the export.
	 * @param bool  $larger True to accept files that are larger than those in use.
	 * @return array{full:array,main:?array,scaled:bool,sizes:array<string,array>,variants:array<int,array>,larger:bool} `full`:
	 *         dimensions; `main`: variant of the attached file, null to keep it; `scaled`: true if it is a scaled copy.
	 */
	public function roles( $id, $result, $larger ) {
		$by     = array_column( $result['variants'], null, 'name' );
		$full   = $by['full'] ?? $result['original'];
		$limit  = $this->sizes->threshold( array( $full['width'], $full['height'] ), $id );
		$scaled = $limit > 0 && max( $full['width'], $full['height'] ) > $limit;
		$main   = $scaled ? $this->sizes->scaled( $full, $result['variants'], $id ) : ( $by['full'] ?? null );
		if ( $scaled && ( ! $main || ! isset( $by['full'] ) ) ) {
			// The upload and its scaled copy are replaced together. An upload that WordPress has not scaled stays whole.
			$old    = wp_get_attachment_metadata( $id, true );
			$scaled = ! $this->sizes->is_near( $full, $old['width'], $old['height'] );
			$main   = $scaled ? null : ( $by['full'] ?? null );
		}
		$sizes  = $this->sizes->assign( $full, $result['variants'], (array) wp_get_attachment_metadata( $id, true ) );
		$needed = array();
		foreach ( array_merge( array( $main, $main ? $by['full'] : null ), array_values( $sizes ) ) as $variant ) {
			if ( $variant ) {
				$needed[ $variant['name'] ] = $variant;
			}
		}
		return array(
			'full'     => $full,
			'main'     => $main,
			'scaled'   => $scaled,
			'sizes'    => $sizes,
			'variants' => array_values( $needed ),
			'larger'   => $larger,
		);
	}

	/**
	 * Plans file names and metadata. The caller holds the lock for choosing names.
	 *
	 * @param array       $snapshot Snapshot.
	 * @param array       $roles    Of roles().
	 * @param string      $mime     Type of the new files.
	 * @param string|null $rename   Base name that the user confirmed, or null.
	 * @return array `attached`, `mime` (type of the attachment), `files` (name => variant name), `copies` (name => copy),
	 *               `metadata`, `reserved` (sizes that WordPress must not make, since a file of another attachment has their name).
	 */
	public function make( $snapshot, $roles, $mime, $rename ) {
		$old      = $snapshot['metadata'];
		$dir      = dirname( path_join( wp_get_upload_dir()['basedir'], $snapshot['attached_file'] ) );
		// Without a new main file there is nothing to rename.
		$rename   = $roles['main'] ? $rename : null;
		$in_place = null === $rename && $snapshot['mime'] === $mime;
		$names    = $in_place ? $this->same_names( $snapshot, $roles, $dir ) : $this->new_names( $snapshot, $roles, $mime, $rename, $dir );
		$keeps    = null === $rename && ! $roles['larger'];
		list( $files, $metadata, $mime_after ) = $this->main_file( $snapshot, $roles, $names, $mime, $keeps );
		foreach ( $roles['sizes'] as $size => $variant ) {
			$old_size = $old['sizes'][ $size ] ?? array();
			if ( $keeps && $this->is_smaller( $old_size, $variant, $snapshot['files'] ) ) {
				$metadata['sizes'][ $size ] = $old_size;
				continue;
			}
			$shape = $this->sizes->is_near( $variant, $old_size['width'] ?? 0, $old_size['height'] ?? 0 ) ? $old_size : $variant;
			$files[ $names['sizes'][ $size ] ] = $variant['name'];
			$metadata['sizes'][ $size ]        = array(
				'file'      => $names['sizes'][ $size ],
				'width'     => (int) $shape['width'],
				'height'    => (int) $shape['height'],
				'mime-type' => $mime,
				'filesize'  => (int) $variant['size'],
			);
		}
		foreach ( $keeps ? (array) ( $old['sizes'] ?? array() ) : array() as $size => $old_size ) {
			// The service cannot make this size, so its file stays.
			if ( ! isset( $metadata['sizes'][ $size ] ) && isset( $snapshot['files'][ $old_size['file'] ?? '' ] ) ) {
				$metadata['sizes'][ $size ] = $old_size;
			}
		}
		$by_core  = $this->left_to_wordpress( $roles['full'], $metadata );
		$reserved = array();
		foreach ( $by_core as $size => $name ) {
			if ( $this->is_foreign( $name, $snapshot, $dir ) ) {
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
			'mime'     => $mime_after,
			'files'    => $files,
			'copies'   => $copies,
			'metadata' => $metadata,
			'reserved' => $reserved,
		);
	}

	/**
	 * Plans the attached file, and the upload that it was scaled from. An attached file that is not larger than its new one stays.
	 *
	 * @param array  $snapshot Snapshot.
	 * @param array  $roles    Of roles().
	 * @param array  $names    Names of the new files.
	 * @param string $mime     Type of the new files.
	 * @param bool   $keeps    True to keep a smaller file.
	 * @return array{0:array<string,string>,1:array,2:string} Name => variant name; metadata without sizes; type of the attachment.
	 */
	private function main_file( $snapshot, $roles, $names, $mime, $keeps ) {
		$shown = $roles['main'];
		$old   = array( 'sizes' => array() ) + array_diff_key( $snapshot['metadata'], array_flip( array( 'sizes', 'sources' ) ) );
		if ( ! $shown || ( $keeps && $this->is_smaller( array( 'file' => wp_basename( $snapshot['attached_file'] ) ) + $old, $shown, $snapshot['files'] ) ) ) {
			return array( array(), $old, $snapshot['mime'] );
		}
		$files    = array( $names['attached'] => $shown['name'] );
		$metadata = array_merge(
			array_diff_key( $old, array_flip( array( 'original_image', 'filesize' ) ) ),
			array(
				'width'    => (int) $shown['width'],
				'height'   => (int) $shown['height'],
				'file'     => preg_replace( '~[^/]*$~D', '', $snapshot['attached_file'] ) . $names['attached'],
				'filesize' => (int) $shown['size'],
			)
		);
		if ( $roles['scaled'] ) {
			$files[ $names['original'] ] = 'full';
			$metadata['original_image']  = $names['original'];
		}
		return array( $files, $metadata, $mime );
	}

	/**
	 * Returns true if a file in use has the dimensions of its variant and is not larger.
	 *
	 * @param array $old     Entry of the metadata.
	 * @param array $variant Variant.
	 * @param array $files   Files of the snapshot.
	 * @return bool
	 */
	private function is_smaller( $old, $variant, $files ) {
		return isset( $old['file'], $files[ $old['file'] ] ) && $files[ $old['file'] ]['size'] <= (int) $variant['size']
			&& $this->sizes->is_near( $variant, (int) $old['width'], (int) $old['height'] );
	}

	/**
	 * Returns true if a file of this name exists and does not belong to the attachment.
	 *
	 * @param string $name     File name.
	 * @param array  $snapshot Snapshot.
	 * @param string $dir      Folder.
	 * @return bool
	 */
	private function is_foreign( $name, $snapshot, $dir ) {
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
	private function same_names( $snapshot, $roles, $dir ) {
		$old      = $snapshot['metadata'];
		$attached = wp_basename( $snapshot['attached_file'] );
		$parts    = pathinfo( $old['original_image'] ?? $attached );
		$names    = $this->names( $parts['filename'], $parts['extension'], $roles );
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
		$free = function ( $name ) use ( $snapshot, $dir ) {
			return $this->is_foreign( $name, $snapshot, $dir ) ? wp_unique_filename( $dir, $name ) : $name;
		};
		$names['original'] = $free( $names['original'] );
		$names['sizes']    = array_map( $free, $names['sizes'] );
		return $names;
	}

	/**
	 * Returns the names of the sizes that WordPress makes from the new file. It overwrites existing files.
	 *
	 * @param array $full     The `full` variant.
	 * @param array $metadata Planned metadata.
	 * @return array<string,string> Name of the size => name of the file.
	 */
	private function left_to_wordpress( $full, $metadata ) {
		$parts = pathinfo( $metadata['original_image'] ?? wp_basename( $metadata['file'] ) );
		$names = array();
		foreach ( array_diff_key( wp_get_registered_image_subsizes(), $metadata['sizes'] ) as $key => $size ) {
			$measures = image_resize_dimensions( $full['width'], $full['height'], $size['width'], $size['height'], $size['crop'] );
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
	private function new_names( $snapshot, $roles, $mime, $rename, $dir ) {
		$extension = Imagewright_Contract::EXTENSIONS[ $mime ];
		$old       = $snapshot['metadata']['original_image'] ?? wp_basename( $snapshot['attached_file'] );
		$wish      = null === $rename ? pathinfo( $old, PATHINFO_FILENAME ) : sanitize_title( $rename );
		$wish      = '' === $wish ? 'image' : $wish;
		for ( $number = 0; ; $number++ ) {
			$base  = $wish . ( $number > 0 ? "-$number" : '' );
			$file  = wp_unique_filename( $dir, "$base.$extension" );
			$names = $this->names( pathinfo( $file, PATHINFO_FILENAME ), $extension, $roles );
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
	private function names( $base, $extension, $roles ) {
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
}
