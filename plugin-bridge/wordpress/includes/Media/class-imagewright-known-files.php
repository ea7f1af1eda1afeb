<?php
/**
 * Files of attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Tells which files belong to attachments: those in their metadata, the optimized ones beside them, and those that a replacement keeps.
 * Other files of the uploads folder are nobody's business.
 */
class Imagewright_Known_Files {

	/**
	 * Returns those of some files that belong to attachments.
	 *
	 * @param string[] $paths Paths relative to the uploads folder.
	 * @return array<string,true> By path.
	 */
	public static function of( $paths ) {
		$found = array();
		$paths = array_values( array_unique( array_filter( $paths, 'strlen' ) ) );
		foreach ( self::attachments( $paths ) as $id => $attached ) {
			$folder = dirname( $attached );
			foreach ( self::names( $id, $attached ) as $name ) {
				$found[ '.' === $folder ? $name : "$folder/$name" ] = true;
			}
		}
		$known = array();
		foreach ( $paths as $path ) {
			if ( isset( $found[ self::without_mark( $path ) ] ) ) {
				$known[ $path ] = true;
			}
		}
		return $known;
	}

	/**
	 * Finds the attachments to which files may belong, by the names that WordPress derives from an upload.
	 *
	 * @param string[] $paths Paths.
	 * @return array<int,string> Attached files by attachment.
	 */
	private static function attachments( $paths ) {
		global $wpdb;
		$uploads = array();
		foreach ( array_map( array( __CLASS__, 'without_mark' ), $paths ) as $path ) {
			$main = preg_replace( '/(-\d+x\d+)?(?=\.\w+$)/', '', $path, 1 );
			foreach ( array( $path, $main ) as $one ) {
				$uploads[] = $one;
				$uploads[] = preg_replace( '/(?=\.\w+$)/', '-scaled', $one );
				$uploads[] = preg_replace( '/(?=\.\w+$)/', '-rotated', $one );
			}
		}
		$uploads = array_values( array_unique( $uploads ) );
		if ( ! $uploads ) {
			return array();
		}
		$marks = implode( ',', array_fill( 0, count( $uploads ), '%s' ) );
		$rows  = Imagewright_Index::select( $wpdb->prepare( "SELECT post_id, meta_value FROM $wpdb->postmeta WHERE meta_key IN ( '_wp_attached_file', '" . Imagewright_State::WAS . "' ) AND meta_value IN ($marks)", $uploads ) ); // phpcs:ignore WordPress.DB.PreparedSQL, WordPress.DB.PreparedSQLPlaceholders -- placeholders only.
		return array_map( 'strval', array_column( $rows, 'meta_value', 'post_id' ) );
	}

	/**
	 * Lists the names of the files of an attachment.
	 *
	 * @param int    $id       Attachment.
	 * @param string $attached Attached file, now or before it was replaced.
	 * @return string[]
	 */
	private static function names( $id, $attached ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$backups  = get_post_meta( $id, '_wp_attachment_backup_sizes', true );
		return array_merge(
			Imagewright_Snapshot::names( $attached, is_array( $metadata ) ? $metadata : array() ),
			array_filter( array_column( is_array( $backups ) ? $backups : array(), 'file' ), 'is_string' )
		);
	}

	/**
	 * Returns the path of the file of WordPress beside which a file lies.
	 *
	 * @param string $path Path.
	 * @return string
	 */
	private static function without_mark( $path ) {
		return (string) preg_replace( '/' . preg_quote( Imagewright_Beside::MARK, '/' ) . '\w+$/', '', $path );
	}
}
