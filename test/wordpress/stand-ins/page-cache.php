<?php
/**
 * Only for tests: counts how often a cache of pages is emptied, by the action of Cache Enabler.
 */
defined( 'ABSPATH' ) || exit;

add_action(
	'cache_enabler_clear_site_cache',
	static function () {
		update_option( 'stand_in_purges', 1 + (int) get_option( 'stand_in_purges' ), false );
	}
);
