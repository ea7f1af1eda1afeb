<?php
/**
 * Attachments that share a file.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Treats attachments with the same attached file as one picture: plugins for translations make an attachment for each language of a
 * file. The first of them leads: its row in the table counts, the rows of the others say `shared`. The record is the same on all
 * (Imagewright_State).
 */
class Imagewright_Shared {

	/** Rows of images. */
	private Imagewright_Index $index;
	/** Permissions of users. */
	private Imagewright_Access $access;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Index  $index  Rows of images.
	 * @param Imagewright_Access $access Permissions of users.
	 */
	public function __construct( Imagewright_Index $index, Imagewright_Access $access ) {
		$this->index  = $index;
		$this->access = $access;
	}

	/**
	 * Returns the attachment that leads the picture of another.
	 *
	 * @param int $id Attachment.
	 * @return int The same attachment if it shares no file.
	 */
	public function lead( $id ) {
		$lead = (int) ( $this->index->row( $id )['leader'] ?? 0 );
		return $lead > 0 ? $lead : (int) $id;
	}

	/**
	 * Returns the attachments that lead the pictures of others, each once.
	 *
	 * @param int[] $ids Attachments.
	 * @return int[]
	 */
	public function leads( $ids ) {
		$this->index->await( $ids );
		return array_values( array_unique( array_map( array( $this, 'lead' ), array_map( 'intval', $ids ) ) ) );
	}

	/**
	 * Lists the attachments of a picture.
	 *
	 * @param int $id Attachment.
	 * @return int[] Leading one first; the attachment alone if it shares no file.
	 */
	public function of( $id ) {
		$lead = (int) ( $this->index->row( $id )['leader'] ?? 0 );
		if ( 0 === $lead ) {
			return array( (int) $id );
		}
		$ids = $this->index->led_by( $lead );
		return array_merge( array( $lead ), array_values( array_diff( $ids, array( $lead ) ) ) );
	}

	/**
	 * Lists the attachments whose attached file is a file.
	 *
	 * @param string $file Path relative to the uploads folder.
	 * @return int[] Lowest first.
	 */
	public function users( $file ) {
		global $wpdb;
		if ( '' === $file ) {
			return array();
		}
		$rows = $wpdb->get_results( $wpdb->prepare( "SELECT m.post_id AS id, m.meta_value AS file FROM $wpdb->postmeta m JOIN $wpdb->posts p ON p.ID = m.post_id AND p.post_type = 'attachment' WHERE m.meta_key = '_wp_attached_file' AND m.meta_value = %s ORDER BY m.post_id", $file ), ARRAY_A );
		$ids  = array();
		foreach ( $rows as $row ) {
			// Databases compare without regard to case.
			if ( $row['file'] === $file ) {
				$ids[] = (int) $row['id'];
			}
		}
		return array_values( array_unique( $ids ) );
	}

	/**
	 * Returns true if the current user may change all attachments of a picture.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function may_change( $id ) {
		return array() === array_filter(
			$this->of( $id ),
			function ( $one ) {
				return ! $this->access->may_change( $one );
			}
		);
	}

	/**
	 * Writes the metadata of an attachment to the others of its picture.
	 *
	 * @param int $id Attachment.
	 */
	public function spread_metadata( $id ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		foreach ( array_diff( $this->of( $id ), array( (int) $id ) ) as $other ) {
			update_post_meta( $other, '_wp_attachment_metadata', wp_slash( $metadata ) );
			clean_attachment_cache( $other );
		}
	}
}
