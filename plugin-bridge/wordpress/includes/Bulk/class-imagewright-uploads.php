<?php
/**
 * New uploads.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Adds new and changed images to the queue. Every way to upload ends with writing the attachment's metadata: the library, the REST
 * API, imports, and editors that send the sizes one by one.
 */
class Imagewright_Uploads {

	/** Seconds after the last change of the metadata until the image is sent: sizes may still be made. */
	const SETTLE = 3;

	/** Seconds after which missing sizes are not waited for any more. */
	const PATIENCE = 120;

	/** Registers the hooks. */
	public static function register() {
		add_action( 'added_post_meta', array( __CLASS__, 'changed' ), 10, 3 );
		add_action( 'updated_post_meta', array( __CLASS__, 'changed' ), 10, 3 );
	}

	/**
	 * Adds an attachment to the queue when its metadata was written.
	 *
	 * @param int    $meta_id Unused.
	 * @param int    $id      Post.
	 * @param string $key     Key of the metadata.
	 */
	public static function changed( $meta_id, $id, $key ) {
		if ( '_wp_attachment_metadata' !== $key || ! Imagewright_Options::all()['auto'] || ! Imagewright_Options::is_ready() || self::is_own_change( $id ) ) {
			return;
		}
		$mime = get_post_mime_type( $id );
		if ( ! in_array( $mime, Imagewright_Contract::INPUT_TYPES, true ) || Imagewright_State::get( $id ) ) {
			return;
		}
		$row  = Imagewright_Index::row( $id );
		/**
		 * Filters whether a new upload is optimized.
		 *
		 * @param bool $wanted True by default, false if the settings exclude its name or folder.
		 * @param int  $id     Attachment.
		 */
		if ( ( $row && ! self::is_due( $id, $row ) ) || ! apply_filters( 'imagewright_optimize_upload', ! Imagewright_Exclusions::covers( $id ), $id ) ) {
			return;
		}
		$user = self::user( $id );
		if ( $user ) {
			Imagewright_Queue::add( array( $id ), 'new', time() + self::SETTLE, $user );
			Imagewright_Schedule::wake();
		}
	}

	/**
	 * Returns the user in whose name an upload is optimized: importers in the background have none, and their images no author.
	 *
	 * @param int $id Attachment.
	 * @return int User; 0 if there is none.
	 */
	private static function user( $id ) {
		$user = get_current_user_id() ? get_current_user_id() : (int) get_post_field( 'post_author', $id );
		return $user ? $user : Imagewright_Access::administrator();
	}

	/**
	 * Returns true if an attachment that has a row is to be optimized: it waits as an upload, or its file has changed since a failure.
	 *
	 * @param int   $id  Attachment.
	 * @param array $row Row of the table.
	 * @return bool
	 */
	private static function is_due( $id, $row ) {
		$ended = in_array( $row['status'], array( 'no_gain', 'failed', 'unfit', 'excluded' ), true ) && '' === $row['task'];
		return 'new' === $row['task'] || ( $ended && Imagewright_Eligibility::source( $id ) !== $row['source'] );
	}

	/**
	 * Returns true if all sizes of an upload exist, or no more are to be expected.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function is_complete( $id ) {
		require_once ABSPATH . 'wp-admin/includes/image.php';
		$age = time() - (int) get_post_time( 'U', true, $id );
		return $age > self::PATIENCE || ! wp_get_missing_image_subsizes( $id );
	}

	/**
	 * Returns true if this plugin is changing the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	private static function is_own_change( $id ) {
		return Imagewright_Lock::is_held( $id );
	}
}
