<?php
// Evaluates PHP inside of WordPress from the command line, without a web server: reads {"code", "values"} as JSON from the
// standard input and writes the result as its last line. Arguments: folder of WordPress, host.
$request = json_decode( stream_get_contents( STDIN ), true );
$_SERVER['HTTP_HOST']       = $argv[2];
$_SERVER['REQUEST_METHOD']  = 'GET';
$_SERVER['REQUEST_URI']     = '/';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
require $argv[1] . '/wp-load.php';
foreach ( array( 'image', 'file', 'media', 'post', 'plugin', 'user' ) as $part ) {
	require_once ABSPATH . "wp-admin/includes/$part.php";
}
try {
	extract( $request['values'] );
	$answer = array( 'result' => eval( $request['code'] ) );
} catch ( Throwable $error ) {
	$answer = array( 'error' => $error->getMessage() . ' at ' . $error->getLine() );
}
echo "\n", wp_json_encode( $answer ), "\n";
