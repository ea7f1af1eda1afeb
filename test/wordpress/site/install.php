<?php
// Installs WordPress into an empty database, as the installer's form would.
define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST']       = $argv[2];
$_SERVER['REQUEST_METHOD']  = 'GET';
$_SERVER['REQUEST_URI']     = '/';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter( 'pre_wp_mail', '__return_true' );
wp_install( 'Test', 'admin', 'admin@example.test', false, '', 'password', '' );
update_option( 'permalink_structure', '/%postname%/' );
