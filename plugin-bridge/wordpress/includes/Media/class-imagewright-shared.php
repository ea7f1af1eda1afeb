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

	/** Fields of the row of an attachment that has no state of its own. */
	const NOTHING = array(
		'status'       => '',
		'bytes_before' => 0,
		'bytes_after'  => 0,
		'code'         => '',
		'message'      => '',
		'task'         => '',
		'due'          => 0,
	);

	/** Registers the hooks. */
	public static function register() {
		add_action( 'added_post_meta', array( __CLASS__, 'changed' ), 20, 3 );
		add_action( 'updated_post_meta', array( __CLASS__, 'changed' ), 20, 3 );
	}

	/**
	 * Finds the other attachments of a file after it was attached.
	 *
	 * @param int    $meta_id Unused.
	 * @param int    $id      Post.
	 * @param string $key     Key of the metadata.
	 */
	public static function changed( $meta_id, $id, $key ) {
		// While this process changes the picture, its attachments differ for a moment.
		if ( '_wp_attached_file' === $key && ! Imagewright_Lock::is_mine( (int) $id ) ) {
			self::gather( (int) $id );
		}
	}

	/**
	 * Returns the attachment that leads the picture of another.
	 *
	 * @param int $id Attachment.
	 * @return int The same attachment if it shares no file.
	 */
	public static function lead( $id ) {
		$lead = (int) ( Imagewright_Index::row( $id )['lead'] ?? 0 );
		return $lead > 0 ? $lead : (int) $id;
	}

	/**
	 * Returns the attachments that lead the pictures of others, each once.
	 *
	 * @param int[] $ids Attachments.
	 * @return int[]
	 */
	public static function leads( $ids ) {
		Imagewright_Index::await( $ids );
		return array_values( array_unique( array_map( array( __CLASS__, 'lead' ), array_map( 'intval', $ids ) ) ) );
	}

	/**
	 * Lists the attachments of a picture.
	 *
	 * @param int $id Attachment.
	 * @return int[] Leading one first; the attachment alone if it shares no file.
	 */
	public static function of( $id ) {
		$lead = (int) ( Imagewright_Index::row( $id )['lead'] ?? 0 );
		if ( 0 === $lead ) {
			return array( (int) $id );
		}
		$ids = array_map( 'intval', array_column( Imagewright_Index::select( 'SELECT attachment_id FROM ' . Imagewright_Index::table() . " WHERE lead = $lead ORDER BY attachment_id" ), 'attachment_id' ) );
		return array_merge( array( $lead ), array_values( array_diff( $ids, array( $lead ) ) ) );
	}

	/**
	 * Looks for the attachments of a file, and notes them as one picture.
	 *
	 * @param int $id Attachment.
	 * @return int[] Of of().
	 */
	public static function gather( $id ) {
		$id    = (int) $id;
		$ids   = self::users( (string) get_post_meta( $id, '_wp_attached_file', true ) );
		$known = self::of( $id );
		$same  = array_values( array_intersect( $known, array_merge( $ids, array( $id ) ) ) );
		$other = array_values( array_diff( $known, $same ) );
		if ( $other ) {
			// The file of some is another now. Those that are fewer leave the picture.
			list( $leaving, $rest ) = count( $same ) > count( $other ) ? array( $other, $same ) : array( $same, $other );
			foreach ( $leaving as $one ) {
				self::leave( $one, $rest );
			}
		}
		if ( count( $ids ) > 1 && in_array( $id, $ids, true ) ) {
			self::join( $ids );
		}
		return self::of( $id );
	}

	/** Looks for all files that several attachments use. */
	public static function gather_all() {
		global $wpdb;
		$files = Imagewright_Index::select( "SELECT file FROM ( SELECT meta_value AS file, COUNT(*) AS n FROM $wpdb->postmeta WHERE meta_key = '_wp_attached_file' GROUP BY meta_value ) AS files WHERE n > 1" );
		foreach ( array_column( $files, 'file' ) as $file ) {
			$ids = self::users( (string) $file );
			if ( count( $ids ) > 1 ) {
				self::join( $ids );
			}
		}
	}

	/**
	 * Lists the attachments whose attached file is a file.
	 *
	 * @param string $file Path relative to the uploads folder.
	 * @return int[] Lowest first.
	 */
	public static function users( $file ) {
		global $wpdb;
		if ( '' === $file ) {
			return array();
		}
		$rows = Imagewright_Index::select( $wpdb->prepare( "SELECT m.post_id AS id, m.meta_value AS file FROM $wpdb->postmeta m JOIN $wpdb->posts p ON p.ID = m.post_id AND p.post_type = 'attachment' WHERE m.meta_key = '_wp_attached_file' AND m.meta_value = %s ORDER BY m.post_id", $file ) );
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
	public static function may_change( $id ) {
		return array() === array_filter(
			self::of( $id ),
			static function ( $one ) {
				return ! Imagewright_Library::may_change( $one );
			}
		);
	}

	/**
	 * Writes the metadata of an attachment to the others of its picture.
	 *
	 * @param int $id Attachment.
	 */
	public static function spread_metadata( $id ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		foreach ( array_diff( self::of( $id ), array( (int) $id ) ) as $other ) {
			update_post_meta( $other, '_wp_attachment_metadata', wp_slash( $metadata ) );
			clean_attachment_cache( $other );
		}
	}

	/**
	 * Takes an attachment out of a picture, which its other attachments keep.
	 *
	 * @param int   $id   Attachment whose file is another, or that is deleted.
	 * @param int[] $rest Others.
	 */
	public static function leave( $id, $rest ) {
		$state = Imagewright_State::get( $id );
		$row   = Imagewright_Index::row( $id );
		$next  = in_array( self::lead( $id ), $rest, true ) ? self::lead( $id ) : $rest[0];
		if ( $row && 'shared' !== $row['status'] ) {
			Imagewright_Index::put( $next, array_diff_key( $row, array( 'attachment_id' => 1 ) ) );
		}
		Imagewright_Index::put( $id, self::NOTHING + array( 'lead' => 0 ) );
		foreach ( $rest as $one ) {
			Imagewright_Index::put( $one, array( 'lead' => count( $rest ) > 1 ? $next : 0 ) );
		}
		if ( $state ) {
			Imagewright_State::leave( $id, $state, $rest );
		}
	}

	/**
	 * Notes attachments as one picture. One with a record leads, else the first.
	 *
	 * @param int[] $ids Attachments, lowest first.
	 */
	private static function join( $ids ) {
		$leads = array_values( array_filter( $ids, array( 'Imagewright_State', 'get' ) ) );
		$known = array_values( array_intersect( self::leads( $ids ), $ids, $leads ? $leads : $ids ) );
		$lead  = $known[0] ?? $leads[0] ?? $ids[0];
		foreach ( $ids as $id ) {
			$row = Imagewright_Index::row( $id );
			if ( (int) ( $row['lead'] ?? 0 ) === $lead && ( $id === $lead xor 'shared' === $row['status'] ) ) {
				continue;
			}
			if ( $id !== $lead ) {
				Imagewright_Index::put( $id, array( 'status' => 'shared' ) + self::NOTHING + array( 'lead' => $lead ) );
			} else {
				Imagewright_Index::put( $id, array( 'lead' => $lead ) + ( 'shared' === ( $row['status'] ?? '' ) ? array( 'status' => '' ) : array() ) );
			}
			$is_new = true;
		}
		$state = isset( $is_new ) ? Imagewright_State::get( $lead ) : null;
		if ( $state ) {
			Imagewright_State::set( $lead, $state );
		}
	}
}
