<?php
/**
 * Stand-in for WP-CLI, which is not in npm: the documented functions that the plugin calls. Collects what they would print.
 */

namespace WP_CLI\Utils {
	function format_items( $format, $items, $fields ) {
		\WP_CLI::$said[] = array( $format, $items );
	}
	function make_progress_bar( $message, $count ) {
		return new class( $message, $count ) {
			public $ticks = 0;
			public function __construct( $message, $count ) {
				\WP_CLI::$said[] = array( 'bar', $message, $count );
			}
			public function tick() {
				++$this->ticks;
			}
			public function finish() {
				\WP_CLI::$said[] = array( 'ticks', $this->ticks );
			}
		};
	}
}

namespace {
	class WP_CLI {
		public static $said     = array();
		public static $commands = array();
		public static function add_command( $name, $class ) {
			self::$commands[ $name ] = $class;
		}
		public static function log( $message ) {
			self::$said[] = array( 'log', $message );
		}
		public static function warning( $message ) {
			self::$said[] = array( 'warning', $message );
		}
		public static function halt( $code ) {
			self::$said[] = array( 'halt', $code );
			throw new RuntimeException( 'WP_CLI::halt' );
		}
		public static function error( $message ) {
			self::$said[] = array( 'error', $message );
			// The real one ends the process.
			throw new RuntimeException( 'WP_CLI::error' );
		}
	}
}
