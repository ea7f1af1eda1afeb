<?php
/**
 * Description of one image.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Has the model of the service describe an image for the page that shows it.
 */
class Imagewright_Description {

	/** Upload of a description whose text is not saved yet: `session`, `image`, `mark`, `at`. The next attempt pays nothing for it. */
	const META = '_imagewright_describe';

	/** Longest context that the service accepts, in code points. */
	const MAX_CONTEXT = 1000;

	/** Purposes of an image on its page, as the service knows them. */
	const USAGES = array( 'informative', 'link', 'button', 'decorative' );

	/**
	 * Describes an attachment. Changes no text in WordPress. Until save() is called, the same description is free: what was interrupted
	 * after the service was paid is continued.
	 *
	 * @param int    $id      Attachment.
	 * @param string $context Words of the page around the image.
	 * @param string $usage   Of USAGES; an empty string if unknown.
	 * @return array{alt:string,by:string,review:string[],charged:int,others:array}|WP_Error `others`: the same of other attachments, by id.
	 */
	public static function of( $id, $context = '', $usage = '' ) {
		if ( ! Imagewright_Access::may_spend() ) {
			return Imagewright_Access::refusal();
		}
		if ( ! Imagewright_Vision::exists() ) {
			return Imagewright_Vision::refusal();
		}
		$context = trim( mb_substr( $context, 0, self::MAX_CONTEXT ) );
		$all     = Imagewright_Site_Languages::all( $id );
		$mark    = md5( wp_json_encode( array( get_current_user_id(), Imagewright_Eligibility::source( $id ), $context, $usage, implode( ',', array_keys( $all ) ) ) ) );
		$found   = self::attempt( $all, $mark, $context, $usage );
		if ( is_wp_error( $found ) && Imagewright_Optimization::is_gone( $found ) ) {
			// The upload of an earlier attempt has expired or belongs to another account.
			delete_post_meta( $id, self::META );
			$found = self::attempt( $all, $mark, $context, $usage );
		}
		if ( is_wp_error( $found ) && 'imagewright_no_text' === $found->get_error_code() ) {
			self::finish( $id );
		}
		return $found;
	}

	/**
	 * Sends an attachment, unless an earlier attempt did, and reads the text of the model.
	 *
	 * @param int[]  $all     Attachments of the picture by language; the first one is described.
	 * @param string $mark    Fingerprint of user, file and question.
	 * @param string $context Context.
	 * @param string $usage   Purpose.
	 * @return array|WP_Error
	 */
	private static function attempt( $all, $mark, $context, $usage ) {
		$id   = reset( $all );
		$kept = get_post_meta( $id, self::META, true );
		if ( is_array( $kept ) && ( $mark !== $kept['mark'] || $kept['at'] < time() - Imagewright_Checkpoint::SECONDS || ! Imagewright_Sessions::is_own( $kept['session'] ) ) ) {
			self::finish( $id );
			$kept = null;
		}
		if ( ! is_array( $kept ) ) {
			$sent = Imagewright_Source::send( $id, '' );
			if ( is_wp_error( $sent ) ) {
				return $sent;
			}
			$kept = array(
				'session' => $sent['sessionId'],
				'image'   => $sent['image']['id'],
				'mark'    => $mark,
				'at'      => time(),
			);
			update_post_meta( $id, self::META, $kept );
		}
		return self::ask( $kept, $context, $usage, $all );
	}

	/**
	 * Deletes the upload of a description.
	 *
	 * @param int $id Attachment.
	 */
	private static function finish( $id ) {
		$kept = get_post_meta( $id, self::META, true );
		delete_post_meta( $id, self::META );
		if ( is_array( $kept ) && Imagewright_Sessions::is_own( $kept['session'] ) ) {
			Imagewright_Service::request( 'DELETE', '/v1/sessions/' . $kept['session'], array( 'timeout' => 15 ) );
			Imagewright_Sessions::forget( $kept['session'] );
		}
	}

	/**
	 * Returns what the library says about an image beside its text: caption, a title that is not the file name, and the post to which
	 * it was uploaded.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public static function context( $id ) {
		$post   = get_post( $id );
		$file   = wp_basename( (string) get_post_meta( $id, '_wp_attached_file', true ) );
		$parent = $post->post_parent ? get_post( $post->post_parent ) : null;
		$parts  = array(
			Imagewright_Texts::is_automatic_title( $post->post_title, $file ) ? '' : $post->post_title,
			$post->post_excerpt,
			$parent ? $parent->post_title : '',
		);
		$words  = html_entity_decode( wp_strip_all_tags( implode( "\n", array_filter( $parts, 'strlen' ) ) ), ENT_QUOTES, 'UTF-8' );
		return trim( mb_substr( $words, 0, self::MAX_CONTEXT ) );
	}

	/**
	 * Records the author of a text. Writes it to the library if it has none, or an older one that nobody confirmed.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Alternative text.
	 * @param string $by   `ai` or `file`.
	 * @return bool True if it was written.
	 */
	public static function save( $id, $text, $by ) {
		$old     = Imagewright_Text_Record::text( $id );
		$record  = '' === $old ? null : Imagewright_Text_Record::of( $id, $old );
		$is_free = '' === $old || ( $record && ! $record['confirmed'] );
		if ( ! Imagewright_Text_Record::of( $id, $text ) ) {
			Imagewright_Text_Record::note( $id, $text, $by );
		}
		$writes = $is_free && Imagewright_Library::may_change( $id );
		if ( $writes ) {
			update_post_meta( $id, Imagewright_Texts::ALT, wp_slash( $text ) );
		}
		self::finish( $id );
		return $writes;
	}

