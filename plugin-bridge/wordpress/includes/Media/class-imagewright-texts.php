<?php
/**
 * Alternative text and title of an attachment, and who wrote them.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Fills in missing or confirmed texts, and removes only its own texts on restore. Records who wrote an alternative text and who
 * confirmed it: the text of the library, and texts that were written for one use of the image. A text that was changed afterwards has
 * no record.
 *
 * Fields of a record, one row for each text: `text`, `by` (`ai`, `file`, `user`), `user` (in whose name it was written), `confirmed`
 * (user who confirmed it; 0 for none), `at` (Unix time).
 */
class Imagewright_Texts {

	const META = '_imagewright_text';

	/** Most records of an attachment. The oldest are removed. */
	const MAX = 10;

	const ALT = '_wp_attachment_image_alt';

	/**
	 * Returns the title of an attachment as plain text, without HTML entities.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public function title( $id ) {
		return html_entity_decode( get_post( $id )->post_title, ENT_QUOTES, 'UTF-8' );
	}

	/**
	 * Returns true if WordPress made the title from the file name.
	 *
	 * @param string $title Title of the attachment.
	 * @param string $file  Name of its file.
	 * @return bool
	 */
	public function is_automatic_title( $title, $file ) {
		$plain = static function ( $text ) {
			return preg_replace( '/[^a-z0-9]+/', '', strtolower( remove_accents( $text ) ) );
		};
		$base  = preg_replace( '/(-scaled|-rotated|-e\d{13})+$/', '', pathinfo( $file, PATHINFO_FILENAME ) );
		$title = $plain( $title );
		// WordPress numbers the name of a second equal file, but not its title.
		return '' === $title || $title === $plain( $base ) || $title === $plain( preg_replace( '/-\d+$/', '', $base ) );
	}

	/**
	 * Writes the texts of an attachment.
	 *
	 * @param int         $id        Attachment.
	 * @param string|null $alt       Alternative text; null to keep it.
	 * @param string|null $title     Title; null to keep it.
	 * @param string[]    $confirmed Fields that a person wrote or confirmed. They replace existing texts.
	 * @param string      $file      Name of the attachment's file.
	 * @return array<string,string> Written texts by field.
	 */
	public function fill( $id, $alt, $title, $confirmed, $file ) {
		$written = array();
		$post    = get_post( $id );
		$old_alt = (string) get_post_meta( $id, self::ALT, true );
		if ( null !== $alt && ( in_array( 'alt', $confirmed, true ) || '' === $old_alt ) ) {
			$alt = sanitize_text_field( $alt );
			if ( $alt !== $old_alt ) {
				update_post_meta( $id, self::ALT, wp_slash( $alt ) );
				$written['alt'] = $alt;
				$this->note( $id, $alt, in_array( 'alt', $confirmed, true ) ? 'user' : 'ai' );
			}
		}
		if ( null !== $title && '' !== trim( $title ) && ( in_array( 'title', $confirmed, true ) || $this->is_automatic_title( $post->post_title, $file ) ) ) {
			$title = sanitize_text_field( $title );
			if ( $title !== $post->post_title ) {
				wp_update_post(
					array(
						'ID'         => $id,
						'post_title' => wp_slash( $title ),
					)
				);
				$written['title'] = get_post( $id )->post_title;
			}
		}
		return $written;
	}

	/**
	 * Restores the texts of a snapshot, except texts that were edited later.
	 *
	 * @param int   $id       Attachment.
	 * @param array $snapshot Snapshot.
	 * @param array $written  Written texts by field.
	 */
	public function take_back( $id, $snapshot, $written ) {
		if ( isset( $written['alt'] ) && get_post_meta( $id, self::ALT, true ) === $written['alt'] ) {
			if ( null === $snapshot['alt'] ) {
				delete_post_meta( $id, self::ALT );
			} else {
				update_post_meta( $id, self::ALT, wp_slash( $snapshot['alt'] ) );
			}
		}
		if ( isset( $written['title'] ) && get_post( $id )->post_title === $written['title'] ) {
			wp_update_post(
				array(
					'ID'         => $id,
					'post_title' => wp_slash( $snapshot['title'] ),
				)
			);
		}
	}

	/**
	 * Records the author of a text. A text that a person wrote counts as confirmed.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Alternative text.
	 * @param string $by   `ai`, `file` or `user`.
	 */
	public function note( $id, $text, $by ) {
		$user = get_current_user_id();
		$this->put(
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
	public function confirm( $id, $text ) {
		$record = $this->record( $id, $text );
		if ( $record ) {
			$this->put( $id, array_merge( $record, array( 'confirmed' => get_current_user_id() ) ) );
		} else {
			$this->note( $id, $text, 'user' );
		}
	}

	/**
	 * Returns the record of a text, or null if there is none.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Text, of the attachment or of one use of it.
	 * @return array|null
	 */
	public function record( $id, $text ) {
		foreach ( $this->all( $id ) as $record ) {
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
	public function records( $id ) {
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
			$this->all( $id )
		);
	}

	/**
	 * Returns the alternative text of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public function alt( $id ) {
		return (string) get_post_meta( $id, self::ALT, true );
	}

	/**
	 * Returns all records of an attachment, oldest first.
	 *
	 * @param int $id Attachment.
	 * @return array<int,array>
	 */
	private function all( $id ) {
		return array_values( array_filter( get_post_meta( $id, self::META ), 'is_array' ) );
	}

	/**
	 * Removes the record of a text.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Text.
	 */
	public function forget( $id, $text ) {
		$this->write( $id, $text, array() );
	}

	/**
	 * Stores a record in the place of an earlier one of the same text.
	 *
	 * @param int   $id     Attachment.
	 * @param array $record Record.
	 */
	private function put( $id, $record ) {
		$this->write( $id, $record['text'], array( $record ) );
	}

	/**
	 * Writes all records but that of a text, then others.
	 *
	 * @param int              $id      Attachment.
	 * @param string           $text    Text whose record is left out.
	 * @param array<int,array> $records Further records.
	 */
	private function write( $id, $text, $records ) {
		$others = array_filter(
			$this->all( $id ),
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
