<?php
/**
 * Addresses of pages.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Addresses of this plugin's pages, and of lists of the media library.
 */
class Imagewright_Links {

	/** Query parameter of the filter by state. */
	const FILTER = 'imagewright_state';

	/** Query parameter of a run, of whose images the filter then selects. */
	const RUN = 'imagewright_run';

	const SLUG = 'imagewright-optimize';

	/** Query parameter of the chosen images. Core removes `ids` from URLs. */
	const IDS = 'imagewright_ids';

	/** Query parameter of the shown tab. */
	const TAB = 'tab';

	/**
	 * Returns the address of Media > Optimize.
	 *
	 * @param int[] $ids Chosen attachments.
	 * @return string
	 */
	public static function optimize( $ids = array() ) {
		$url = admin_url( 'upload.php?page=' . self::SLUG );
		return $ids ? add_query_arg( self::IDS, implode( ',', array_map( 'intval', $ids ) ), $url ) : $url;
	}

	/**
	 * Returns the address of the list with the images of a state.
	 *
	 * @param string $state Of Imagewright_Media_List::states().
	 * @return string
	 */
	public static function list_of( $state ) {
		return add_query_arg( self::FILTER, $state, admin_url( 'upload.php?mode=list' ) );
	}
}
