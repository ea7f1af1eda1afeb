<?php
/**
 * Files that others use.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Keeps the files of a picture while another attachment uses them: when one of several is deleted, WordPress would delete the files of
 * all.
 */
class Imagewright_Kept_Files {

	/**
	 * Files that are not deleted now.
	 *
	 * @var array<string,true>
	 */
	private static $kept = array();

	/**
	 * Attachments whose picture others keep.
	 *
	 * @var array<int,true>
	 */
	private static $leaving = array();

	/** Registers the hooks. */
	public static function register() {
		add_action( 'delete_attachment', array( __CLASS__, 'leave' ), 5 );
		add_filter( 'wp_delete_file', array( __CLASS__, 'veto' ), 5 );
	}

	/**
	 * Notes the files of an attachment that others use, before it is deleted.
	 *
	 * @param int $id Attachment.
	 */
	public static function leave( $id ) {
		$id    = (int) $id;
		// WordPress deletes the files last. What was kept of an earlier attachment was kept by now.
		self::$kept    = array();
		self::$leaving = array();
		$state = Imagewright_State::get( $id );
		$rest  = array_values( array_diff( Imagewright_Shared::gather( $id ), array( $id ) ) );
		if ( $rest ) {
			if ( $state ) {
				self::$leaving[ $id ] = true;
				self::keep( $state, self::names( $id, $state ) );
			}
			Imagewright_Shared::leave( $id, $rest );
		} elseif ( $state && self::is_used( $state['snapshot']['attached_file'], array( $id ) ) ) {
			self::keep( $state, array_keys( $state['snapshot']['files'] ) );
		}
	}

	/**
	 * Returns true if another attachment uses the files of a picture that is deleted now.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function are_shared( $id ) {
		return isset( self::$leaving[ (int) $id ] );
	}

	/**
	 * Returns true if an attachment outside of a picture uses its upload: a translation that was made before the picture was replaced.
	 *
	 * @param string $file Path relative to the uploads folder.
	 * @param int[]  $ids  Attachments of the picture.
	 * @return bool
	 */
	public static function is_used( $file, $ids ) {
		return array() !== array_diff( Imagewright_Shared::users( $file ), $ids );
	}

	/**
	 * Keeps a file that others use.
	 *
	 * @param string $path File that is to be deleted; empty if another plugin keeps it.
	 * @return string
	 */
	public static function veto( $path ) {
		return is_string( $path ) && isset( self::$kept[ wp_normalize_path( $path ) ] ) ? '' : $path;
	}

	/**
	 * Notes files to keep.
	 *
	 * @param array    $state Record.
	 * @param string[] $names Names.
	 */
	private static function keep( $state, $names ) {
		$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		foreach ( $names as $name ) {
			self::$kept[ wp_normalize_path( path_join( $dir, $name ) ) ] = true;
		}
	}

	/**
	 * Lists all files of a picture.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string[]
	 */
	private static function names( $id, $state ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$backups  = get_post_meta( $id, '_wp_attachment_backup_sizes', true );
		return array_filter(
			array_merge(
				array_keys( $state['snapshot']['files'] ),
				$state['created'],
				array_values( $state['copies'] ),
				Imagewright_Snapshot::names( (string) get_post_meta( $id, '_wp_attached_file', true ), is_array( $metadata ) ? $metadata : array() ),
				array_column( is_array( $backups ) ? $backups : array(), 'file' )
			),
			'is_string'
		);
	}
}
