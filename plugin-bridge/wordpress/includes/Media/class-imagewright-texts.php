<?php
/**
 * Alternative text and title of an attachment.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Fills in texts where there are none, or where the user said so, and takes back only what it wrote itself.
 */
class Imagewright_Texts {

	const ALT = '_wp_attachment_image_alt';

	/**
	 * The title of an attachment as plain text: what themes print has entities and typographic quotes.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public static function title( $id ) {
		return html_entity_decode( get_post( $id )->post_title, ENT_QUOTES, 'UTF-8' );
	}

	/**
	 * Whether WordPress made the title from the file's name.
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
		// A clash adds a number to the file's name, but not to the title.
		return '' === $title || $title === $plain( $base ) || $title === $plain( preg_replace( '/-\d+$/', '', $base ) );
	}

	/**
	 * Writes the texts.
	 *
	 * @param int         $id        Attachment.
	 * @param string|null $alt       Alternative text; null for nothing to write.
	 * @param string|null $title     Title; null for nothing to write.
	 * @param string[]    $confirmed Fields that a person wrote or confirmed: they replace what is there.
	 * @param string      $file      Name of the attachment's file.
	 * @return array<string,string> What was written, by field.
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
	 * Takes back what was written, unless somebody changed it since.
	 *
	 * @param int   $id       Attachment.
	 * @param array $snapshot Record from before.
	 * @param array $written  What was written, by field.
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
