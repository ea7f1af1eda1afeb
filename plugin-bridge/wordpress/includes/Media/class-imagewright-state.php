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
 * `bytes` (`before`, `after`), `settings`, `carries` (of Imagewright_Carried), `at`, `discarded` (true after Imagewright_Backups has deleted the originals), `own` (of a picture
 * of several attachments: what differs, by attachment: `snapshot`, `texts`).
 */
class Imagewright_State {

	const META = '_imagewright';
	/** Key of the names that a replaced file had before, relative to the uploads folder; one row each. */
	const WAS = '_imagewright_was';
	/** Reasons that no setting changes. Runs leave such images out until they are changed. */
	const UNFIT = array( 'imagewright_no_sizes', 'imagewright_not_local', 'imagewright_not_an_image', 'unsupported_image', 'file_too_large', 'too_many_pixels', 'too_many_frames', 'invalid_image' );

	/**
	 * Returns the record, or null if the attachment is not optimized.
	 *
	 * @param int $id Attachment.
	 * @return array|null
	 */
	public static function get( $id ) {
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
	public static function set( $id, $state ) {
		$ids = Imagewright_Shared::of( $id );
		if ( count( $ids ) > 1 || isset( $state['own'] ) ) {
			$state = self::with_own( $id, $state, $ids );
		}
		foreach ( $ids as $one ) {
			update_post_meta( $one, self::META, wp_slash( $state ) );
		}
		Imagewright_Index::put( $ids[0], self::summary( $state ) );
	}

	/**
	 * Adds what differs between the attachments of a picture: texts, and the metadata before it was replaced.
	 *
	 * @param int   $id    Attachment to which the record belongs.
	 * @param array $state Record.
	 * @param int[] $ids   Attachments of the picture.
	 * @return array
	 */
	private static function with_own( $id, $state, $ids ) {
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
	public static function leave( $id, $state, $rest ) {
		unset( $state['own'][ $id ] );
		$first = self::get( $rest[0] );
		self::set( $rest[0], $first ? array( 'own' => array_diff_key( $first['own'] ?? array(), array( $id => 1 ) ) ) + $first : $state );
		delete_post_meta( $id, self::META );
	}

	/**
	 * Returns the fields of the row of a record.
	 *
	 * @param array $state Record.
	 * @return array
	 */
	public static function summary( $state ) {
		$quality = $state['quality'] ?? array();
		return array(
			'status'       => 'optimized' === $state['status'] ? 'done' : 'changing',
			'settings'     => trim( ( $quality['format'] ?? '' ) . ' ' . ( $quality['preset'] ?? '' ) . ' ' . ( empty( $state['discarded'] ) ? $state['way'] ?? 'replace' : Imagewright_Backups::GONE ) ),
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
	public static function clear( $id ) {
		$ids = Imagewright_Shared::of( $id );
		foreach ( $ids as $one ) {
			delete_post_meta( $one, self::META );
			delete_post_meta( $one, self::WAS );
		}
		if ( Imagewright_Index::row( $ids[0] ) ) {
			Imagewright_Index::put(
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
	 * Returns the status of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return string `none`, `optimized`, `outdated` (pages do not get the optimized files any more), `offloaded` (pages get the files of
	 *     another host), `edited` (after it was optimized), `working`, `interrupted`, `queued`, `failed`.
	 */
	public static function status( $id ) {
		$state = self::get( $id );
		if ( ! $state ) {
			$row = Imagewright_Index::row( Imagewright_Shared::lead( $id ) );
			if ( ! empty( $row['task'] ) ) {
				return 'queued';
			}
			if ( Imagewright_Truth::is_offloaded( $id ) ) {
				return 'offloaded';
			}
			return self::failure( $id ) ? 'failed' : 'none';
		}
		if ( 'optimized' !== $state['status'] ) {
			return Imagewright_Lock::is_held( $id ) ? 'working' : 'interrupted';
		}
		$gap = Imagewright_Truth::gap( $id, $state );
		if ( '' !== $gap ) {
			return 'offloaded' === $gap ? 'offloaded' : 'outdated';
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
	 * @param int      $id       Attachment.
	 * @param WP_Error $error    Reason.
	 * @param string   $settings Of Imagewright_Eligibility::settings(); an empty string for reasons that do not depend on them.
	 */
	public static function note_failure( $id, $error, $settings = '' ) {
		$id = Imagewright_Shared::lead( $id );
		if ( ! Imagewright_Deletion::exists( $id ) ) {
			return;
		}
		$code   = (string) $error->get_error_code();
		$status = 'failed';
		if ( in_array( $code, array( 'imagewright_not_smaller', 'imagewright_hdr' ), true ) ) {
			$status = 'no_gain';
		} elseif ( 'imagewright_excluded' === $code ) {
			$status   = 'excluded';
			$settings = (string) Imagewright_Exclusions::least_bytes();
		} elseif ( 'imagewright_offloaded' === $code ) {
			$status = 'offloaded';
		} elseif ( in_array( $code, self::UNFIT, true ) ) {
			$status = 'unfit';
		}
		$fields = array(
			'code'    => $code,
			'message' => $error->get_error_message(),
		);
		// An optimized image stays optimized if another attempt fails.
		if ( ! self::get( $id ) ) {
			$fields += array(
				'status'   => $status,
				'settings' => $settings,
				'source'   => Imagewright_Eligibility::source( $id ),
			);
		}
		Imagewright_Index::put( $id, $fields );
		// Another request may have deleted it since the first look.
		if ( ! Imagewright_Deletion::exists( $id ) ) {
			Imagewright_Index::remove( $id );
		}
	}

	/**
	 * Returns the last failure of an attachment, or null.
	 *
	 * @param int $id Attachment.
	 * @return array{code:string,message:string}|null
	 */
	public static function failure( $id ) {
		$row = Imagewright_Index::row( Imagewright_Shared::lead( $id ) );
		return empty( $row['code'] ) ? null : array(
			'code'    => $row['code'],
			'message' => $row['message'],
		);
	}

	/**
	 * Deletes the last failure.
	 *
	 * @param int $id Attachment.
	 */
	public static function clear_failure( $id ) {
		$id = Imagewright_Shared::lead( $id );
		if ( self::failure( $id ) ) {
			Imagewright_Index::put(
				$id,
				array(
					'code'    => '',
					'message' => '',
					'status'  => self::get( $id ) ? 'done' : '',
				)
			);
		}
	}
}
