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
	 * Returns the status of an attachment as text.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	public static function status( $item ) {
		$text = self::state( $item );
		if ( $item['shares'] ) {
			/* translators: 1: state, 2: number of entries of the media library */
			return sprintf( __( '%1$s (one file for %2$s entries of the library)', 'imagewright' ), $text, number_format_i18n( count( $item['shares'] ) + 1 ) );
		}
		return $text;
	}

	/**
	 * Returns the state of the picture of an attachment as text.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	private static function state( $item ) {
		if ( 'offloaded' === $item['picture'] ) {
			/* translators: %s: reason */
			return sprintf( __( 'Offloaded: %s', 'imagewright' ), $item['obstacle'] );
		}
		if ( '' !== $item['obstacle'] && 'edited' !== $item['picture'] ) {
			/* translators: %s: reason */
			return sprintf( __( 'Cannot be optimized: %s', 'imagewright' ), $item['obstacle'] );
		}
		switch ( $item['picture'] ) {
			case 'optimized':
				$before = (int) $item['bytes']['before'];
				$after  = (int) $item['bytes']['after'];
				if ( $after >= $before ) {
					/* translators: 1: size before, 2: size after */
					return sprintf( __( 'Optimized: %1$s to %2$s, larger, as accepted', 'imagewright' ), size_format( $before, 1 ), size_format( $after, 1 ) );
				}
				$saved = $before > 0 ? (int) round( 100 * ( $before - $after ) / $before ) : 0;
				/* translators: 1: size before, 2: size after, 3: saved percent */
				return sprintf( __( 'Optimized: %1$s to %2$s, %3$s%% smaller', 'imagewright' ), size_format( $before, 1 ), size_format( $after, 1 ), number_format_i18n( $saved ) );
			case 'outdated':
				return 'outdated' === $item['gap']
					? __( 'Outdated: pages show WordPress\'s own files, since these were made again or copied. The optimized files exist.', 'imagewright' )
					: __( 'Outdated: the files have changed since the image was optimized.', 'imagewright' );
			case 'edited':
				return __( 'Edited since it was optimized', 'imagewright' );
			case 'interrupted':
				return __( 'Interrupted: optimize or restore it', 'imagewright' );
			case 'queued':
				return __( 'Waiting to be optimized', 'imagewright' );
			case 'working':
				return __( 'In progress', 'imagewright' );
			case 'failed':
				/* translators: %s: reason */
				return sprintf( __( 'Not optimized: %s', 'imagewright' ), $item['reason']['message'] );
			default:
				return __( 'Not optimized', 'imagewright' );
		}
	}

	/**
	 * Returns the state in one or two words, or the change of an optimized image, for lists.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	public static function pill( $item ) {
		if ( 'optimized' === $item['picture'] ) {
			return self::change( (int) $item['bytes']['before'], (int) $item['bytes']['after'] );
		}
		if ( 'failed' === $item['picture'] && 'imagewright_not_smaller' === ( $item['reason']['code'] ?? '' ) ) {
			return __( 'No gain', 'imagewright' );
		}
		if ( 'imagewright_hdr' === ( $item['reason']['code'] ?? '' ) ) {
			return __( 'Left out', 'imagewright' );
		}
		if ( '' !== $item['obstacle'] && in_array( $item['picture'], array( 'none', 'failed' ), true ) ) {
			return __( 'Left out', 'imagewright' );
		}
		$words = array(
			'outdated'    => __( 'Outdated', 'imagewright' ),
			'offloaded'   => __( 'Offloaded', 'imagewright' ),
			'edited'      => __( 'Edited', 'imagewright' ),
			'interrupted' => __( 'Interrupted', 'imagewright' ),
			'queued'      => __( 'Waiting', 'imagewright' ),
			'working'     => __( 'In progress', 'imagewright' ),
			'failed'      => __( 'Failed', 'imagewright' ),
		);
		return $words[ $item['picture'] ] ?? __( 'Not optimized', 'imagewright' );
	}

	/**
	 * Returns a change of bytes in percent, with its sign.
	 *
	 * @param int $before Bytes.
	 * @param int $after  Bytes.
	 * @return string
	 */
	public static function change( $before, $after ) {
		$percent = $before > 0 ? (int) round( 100 * ( $after - $before ) / $before ) : 0;
		$sign    = $percent < 0 ? '−' : ( $percent > 0 ? '+' : '' );
		// A mark keeps the sign before the number in texts from right to left.
		$mark = is_rtl() ? "\u{200E}" : '';
		/* translators: %s: number with its sign, of percent */
		return $mark . sprintf( __( '%s %%', 'imagewright' ), $sign . number_format_i18n( abs( $percent ) ) );
	}

	/**
	 * Returns in words how far an optimized image differs visibly from its original.
	 *
	 * @param float $score Of the file.
	 * @return string
	 */
	public static function difference( $score ) {
		foreach ( Imagewright_Contract::VISIBLE_DIFFERENCES as $name => $from ) {
			if ( $score >= $from ) {
				break;
			}
			$name = 'clear';
		}
		$words = array(
			'none'         => __( 'No visible difference', 'imagewright' ),
			'hardly'       => __( 'Difference hardly visible', 'imagewright' ),
			'side_by_side' => __( 'Difference visible only side by side', 'imagewright' ),
			'visible'      => __( 'Difference visible', 'imagewright' ),
			'clear'        => __( 'Difference clearly visible', 'imagewright' ),
		);
		return $words[ $name ];
	}

	/**
	 * Returns the reason why the service cannot be used yet.
	 *
	 * @return string
	 */
	public static function not_ready() {
		return Imagewright_Options::lacks_fixed_url()
			? __( 'The API key is set in the configuration of the server, so the address of the service must be set there, too: define IMAGEWRIGHT_URL. This key is not sent to an address from a form.', 'imagewright' )
			: __( 'The image service is not set up yet: its address or the API key is missing.', 'imagewright' );
	}

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
}
