<?php
/**
 * States in words.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Says the state of an image in words: as a sentence, and as a word or number for the list; and what of an upload stays in its files.
 */
class Imagewright_Status_Text {

	/** Warnings by the kind whose loss they name. */
	const LOSSES = array(
		'gain_map'            => 'hdr_dropped',
		'content_credentials' => 'content_credentials_dropped',
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
			return sprintf( $item['hidden'] ? __( 'Not delivered: %s', 'imagewright' ) : __( 'Offloaded: %s', 'imagewright' ), $item['obstacle'] );
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
			'offloaded'   => empty( $item['hidden'] ) ? __( 'Offloaded', 'imagewright' ) : __( 'Not delivered', 'imagewright' ),
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
	 * Builds the record of an export.
	 *
	 * @param array                $result  Of Imagewright_Result::read().
	 * @param array<string,string> $carries What keeps each kind that the upload has.
	 * @return array<string,bool> Kinds; true if the export keeps them.
	 */
	public static function record( $result, $carries ) {
		$warnings = array_column( (array) $result['warnings'], 'code' );
		$level    = array_search( $result['metadata'], Imagewright_Contract::METADATA_LEVELS, true );
		$found    = array();
		foreach ( $carries as $kind => $kept_by ) {
			$from           = array_search( $kept_by, Imagewright_Contract::METADATA_LEVELS, true );
			$is_lost        = in_array( isset( self::LOSSES[ $kind ] ) ? self::LOSSES[ $kind ] : 'metadata_not_written', $warnings, true );
			$found[ $kind ] = ! $is_lost && ( 'always' === $kept_by || ( false !== $from && $level >= $from ) );
		}
		return $found;
	}

	/**
	 * Says it in words.
	 *
	 * @param array<string,bool> $record Of record().
	 * @return string Empty if the upload has nothing that people ask for.
	 */
	public static function carried( $record ) {
		$words = self::words();
		$all   = array_intersect_key( $words, $record );
		$stays = array_intersect_key( $words, array_filter( $record ) );
		if ( ! $all ) {
			return '';
		}
		/* translators: 1: list of what the file carries, 2: list of what stays in the optimized files */
		return sprintf( __( 'In the upload: %1$s. Stays in the optimized files: %2$s.', 'imagewright' ), self::join( $all ), $stays ? self::join( $stays ) : __( 'nothing of it', 'imagewright' ) );
	}

	/**
	 * Writes a list.
	 *
	 * @param string[] $words Words, some of them twice.
	 * @return string
	 */
	private static function join( $words ) {
		return wp_sprintf( '%l', array_values( array_unique( $words ) ) );
	}

	/**
	 * Returns words for the kinds that people ask for. Kinds of one sort share theirs.
	 *
	 * @return array<string,string>
	 */
	private static function words() {
		$rights  = __( 'author and rights', 'imagewright' );
		$ai      = __( 'marks of AI', 'imagewright' );
		$private = __( 'personal data', 'imagewright' );
		$order   = __( 'rating and keywords', 'imagewright' );
		return array(
			'gain_map'            => __( 'HDR', 'imagewright' ),
			'creator'             => $rights,
			'copyright'           => $rights,
			'credit'              => $rights,
			'licence'             => $rights,
			'data_mining'         => $rights,
			'digital_source'      => $ai,
			'ai'                  => $ai,
			'content_credentials' => __( 'content credentials', 'imagewright' ),
			'camera'              => __( 'camera', 'imagewright' ),
			'dates'               => __( 'dates', 'imagewright' ),
			'rating'              => $order,
			'keywords'            => $order,
			'place'               => __( 'place', 'imagewright' ),
			'serial_numbers'      => $private,
			'owner'               => $private,
			'people'              => $private,
		);
	}
}
