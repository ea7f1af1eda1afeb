<?php
/**
 * Only for tests: lets them ask this site a question in PHP. Not part of the plugin, and it opens for a secret alone.
 */
defined( 'ABSPATH' ) || exit;

add_action(
	'init',
	static function () {
		if ( ! isset( $_GET['inspect'] ) || ! hash_equals( IMAGEWRIGHT_TEST_SECRET, (string) $_GET['inspect'] ) ) {
			return;
		}
		foreach ( array( 'image', 'file', 'media', 'post', 'plugin', 'user', 'image-edit' ) as $part ) {
			require_once ABSPATH . "wp-admin/includes/$part.php";
		}
		$code = file_get_contents( 'php://input' );
		try {
			$result = eval( $code );
			$answer = array( 'result' => $result );
		} catch ( Throwable $error ) {
			$answer = array( 'error' => $error->getMessage() . ' at ' . $error->getLine() );
		}
		while ( ob_get_level() > 0 ) {
			ob_end_clean();
		}
		header( 'Content-Type: application/json' );
		echo wp_json_encode( $answer );
		exit;
	},
	99
);
// One address for all sites of a network is one for none of them.
if ( is_multisite() ) {
	remove_filter( 'option_home', '_config_wp_home' );
	remove_filter( 'option_siteurl', '_config_wp_siteurl' );
}
// PHP as WebAssembly opens every address that comes from a form. WordPress does not.
add_action(
	'muplugins_loaded',
	static function () {
		remove_filter( 'http_request_host_is_external', '__return_true' );
	}
);
// Tests look at pages without network: no pictures of users from elsewhere.
add_filter( 'pre_option_show_avatars', '__return_zero' );
add_filter( 'pre_wp_mail', '__return_true' );
// A lower edge above which WordPress scales: the same way through the code with pictures that are quicker to make.
add_filter(
	'big_image_size_threshold',
	static function ( $edge ) {
		return defined( 'IMAGEWRIGHT_TEST_THRESHOLD' ) ? IMAGEWRIGHT_TEST_THRESHOLD : $edge;
	}
);
// A size that is cropped around another point than the centre: WordPress makes it itself.
add_action(
	'init',
	static function () {
		if ( defined( 'IMAGEWRIGHT_TEST_CORNER' ) ) {
			add_image_size( 'corner', 310, 290, array( 'left', 'top' ) );
		}
	}
);
// A service on this machine stands for one somewhere else: an address that a form may lead to.
add_filter(
	'http_allowed_safe_ports',
	static function ( $ports ) {
		return defined( 'IMAGEWRIGHT_TEST_OPEN_PORT' ) ? array_merge( $ports, array( (int) IMAGEWRIGHT_TEST_OPEN_PORT ) ) : $ports;
	}
);
// One image that this server cannot open, and one that is too much for PHP's memory, each from its first download on.
add_filter(
	'pre_http_request',
	static function ( $answer, $options, $url ) {
		$is_at = static function ( $name ) {
			// The image whose lock this process holds.
			$held = new ReflectionProperty( 'Imagewright_Lock', 'held' );
			$held->setAccessible( true );
			return defined( $name ) && isset( $held->getValue( imagewright()->get( Imagewright_Lock::class ) )[ 'imagewright_' . constant( $name ) . '.lock' ] );
		};
		if ( false !== strpos( $url, '/download?' ) && defined( 'IMAGEWRIGHT_TEST_BLIND' ) ) {
			add_filter(
				'wp_image_editors',
				static function ( $editors ) use ( $is_at ) {
					return $is_at( 'IMAGEWRIGHT_TEST_BLIND' ) ? array() : $editors;
				}
			);
		}
		if ( false !== strpos( $url, '/download?' ) && $is_at( 'IMAGEWRIGHT_TEST_FATAL' ) ) {
			str_repeat( 'x', 1 << 30 );
		}
		return $answer;
	},
	10,
	3
);
// A user who replaces an image's file while it is sent to the service.
add_filter(
	'http_response',
	static function ( $response, $options, $url ) {
		if ( defined( 'IMAGEWRIGHT_TEST_MEANWHILE' ) && 'POST' === $options['method'] && preg_match( '#/v1/sessions$#', $url ) ) {
			file_put_contents( get_attached_file( IMAGEWRIGHT_TEST_MEANWHILE ), 'more', FILE_APPEND );
		}
		return $response;
	},
	10,
	3
);
// A site whose users need another capability to use the plugin or to spend credits with it.
add_filter(
	'imagewright_capability',
	static function ( $capability, $purpose ) {
		$name = 'IMAGEWRIGHT_TEST_MAY_' . strtoupper( $purpose );
		return defined( $name ) ? constant( $name ) : $capability;
	},
	10,
	2
);
// A buffer of another plugin that cannot be removed.
if ( defined( 'IMAGEWRIGHT_TEST_BUFFER' ) ) {
	ob_start( null, 0, PHP_OUTPUT_HANDLER_FLUSHABLE );
}
// Faults between two steps of a replacement: an error, or the end of PHP.
add_filter(
	'wp_update_attachment_metadata',
	static function ( $metadata ) {
		if ( defined( 'IMAGEWRIGHT_TEST_FAULT' ) && '.webp' === substr( $metadata['file'], -5 ) ) {
			if ( 'error' === IMAGEWRIGHT_TEST_FAULT ) {
				throw new RuntimeException( 'a fault for the test' );
			}
			http_response_code( 500 );
			exit;
		}
		return $metadata;
	}
);
// Time for nonces: what was valid is not any more, without waiting for a day.
add_filter(
	'nonce_life',
	static function ( $seconds ) {
		return defined( 'IMAGEWRIGHT_TEST_NONCE_DAY' ) ? $seconds + IMAGEWRIGHT_TEST_NONCE_DAY : $seconds;
	}
);
// No request goes to wordpress.org: without network each one would cost time and leave a warning in the log.
foreach ( array( 'core', 'plugins', 'themes' ) as $what ) {
	add_filter(
		"pre_site_transient_update_$what",
		static function () {
			return (object) array(
				'last_checked'    => time(),
				'version_checked' => get_bloginfo( 'version' ),
				'updates'         => array(),
				'checked'         => array(),
				'response'        => array(),
				'no_update'       => array(),
				'translations'    => array(),
			);
		}
	);
}

// A month of its own for the files of each test file: PHP as WebAssembly still finds a file that another process removed.
add_filter(
	'upload_dir',
	static function ( $folder ) {
		if ( defined( 'IMAGEWRIGHT_TEST_MONTH' ) && IMAGEWRIGHT_TEST_MONTH > 0 ) {
			$folder['subdir'] = sprintf( '/%d/%02d', 2000 + intdiv( IMAGEWRIGHT_TEST_MONTH, 12 ), IMAGEWRIGHT_TEST_MONTH % 12 + 1 );
			$folder['path']   = $folder['basedir'] . $folder['subdir'];
			$folder['url']    = $folder['baseurl'] . $folder['subdir'];
		}
		return $folder;
	}
);
// A CDN that fetches the files of this site.
add_filter(
	'imagewright_hosts',
	static function ( $hosts ) {
		return defined( 'IMAGEWRIGHT_TEST_CDN' ) ? array_merge( $hosts, array( IMAGEWRIGHT_TEST_CDN ) ) : $hosts;
	}
);
