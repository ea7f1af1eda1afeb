<?php
/**
 * Only for tests: tells in headers of each answer what it needed. All output is held back, since headers come first. The header
 * `X-Test-Without` answers as if the plugin was not active.
 */
defined( 'ABSPATH' ) || exit;

$GLOBALS['measured_from'] = getrusage();

if ( isset( $_SERVER['HTTP_X_TEST_WITHOUT'] ) ) {
	add_filter(
		'option_active_plugins',
		static function ( $plugins ) {
			return array_diff( (array) $plugins, array( 'imagewright/imagewright.php' ) );
		}
	);
}

ob_start(
	static function ( $output ) {
		if ( ! headers_sent() && isset( $GLOBALS['wpdb'] ) ) {
			header( 'X-Test-Queries: ' . get_num_queries() );
			// Without what earlier requests have left allocated to this process.
			header( 'X-Test-Memory: ' . memory_get_peak_usage() );
			$spent = static function ( $kind ) {
				$now = getrusage();
				return 1000 * ( $now[ "ru_$kind.tv_sec" ] - $GLOBALS['measured_from'][ "ru_$kind.tv_sec" ] ) + ( $now[ "ru_$kind.tv_usec" ] - $GLOBALS['measured_from'][ "ru_$kind.tv_usec" ] ) / 1000;
			};
			header( 'X-Test-Cpu: ' . ( $spent( 'utime' ) + $spent( 'stime' ) ) );
			header( 'X-Test-Milliseconds: ' . round( ( microtime( true ) - $_SERVER['REQUEST_TIME_FLOAT'] ) * 1000, 1 ) );
		}
		return $output;
	}
);