	/**
	 * Sends the request to the model and reads its text.
	 *
	 * @param array  $sent    `session` and `image`.
	 * @param string $context Context.
	 * @param string $usage   Purpose.
	 * @param int[]  $all     Attachments by language.
	 * @return array|WP_Error
	 */
	private static function ask( $sent, $context, $usage, $all ) {
		$languages = array_keys( $all );
		$options   = array(
			'language'  => count( $all ) > 1 ? null : $languages[0],
			'languages' => count( $all ) > 1 ? $languages : null,
			'context'   => $context,
			'usage'     => $usage,
			'fields'    => array( 'alt' ),
			// The text of the library was sent with the image and is not the one that is asked for.
			'overwrite' => true,
		);
		$body    = array(
			'images'  => array( array( 'id' => $sent['image'] ) ),
			'options' => array_filter( $options ),
		);
		$job     = Imagewright_Optimization::stream( "/v1/sessions/{$sent['session']}/analyze", $body, 'wp-describe-' . $sent['image'] );
		$job     = is_wp_error( $job ) ? $job : Imagewright_Service::json( 'GET', '/v1/jobs/' . $job );
		if ( is_wp_error( $job ) ) {
			return $job;
		}
		$result = (array) ( $job['results'][0] ?? array() );
		$own    = self::text_in( (array) ( $result['metadata'] ?? array() ) );
		if ( null === $own ) {
			return self::silence( (string) ( $result['aiStatus'] ?? '' ) );
		}
		return $own + array(
			'charged' => (int) ( $result['creditsCharged'] ?? 0 ),
			'others'  => self::others( $all, (array) ( $result['texts'] ?? array() ) ),
		);
	}

	/**
	 * Returns the texts of all attachments of a picture but the first one, by attachment.
	 *
	 * @param int[] $all   Attachments by language.
	 * @param array $texts Texts of the service by language.
	 * @return array<int,array>
	 */
	private static function others( $all, $texts ) {
		$texts  = array_change_key_case( $texts );
		$others = array();
		foreach ( array_slice( $all, 1, null, true ) as $language => $other ) {
			$others[ $other ] = self::text_in( (array) ( $texts[ strtolower( $language ) ] ?? array() ) );
		}
		return array_filter( $others );
	}

	/**
	 * Writes the texts of all attachments of a picture but the first one, where they have none.
	 *
	 * @param int[] $all   Attachments by language.
	 * @param array $texts Texts of the service by language.
	 */
	public static function fill_others( $all, $texts ) {
		foreach ( self::others( $all, $texts ) as $other => $text ) {
			if ( Imagewright_Library::may_change( $other ) ) {
				Imagewright_Texts::fill( $other, $text['alt'], null, array(), '' );
			}
		}
	}

	/**
	 * Returns the alternative text that was found in one language, its author and reasons to review it; null if there is none.
	 *
	 * @param array $found Texts of the service.
	 * @return array{alt:string,by:string,review:string[]}|null
	 */
	private static function text_in( $found ) {
		$source = (string) ( $found['source']['alt'] ?? '' );
		if ( ! in_array( $source, array( 'ai', 'embedded' ), true ) || ! is_string( $found['alt'] ?? null ) || '' === $found['alt'] ) {
			return null;
		}
		return array(
			'alt'    => sanitize_text_field( $found['alt'] ),
			'by'     => 'ai' === $source ? 'ai' : 'file',
			'review' => array_map( 'strval', (array) ( $found['needsReview'] ?? array() ) ),
		);
	}

	/**
	 * Saves a description in the attachment of each language, as save() does for one.
	 *
	 * @param int   $id    Attachment that was described.
	 * @param array $found Of of().
	 * @return bool True if its own text was written.
	 */
	public static function save_all( $id, $found ) {
		foreach ( $found['others'] as $other => $text ) {
			self::save( (int) $other, $text['alt'], $text['by'] );
		}
		return self::save( $id, $found['alt'], $found['by'] );
	}

	/**
	 * Creates the error for a model that wrote nothing.
	 *
	 * @param string $status `aiStatus` of the service.
	 * @return WP_Error
	 */
	private static function silence( $status ) {
		$reasons = array(
			'none'        => __( 'The image is too small to be described.', 'imagewright' ),
			'timeout'     => __( 'The model did not answer in time. Try again later.', 'imagewright' ),
			'refused'     => __( 'The model refused to describe this image.', 'imagewright' ),
			'unavailable' => __( 'The model is not available at the moment. Try again later.', 'imagewright' ),
			'limit'       => __( 'The limit of descriptions for today is reached.', 'imagewright' ),
		);
		return Imagewright_Rest_Errors::make( 'no_text', $reasons[ $status ] ?? __( 'The model wrote no usable text. Try again later.', 'imagewright' ), 409, array( 'aiStatus' => $status ) );
	}
}
