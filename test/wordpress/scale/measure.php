<?php
/**
 * Only for tests: tells in headers of each answer what it needed. All output is held back, since headers come first.
 */
defined( 'ABSPATH' ) || exit;

ob_start(
	static function ( $output ) {
		if ( ! headers_sent() && isset( $GLOBALS['wpdb'] ) ) {
			header( 'X-Test-Queries: ' . get_num_queries() );
			// Without what earlier requests have left allocated to this process.
			header( 'X-Test-Memory: ' . memory_get_peak_usage() );
			header( 'X-Test-Milliseconds: ' . round( ( microtime( true ) - $_SERVER['REQUEST_TIME_FLOAT'] ) * 1000, 1 ) );
		}
		return $output;
	}
);
