<?php
// For PHP's own server: files as they are, everything else to WordPress, so that pretty permalinks work.
$path = $_SERVER['DOCUMENT_ROOT'] . rawurldecode( (string) parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) );
if ( is_dir( $path ) && is_file( rtrim( $path, '/' ) . '/index.php' ) ) {
	if ( '/' !== substr( $path, -1 ) ) {
		header( 'Location: ' . parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH ) . '/' );
		return true;
	}
	$path = rtrim( $path, '/' ) . '/index.php';
}
if ( is_file( $path ) && '.php' !== substr( $path, -4 ) ) {
	return false;
}
$script = is_file( $path ) ? $path : $_SERVER['DOCUMENT_ROOT'] . '/index.php';
$_SERVER['SCRIPT_NAME']     = substr( $script, strlen( $_SERVER['DOCUMENT_ROOT'] ) );
$_SERVER['PHP_SELF']        = $_SERVER['SCRIPT_NAME'];
$_SERVER['SCRIPT_FILENAME'] = $script;
chdir( dirname( $script ) );
require $script;
