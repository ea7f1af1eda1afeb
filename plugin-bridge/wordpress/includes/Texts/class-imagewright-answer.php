<?php
/**
 * Texts in an answer.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Reads the texts in an answer of the model, by language.
 */
class Imagewright_Answer {

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access $access Permissions of users.
	 * @param Imagewright_Texts  $texts  Alternative text and title of an attachment, and who wrote them.
	 */
	public function __construct( Imagewright_Access $access, Imagewright_Texts $texts ) {
		$this->access = $access;
		$this->texts  = $texts;
	}

	/**
	 * Returns the texts of all attachments of a picture but the first one, by attachment.
	 *
	 * @param int[] $all   Attachments by language.
	 * @param array $texts Texts of the service by language.
	 * @return array<int,array>
	 */
	public function others( $all, $texts ) {
		$texts  = array_change_key_case( $texts );
		$others = array();
		foreach ( array_slice( $all, 1, null, true ) as $language => $other ) {
			$others[ $other ] = $this->text_in( (array) ( $texts[ strtolower( $language ) ] ?? array() ) );
		}
		return array_filter( $others );
	}

	/**
	 * Writes the texts of all attachments of a picture but the first one, where they have none.
	 *
	 * @param int[] $all   Attachments by language.
	 * @param array $texts Texts of the service by language.
	 */
	public function fill_others( $all, $texts ) {
		foreach ( $this->others( $all, $texts ) as $other => $text ) {
			if ( $this->access->may_change( $other ) ) {
				$this->texts->fill( $other, $text['alt'], null, array(), '' );
			}
		}
	}

	/**
	 * Returns the alternative text that was found in one language, its author and reasons to review it; null if there is none.
	 *
	 * @param array $found Texts of the service.
	 * @return array{alt:string,by:string,review:string[]}|null
	 */
	public function text_in( $found ) {
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
	 * Creates the error for a model that wrote nothing.
	 *
	 * @param string $status `aiStatus` of the service.
	 * @return WP_Error
	 */
	public function silence( $status ) {
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
