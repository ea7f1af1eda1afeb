<?php
/**
 * Translated texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Returns translated texts for the admin pages and their scripts.
 */
class Imagewright_Strings {

	/** One number for each plural category of CLDR, valid in every language that has the category. */
	const NUMBERS = array(
		'zero'  => 0,
		'one'   => 1,
		'two'   => 2,
		'few'   => 3,
		'many'  => 11,
		'other' => 100,
	);

	/**
	 * Returns the ways of delivery: label and explanation by name.
	 *
	 * @return array<string,array{0:string,1:string}>
	 */
	public static function ways() {
		return array(
			'beside'  => array( __( 'Beside the originals', 'imagewright' ), __( 'Pages offer them to browsers that know the format, and fall back to the original.', 'imagewright' ) ),
			'replace' => array( __( 'In the place of the originals', 'imagewright' ), __( 'The media library shows the optimized files. The originals are kept.', 'imagewright' ) ),
		);
	}

	/**
	 * Returns the labels of the formats.
	 *
	 * @return array<string,string>
	 */
	public static function formats() {
		return Imagewright_Contract::FORMAT_LABELS + array( 'original' => __( 'As uploaded', 'imagewright' ) );
	}

	/**
	 * Returns the labels of the presets.
	 *
	 * @return array<string,string>
	 */
	public static function presets() {
		return array(
			'maximum'   => __( 'Maximum', 'imagewright' ),
			'very_high' => __( 'Very high', 'imagewright' ),
			'high'      => __( 'High', 'imagewright' ),
			'medium'    => __( 'Medium', 'imagewright' ),
			'low'       => __( 'Low', 'imagewright' ),
			'minimum'   => __( 'Minimum', 'imagewright' ),
		);
	}

	/**
	 * Returns the texts of the scripts. The scripts replace placeholders such as {n}.
	 *
	 * @return array<string,string>
	 */
	public static function all() {
		return array(
			'restoreForce'    => __( 'This image was edited after it was optimized. Restoring it discards these edits. Continue?', 'imagewright' ),
			'restoreLost'     => __( 'The original file exists. Restore it and let WordPress create the missing sizes again?', 'imagewright' ),
			'largerPaid'      => __( 'Use the larger file anyway? It is already paid for.', 'imagewright' ),
			'largerCosts'     => __( 'Export it again for 1 credit and use the larger file anyway?', 'imagewright' ),
			'working'         => __( 'Working …', 'imagewright' ),
			'cancel'          => __( 'Cancel', 'imagewright' ),
			'continue'        => __( 'Continue', 'imagewright' ),
			'choose'          => __( 'Choose from the media library', 'imagewright' ),
			'chooseTitle'     => __( 'Choose images to optimize', 'imagewright' ),
			'chooseButton'    => __( 'Use these images', 'imagewright' ),
			'replaced'        => __( 'Replaced', 'imagewright' ),
			'restored'        => __( 'The original was restored.', 'imagewright' ),
			'dropHint'        => __( 'JPEG, PNG, WebP, AVIF or GIF. Dropped files are added to the media library.', 'imagewright' ),
			'saveFirst'       => __( 'Save the changes first: the test uses the saved settings.', 'imagewright' ),
			'testing'         => __( 'Testing …', 'imagewright' ),
			'noModel'         => __( 'The image service has no model that describes images. "Describe images" finds only texts that are within the files.', 'imagewright' ),
			'loggedOut'       => __( 'You are logged out. Log in again in another tab, then resume.', 'imagewright' ),
			'unreachable'     => __( 'The site does not respond. Check the connection, then resume.', 'imagewright' ),
		);
	}

	/**
	 * Returns the plural forms that the scripts insert for {images} and {credits}.
	 *
	 * @return array<string,array<string,string>>
	 */
	public static function nouns() {
		return array(
			'images'  => self::forms( _n_noop( '{n} image', '{n} images', 'imagewright' ) ),
			'credits' => self::forms( _n_noop( '{n} credit', '{n} credits', 'imagewright' ) ),
		);
	}

	/**
	 * Returns the forms of a noun by plural category.
	 *
	 * @param array $noun Of _n_noop().
	 * @return array<string,string>
	 */
	private static function forms( $noun ) {
		return array_map(
			static function ( $number ) use ( $noun ) {
				return translate_nooped_plural( $noun, $number );
			},
			self::NUMBERS
		);
	}

	/**
	 * Returns the widget's texts that WordPress has a translation for, by the widget's keys. The widget translates the others.
	 *
	 * @return array<string,string|array<string,string>>
	 */
	public static function widget() {
		$texts = 0 === strpos( get_user_locale(), 'en' ) ? array() : array_merge( require IMAGEWRIGHT_DIR . 'build/widget-strings.php', require IMAGEWRIGHT_DIR . 'build/host-strings.php' );
		$known = array();
		foreach ( $texts as $key => $text ) {
			$forms = isset( $text[0] ) ? array( $text ) : $text;
			$given = array_filter(
				$forms,
				static function ( $pair ) {
					return $pair[0] !== $pair[1];
				}
			);
			if ( $given ) {
				$known[ $key ] = isset( $text[0] ) ? $text[1] : wp_list_pluck( $forms, 1 );
			}
		}
		return $known;
	}

	/**
	 * Returns what can stay in the files: label and explanation by name.
	 *
	 * @return array<string,array{0:string,1:string}>
	 */
	public static function levels() {
		return array(
			'rights'          => array( __( 'Rights', 'imagewright' ), __( 'Author, copyright, licence and AI marks. Place, camera and other private data are removed.', 'imagewright' ) ),
			'all-but-private' => array( __( 'All but private', 'imagewright' ), __( 'Also camera, lens, exposure, date, rating and keywords. Place and names are removed.', 'imagewright' ) ),
			'none'            => array( __( 'Nothing', 'imagewright' ), __( 'Everything is removed, the copyright too.', 'imagewright' ) ),
		);
	}
}
