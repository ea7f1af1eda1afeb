<?php
/**
 * Alternative text and title of an attachment.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Fills in missing or confirmed texts, and removes only its own texts on restore.
 */
class Imagewright_Texts {

	const ALT = '_wp_attachment_image_alt';

	/**
	 * Returns the title of an attachment as plain text, without HTML entities.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public static function title( $id ) {
		return html_entity_decode( get_post( $id )->post_title, ENT_QUOTES, 'UTF-8' );
	}

	/**
	 * Returns true if WordPress made the title from the file name.
	 *
	 * @param string $title Title of the attachment.
	 * @param string $file  Name of its file.
	 * @return bool
	 */
	public static function is_automatic_title( $title, $file ) {
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
	public static function fill( $id, $alt, $title, $confirmed, $file ) {
		$written = array();
		$post    = get_post( $id );
		$old_alt = (string) get_post_meta( $id, self::ALT, true );
		if ( null !== $alt && ( in_array( 'alt', $confirmed, true ) || '' === $old_alt ) ) {
			$alt = sanitize_text_field( $alt );
			if ( $alt !== $old_alt ) {
				update_post_meta( $id, self::ALT, wp_slash( $alt ) );
				$written['alt'] = $alt;
				Imagewright_Text_Record::note( $id, $alt, in_array( 'alt', $confirmed, true ) ? 'user' : 'ai' );
			}
		}
		if ( null !== $title && '' !== trim( $title ) && ( in_array( 'title', $confirmed, true ) || self::is_automatic_title( $post->post_title, $file ) ) ) {
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
	 * Restores the texts of a snapshot, except those that were changed after they were written.
	 *
	 * @param int   $id       Attachment.
	 * @param array $snapshot Snapshot.
	 * @param array $written  Written texts by field.
	 */
	public static function take_back( $id, $snapshot, $written ) {
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
}
