<?php
/**
 * Budget of a day.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Limits the credits that uploads spend by themselves in a day (UTC). Runs and buttons are not counted.
 */
class Imagewright_Daily_Budget {

	/** Option: `day`, `used`. */
	const OPTION = 'imagewright_today';

	/**
	 * Returns true if the budget of today is not used up.
	 *
	 * @return bool
	 */
	public static function allows() {
		$limit = (int) Imagewright_Options::all()['daily_credits'];
		return 0 === $limit || self::used() < $limit;
	}

	/**
	 * Returns the credits that uploads have spent today.
	 *
	 * @return int
	 */
	public static function used() {
		$today = (array) get_option( self::OPTION, array() );
		return gmdate( 'Y-m-d' ) === ( $today['day'] ?? '' ) ? (int) $today['used'] : 0;
	}

	/**
	 * Counts spent credits.
	 *
	 * @param int $credits Credits.
	 */
	public static function add( $credits ) {
		wp_cache_delete( self::OPTION, 'options' );
		update_option(
			self::OPTION,
			array(
				'day'  => gmdate( 'Y-m-d' ),
				'used' => self::used() + $credits,
			),
			false
		);
	}
}
