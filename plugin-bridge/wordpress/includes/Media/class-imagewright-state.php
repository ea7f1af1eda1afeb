<?php
/**
 * Pictures and their records.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads and writes the records of pictures. Attachments with the same attached file are one picture: plugins for translations make an
 * attachment for each language of a file. The first of them leads: its row in the table counts, the rows of the others say `shared`.
 * The record is the same on all.
 *
 * Fields: `status` (`replacing`, `optimized`, `restoring`), `snapshot` (see Imagewright_Snapshot), `created` (names of the
 * new files), `copies` (name of an overwritten file => name of its copy), `after` (`file`, `mime`, `texts`, `files`: name
 * => md5 and size), `job`, `image`, `bytes` (`before`, `after`), `settings`, `carries` (of Imagewright_Status_Text), `at`, `discarded`
 * (true after Imagewright_Replacement has deleted the originals), `own` (of a picture of several attachments: what differs, by attachment:
 * `snapshot`, `texts`).
 */
class Imagewright_State {

	/** Way in the settings of a row: the originals were deleted. */
	const GONE = 'final';

	const META = '_imagewright';

	/** Key of the names that a replaced file had before, relative to the uploads folder; one row each. */
	const WAS = '_imagewright_was';

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
	public function __construct(
		Imagewright_Index $index,
		Imagewright_Access $access
	) {
		$this->index  = $index;
		$this->access = $access;
	}

	/**
	 * Returns the record, or null if the attachment is not optimized.
	 *
	 * @param int $id Attachment.
	 * @return array|null
	 */
	public function get( $id ) {
		$state = get_post_meta( $id, self::META, true );
		if ( ! is_array( $state ) ) {
			return null;
		}
		$own = $state['own'][ $id ] ?? array();
		if ( $own ) {
			$state['snapshot']       = $own['snapshot'] + $state['snapshot'];
			$state['after']['texts'] = $own['texts'];
		}
		return $state;
	}

	/**
	 * Stores the record, on all attachments of the picture.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 */
	public function set( $id, $state ) {
		$ids = $this->attachments( $id );
		if ( count( $ids ) > 1 || isset( $state['own'] ) ) {
			$state = $this->with_own( $id, $state, $ids );
		}
		foreach ( $ids as $one ) {
			update_post_meta( $one, self::META, wp_slash( $state ) );
		}
		$this->index->put( $ids[0], $this->summary( $state ) );
	}

	/**
	 * Adds what differs between the attachments of a picture: texts, and the metadata before it was replaced.
	 *
	 * @param int   $id    Attachment to which the record belongs.
	 * @param array $state Record.
	 * @param int[] $ids   Attachments of the picture.
	 * @return array
	 */
	private function with_own( $id, $state, $ids ) {
		$state['own'][ $id ] = array(
			'snapshot' => array_intersect_key( $state['snapshot'], array_flip( array( 'metadata', 'mime', 'alt', 'title', 'backup_sizes' ) ) ),
			'texts'    => $state['after']['texts'] ?? array(),
		);
		foreach ( array_diff( $ids, array_keys( $state['own'] ) ) as $other ) {
			$alt = get_post_meta( $other, Imagewright_Texts::ALT );
			$own = array(
				'alt'   => $alt ? (string) $alt[0] : null,
				'title' => get_post( $other )->post_title,
			);
			if ( 'replacing' === $state['status'] && isset( $state['snapshot']['metadata'] ) ) {
				$backups = get_post_meta( $other, '_wp_attachment_backup_sizes', true );
				$own    += array(
					'metadata'     => get_post_meta( $other, '_wp_attachment_metadata', true ),
					'mime'         => get_post_mime_type( $other ),
					'backup_sizes' => is_array( $backups ) ? $backups : null,
				);
			}
			$state['own'][ $other ] = array(
				'snapshot' => $own,
				'texts'    => array(),
			);
		}
		$state['own'] = array_intersect_key( $state['own'], array_flip( $ids ) );
		return $state;
	}

	/**
	 * Takes an attachment that is deleted out of the record of its picture.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Its record.
	 * @param int[] $rest  Other attachments of the picture.
	 */
	public function leave( $id, $state, $rest ) {
		unset( $state['own'][ $id ] );
		$first = $this->get( $rest[0] );
		$this->set( $rest[0], $first ? array( 'own' => array_diff_key( $first['own'] ?? array(), array( $id => 1 ) ) ) + $first : $state );
		delete_post_meta( $id, self::META );
	}

	/**
	 * Returns the fields of the row of a record.
	 *
	 * @param array $state Record.
	 * @return array
	 */
	public function summary( $state ) {
		$quality = $state['quality'] ?? array();
		return array(
			'status'       => 'optimized' === $state['status'] ? 'done' : 'changing',
			'settings'     => trim( ( $quality['format'] ?? '' ) . ' ' . ( $quality['preset'] ?? '' ) . ' ' . ( empty( $state['discarded'] ) ? $state['way'] ?? 'replace' : self::GONE ) ),
			'bytes_before' => (int) ( $state['bytes']['before'] ?? 0 ),
			'bytes_after'  => (int) ( $state['bytes']['after'] ?? 0 ),
			'code'         => '',
			'message'      => '',
		);
	}

	/**
	 * Deletes the record.
	 *
	 * @param int $id Attachment.
	 */
	public function clear( $id ) {
		$ids = $this->attachments( $id );
		foreach ( $ids as $one ) {
			$state = $this->get( $one );
			// Names of earlier pictures stay.
			delete_post_meta( $one, self::WAS, wp_slash( (string) ( $state['snapshot']['attached_file'] ?? '' ) ) );
			delete_post_meta( $one, self::META );
		}
		if ( $this->index->row( $ids[0] ) ) {
			$this->index->put(
				$ids[0],
				array(
					'status'       => '',
					'bytes_before' => 0,
					'bytes_after'  => 0,
				)
			);
		}
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
	public function is_edited( $id, $state, $certain = true ) {
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
	public function attachments( $id ) {
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
	public function users_of( $file ) {
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
			$this->attachments( $id ),
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
		foreach ( array_diff( $this->attachments( $id ), array( (int) $id ) ) as $other ) {
			update_post_meta( $other, '_wp_attachment_metadata', wp_slash( $metadata ) );
			clean_attachment_cache( $other );
		}
	}
}
