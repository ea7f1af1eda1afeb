<?php
/**
 * Author of an alternative text.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Records who wrote an alternative text of an attachment and who confirmed it: the text of the library, and texts that were written
 * for one use of the image. A text that somebody changed afterwards has no record.
 *
 * Fields, one row for each text: `text`, `by` (`ai`, `file`, `user`), `user` (in whose name it was written), `confirmed` (user who
 * confirmed it; 0: nobody), `at` (Unix time).
 */
class Imagewright_Text_Record {

	const META = '_imagewright_text';

	/** Most records of an attachment. The oldest are removed. */
	const MAX = 10;

	/**
	 * Records the author of a text. A text that a person wrote counts as confirmed.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Alternative text.
	 * @param string $by   `ai`, `file` or `user`.
	 */
	public static function note( $id, $text, $by ) {
		$user = get_current_user_id();
		self::put(
			$id,
			array(
				'text'      => $text,
				'by'        => $by,
				'user'      => $user,
				'confirmed' => 'user' === $by ? $user : 0,
				'at'        => time(),
			)
		);
	}

	/**
	 * Records that the current user confirmed a text.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Alternative text.
	 */
	public static function confirm( $id, $text ) {
		$record = self::of( $id, $text );
		if ( $record ) {
			self::put( $id, array_merge( $record, array( 'confirmed' => get_current_user_id() ) ) );
		} else {
			self::note( $id, $text, 'user' );
		}
	}

	/**
	 * Returns the record of a text, or null if there is none.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Text, of the attachment or of one use of it.
	 * @return array|null
	 */
	public static function of( $id, $text ) {
		foreach ( self::all( $id ) as $record ) {
			if ( $record['text'] === $text ) {
				return $record;
			}
		}
		return null;
	}

	/**
	 * Describes the recorded texts for scripts, newest last.
	 *
	 * @param int $id Attachment.
	 * @return array<int,array{text:string,by:string,user:string,confirmed:bool}>
	 */
	public static function show( $id ) {
		return array_map(
			static function ( $record ) {
				$user = get_userdata( (int) ( $record['confirmed'] ? $record['confirmed'] : $record['user'] ) );
				return array(
					'text'      => (string) $record['text'],
					'by'        => (string) $record['by'],
					'user'      => $user ? $user->display_name : '',
					'confirmed' => $record['confirmed'] > 0,
				);
			},
			self::all( $id )
		);
	}

	/**
	 * Returns the alternative text of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public static function text( $id ) {
		return (string) get_post_meta( $id, Imagewright_Texts::ALT, true );
	}

	/**
	 * Returns all records of an attachment, oldest first.
	 *
	 * @param int $id Attachment.
	 * @return array<int,array>
	 */
	private static function all( $id ) {
		return array_values( array_filter( get_post_meta( $id, self::META ), 'is_array' ) );
	}

	/**
	 * Removes the record of a text.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Text.
	 */
	public static function remove( $id, $text ) {
		self::write( $id, $text, array() );
	}

	/**
	 * Stores a record in the place of an earlier one of the same text.
	 *
	 * @param int   $id     Attachment.
	 * @param array $record Record.
	 */
	private static function put( $id, $record ) {
		self::write( $id, $record['text'], array( $record ) );
	}

	/**
	 * Writes all records but that of a text, then others.
	 *
	 * @param int              $id      Attachment.
	 * @param string           $text    Text whose record is left out.
	 * @param array<int,array> $records Further records.
	 */
	private static function write( $id, $text, $records ) {
		$others = array_filter(
			self::all( $id ),
			static function ( $other ) use ( $text ) {
				return $other['text'] !== $text;
			}
		);
		delete_post_meta( $id, self::META );
		foreach ( array_slice( array_merge( $others, $records ), -self::MAX ) as $one ) {
			add_post_meta( $id, self::META, wp_slash( $one ) );
		}
	}
}
