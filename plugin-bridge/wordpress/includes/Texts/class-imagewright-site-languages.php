<?php
/**
 * Languages of a site.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Says in which language an attachment is, and which attachments show the same picture in other languages, with Polylang and WPML.
 */
class Imagewright_Site_Languages {

	/** Most languages of one description at the service. */
	const MAX = 8;

	/** Settings. */
	private Imagewright_Options $options;
	/** Source files of attachments. */
	private Imagewright_Source $source;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Source  $source  Source files of attachments.
	 */
	public function __construct( Imagewright_Options $options, Imagewright_Source $source ) {
		$this->options = $options;
		$this->source  = $source;
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
}
