<?php
/**
 * Metadata of files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Says what an upload carries, and what of it stays in the optimized files. The service names the kinds, each with the first level of
 * the setting `metadata` that keeps it, or `always` or `never`.
 */
class Imagewright_Carried {

	/** Warnings by the kind whose loss they name. */
	const LOSSES = array(
		'gain_map'            => 'hdr_dropped',
		'content_credentials' => 'content_credentials_dropped',
	);

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
	public static function text( $record ) {
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
