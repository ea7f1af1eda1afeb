<?php
/**
 * What is known of an attachment's optimization.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads and writes the record of an attachment: the snapshot from before, what was made, what came of it.
 *
 * Fields: `status` (`replacing`, `optimized`, `restoring`), `snapshot` (see Imagewright_Snapshot), `created` (file names that
 * replacing made), `copies` (name of an overwritten file => name of its copy), `after` (`file`, `mime`, `texts`, `files`: name => md5 and size), `job`, `image`,
 * `bytes` (`before`, `after`), `settings`, `at`.
 */
class Imagewright_State {

	const META    = '_imagewright';
	const FAILURE = '_imagewright_failure';

	/**
	 * The record, or null when the attachment is as it was uploaded.
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
	 * Forgets the record.
	 *
	 * @param int $id Attachment.
	 */
	public static function clear( $id ) {
		delete_post_meta( $id, self::META );
	}

	/**
	 * In a word how an attachment stands.
	 *
	 * @param int $id Attachment.
	 * @return string `none`, `optimized`, `edited` (by somebody else since), `interrupted`, `failed`.
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
	 * Whether another file was attached after the replacement, by the image editor or a plugin, or another picture put under the
	 * same name.
	 *
	 * @param int   $id      Attachment.
	 * @param array $state   Record.
	 * @param bool  $certain Whether to read the files; for a list their sizes will do.
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
			// One that is gone can no more be lost.
			if ( is_file( $path ) && ( wp_filesize( $path ) !== $file['size'] || ( $certain && md5_file( $path ) !== $file['md5'] ) ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Notes why an attachment could not be optimized.
	 *
	 * @param int      $id    Attachment.
	 * @param WP_Error $error Reason.
	 * @param string   $run   Bulk run that it belongs to, or an empty string.
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
	 * Why an attachment could not be optimized the last time, or null.
	 *
	 * @param int $id Attachment.
	 * @return array{code:string,message:string,run:string,at:int}|null
	 */
	public static function failure( $id ) {
		$failure = get_post_meta( $id, self::FAILURE, true );
		return is_array( $failure ) ? $failure : null;
	}

	/**
	 * Forgets the failure.
	 *
	 * @param int $id Attachment.
	 */
	public static function clear_failure( $id ) {
		delete_post_meta( $id, self::FAILURE );
	}
}
