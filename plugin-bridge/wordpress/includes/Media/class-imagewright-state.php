<?php
/**
 * Optimization record of an attachment.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads and writes the record of an attachment and its last failure.
 *
 * Fields: `status` (`replacing`, `optimized`, `restoring`), `snapshot` (see Imagewright_Snapshot), `created` (names of the
 * new files), `copies` (name of an overwritten file => name of its copy), `after` (`file`, `mime`, `texts`, `files`: name
 * => md5 and size), `job`, `image`,
 * `bytes` (`before`, `after`), `settings`, `at`.
 */
class Imagewright_State {

	const META    = '_imagewright';
	const FAILURE = '_imagewright_failure';
	/** Key of the names that a replaced file had before, relative to the uploads folder; one row each. */
	const WAS = '_imagewright_was';

	/**
	 * Returns the record, or null if the attachment is not optimized.
	 *
	 * @param int $id Attachment.
	 * @return array|null
	 */
	public static function get( $id ) {
		$state = get_post_meta( $id, self::META, true );
		return is_array( $state ) ? $state : null;
	}

	/**
	 * Stores the record.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 */
	public static function set( $id, $state ) {
		update_post_meta( $id, self::META, wp_slash( $state ) );
	}

	/**
	 * Deletes the record.
	 *
	 * @param int $id Attachment.
	 */
	public static function clear( $id ) {
		delete_post_meta( $id, self::META );
		delete_post_meta( $id, self::WAS );
	}

	/**
	 * Returns the status of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return string `none`, `optimized`, `edited` (after it was optimized), `working`, `interrupted`, `failed`.
	 */
	public static function status( $id ) {
		$state = self::get( $id );
		if ( ! $state ) {
			return self::failure( $id ) ? 'failed' : 'none';
		}
		if ( 'optimized' !== $state['status'] ) {
			return Imagewright_Lock::is_held( $id ) ? 'working' : 'interrupted';
		}
		return self::is_edited( $id, $state, false ) ? 'edited' : 'optimized';
	}

	/**
	 * Returns true if another file was attached after the replacement, by the image editor or a plugin, or the optimized file
	 * was overwritten.
	 *
	 * @param int   $id      Attachment.
	 * @param array $state   Record.
	 * @param bool  $certain True to compare checksums, false to compare only sizes, for lists.
	 * @return bool
	 */
	public static function is_edited( $id, $state, $certain = true ) {
		$attached = $state['after']['file'] ?? '';
		if ( get_post_meta( $id, '_wp_attached_file', true ) !== $attached ) {
			return true;
		}
		$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $attached ) );
		foreach ( $state['after']['files'] ?? array() as $name => $file ) {
			$path = path_join( $dir, $name );
			// A missing file holds no edits.
			if ( is_file( $path ) && ( wp_filesize( $path ) !== $file['size'] || ( $certain && md5_file( $path ) !== $file['md5'] ) ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Stores the reason why an attachment could not be optimized.
	 *
	 * @param int      $id    Attachment.
	 * @param WP_Error $error Reason.
	 * @param string   $run   Bulk run, or an empty string.
	 */
	public static function note_failure( $id, $error, $run ) {
		update_post_meta(
			$id,
			self::FAILURE,
			wp_slash(
				array(
					'code'    => (string) $error->get_error_code(),
					'message' => $error->get_error_message(),
					'run'     => $run,
					'mark'    => (string) ( ( (array) $error->get_error_data() )['mark'] ?? '' ),
					'at'      => time(),
				)
			)
		);
	}

	/**
	 * Returns the last failure of an attachment, or null.
	 *
	 * @param int $id Attachment.
	 * @return array{code:string,message:string,run:string,at:int}|null
	 */
	public static function failure( $id ) {
		$failure = get_post_meta( $id, self::FAILURE, true );
		return is_array( $failure ) ? $failure : null;
	}

	/**
	 * Deletes the last failure.
	 *
	 * @param int $id Attachment.
	 */
	public static function clear_failure( $id ) {
		delete_post_meta( $id, self::FAILURE );
	}
}
