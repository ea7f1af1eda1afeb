<?php
/**
 * Languages of texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Finds the languages of texts by the plugins for translations, and reads the texts in an answer of the model, by language.
 */
class Imagewright_Site_Languages {

	/** Most languages of one description at the service. */
	const MAX = 8;

	/** Settings. */
	private Imagewright_Options $options;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Source  $source  Source files of attachments.
	 * @param Imagewright_Access  $access  Permissions of users.
	 * @param Imagewright_Texts   $texts   Alternative text and title of an attachment, and who wrote them.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Source $source,
		Imagewright_Access $access,
		Imagewright_Texts $texts
	) {
		$this->options = $options;
		$this->source  = $source;
		$this->access  = $access;
		$this->texts   = $texts;
	}

	/**
	 * Returns the language of an attachment (BCP 47): its own, else that of the post it was uploaded to, else that of descriptions.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public function of( $id ) {
		$language = $this->of_post( $id );
		$parent   = (int) wp_get_post_parent_id( $id );
		if ( '' === $language && $parent > 0 ) {
			$language = $this->of_post( $parent );
		}
		return '' !== $language ? $language : $this->options->language();
	}

	/**
	 * Returns an attachment and those of the same picture in other languages, by language; the attachment itself comes first.
	 *
	 * @param int $id Attachment.
	 * @return array<string,int>
	 */
	public function all( $id ) {
		$all = array( $this->of( $id ) => (int) $id );
		foreach ( $this->translations( $id ) as $other ) {
			$language = (int) $other > 0 ? $this->of_post( (int) $other ) : '';
			if ( '' !== $language && ! isset( $all[ $language ] ) && $this->source->mark( (int) $other ) === $this->source->mark( $id ) ) {
				$all[ $language ] = (int) $other;
			}
		}
		return array_slice( $all, 0, self::MAX, true );
	}

	/**
	 * Returns the language that a plugin gives a post; an empty string if none does.
	 *
	 * @param int $id Post.
	 * @return string
	 */
	private function of_post( $id ) {
		if ( function_exists( 'pll_get_post_language' ) ) {
			$locale = pll_get_post_language( $id, 'locale' );
		} else {
			// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedHooknameFound -- Of WPML.
			$details = apply_filters( 'wpml_post_language_details', null, $id );
			$locale  = is_array( $details ) ? ( $details['locale'] ?? $details['language_code'] ?? '' ) : '';
		}
		$language = str_replace( '_', '-', is_string( $locale ) ? $locale : '' );
		return preg_match( '/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/', $language ) ? $language : '';
	}

	/**
	 * Returns the attachments of the same picture in the languages of the site.
	 *
	 * @param int $id Attachment.
	 * @return int[]
	 */
	private function translations( $id ) {
		if ( function_exists( 'pll_get_post_translations' ) ) {
			return (array) pll_get_post_translations( $id );
		}
		$found = array();
		// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedHooknameFound -- Of WPML.
		foreach ( array_keys( (array) apply_filters( 'wpml_active_languages', null ) ) as $code ) {
			// phpcs:ignore WordPress.NamingConventions.PrefixAllGlobals.NonPrefixedHooknameFound -- Of WPML.
			$found[] = (int) apply_filters( 'wpml_object_id', $id, 'attachment', false, $code );
		}
		return $found;
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
