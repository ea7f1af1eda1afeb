<?php
/**
 * Commands of WP-CLI.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Optimizes and restores the images of the media library.
 *
 * ## EXAMPLES
 *
 *     wp imagewright status
 *     wp imagewright optimize --dry-run
 *     wp imagewright optimize --quality=medium
 *     wp imagewright restore 12 13
 */
class Imagewright_Cli {

	/** Seconds between two lines of progress. */
	const SECONDS = 2;

	/** Registers the commands if WP-CLI runs. */
	public static function register() {
		if ( defined( 'WP_CLI' ) && WP_CLI ) {
			WP_CLI::add_command( 'imagewright', __CLASS__ );
			$texts = new Imagewright_Cli_Texts();
			WP_CLI::add_command( 'imagewright describe', array( $texts, 'describe' ) );
			WP_CLI::add_command( 'imagewright audit', array( $texts, 'audit' ) );
		}
	}

	/**
	 * Shows how many images are optimized, what pages save by that, and what waits.
	 *
	 * ## OPTIONS
	 *
	 * [--format=<format>]
	 * : `table`, `json`, `csv` or `yaml`.
	 * ---
	 * default: table
	 * ---
	 *
	 * @param string[] $args    Unused.
	 * @param array    $options Options.
	 */
	public function status( $args, $options ) {
		Imagewright_Nightly::check( 5000, 10 );
		$overview = Imagewright_Overview::of_library();
		$balance  = Imagewright_Service::json( 'GET', '/v1/credits/balance' );
		$pause    = Imagewright_Queue::paused_until() ? Imagewright_Queue::paused() : array();
		$row      = array(
			'images'       => $overview['total'],
			'optimized'    => $overview['optimized'],
			'waiting'      => $overview['waiting'],
			'outdated'     => $overview['outdated'],
			'offloaded'    => $overview['offloaded'],
			'shared'       => $overview['shared'],
			'bytes_before' => $overview['before'],
			'bytes_after'  => $overview['after'],
			'balance'      => is_wp_error( $balance ) ? '' : (int) $balance['balance'],
			'problem'      => is_wp_error( $balance ) ? $balance->get_error_message() : (string) ( $pause['message'] ?? '' ),
		);
		self::show( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
	}

	/**
	 * Optimizes images. A run that was interrupted is continued by the same command.
	 *
	 * ## OPTIONS
	 *
	 * [<id>...]
	 * : Attachments. Default: all that can gain.
	 *
	 * [--to=<format>]
	 * : Format of the optimized files. Default: the setting.
	 *
	 * [--quality=<preset>]
	 * : Quality. Default: the setting.
	 *
	 * [--dry-run]
	 * : Shows number and price of the images, and changes nothing.
	 *
	 * [--format=<format>]
	 * : `table`, `json`, `csv` or `yaml`.
	 * ---
	 * default: table
	 * ---
	 *
	 * @param string[] $args    Attachments.
	 * @param array    $options Options.
	 */
	public function optimize( $args, $options ) {
		$this->run( 'optimize', $args, $options );
	}

	/**
	 * Restores images: removes optimized files, and puts replaced files back.
	 *
	 * ## OPTIONS
	 *
	 * [<id>...]
	 * : Attachments. Default: all that are optimized.
	 *
	 * [--dry-run]
	 * : Shows the number of images, and changes nothing.
	 *
	 * [--format=<format>]
	 * : `table`, `json`, `csv` or `yaml`.
	 * ---
	 * default: table
	 * ---
	 *
	 * @param string[] $args    Attachments.
	 * @param array    $options Options.
	 */
	public function restore( $args, $options ) {
		$this->run( 'restore', $args, $options );
	}

	/**
	 * Starts or continues a run and works on it until it has ended.
	 *
	 * @param string   $kind    `optimize` or `restore`.
	 * @param string[] $args    Attachments.
	 * @param array    $options Options.
	 */
	private function run( $kind, $args, $options ) {
		self::become_administrator();
		$wanted = self::settings( $options );
		$ids    = array_map( 'intval', $args );
		if ( 'optimize' === $kind && $wanted['fillText'] && ! Imagewright_Vision::exists() ) {
			WP_CLI::warning( Imagewright_Vision::refusal()->get_error_message() );
		}
		if ( ! empty( $options['dry-run'] ) ) {
			Imagewright_Nightly::check( 5000, 10 );
			$count = Imagewright_Candidates::count( $kind, $wanted, $ids );
			$row   = array(
				'images'  => $count,
				'credits' => 'optimize' === $kind ? $count - Imagewright_Overview::repairs( $ids ) : 0,
			);
			self::show( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
			return;
		}
		$run = Imagewright_Runs::current();
		if ( $run && 'done' !== $run['state'] && $run['kind'] === $kind && ! $ids && $run['options'] === $wanted ) {
			$run = Imagewright_Runs::set_state( 'running' );
		} else {
			$run = Imagewright_Runs::start( $kind, $ids, $wanted );
		}
		$run = self::follow( $run );
		self::report( $run, $options );
	}

	/**
	 * Works on a run and shows its progress.
	 *
	 * @param array $run Run.
	 * @return array The ended run.
	 */
	private static function follow( $run ) {
		$bar  = WP_CLI\Utils\make_progress_bar( 'optimize' === $run['kind'] ? 'Optimizing' : 'Restoring', $run['total'] );
		$seen = 0;
		$told = '';
		while ( $run && 'running' === $run['state'] ) {
			$worked = Imagewright_Worker::run( self::SECONDS );
			$run    = Imagewright_Runs::current();
			$ended  = $run['done'] + $run['noGain'] + $run['failedCount'];
			for ( ; $seen < $ended; $seen++ ) {
				$bar->tick();
			}
			if ( '' !== $run['waiting'] && $told !== $run['waiting'] ) {
				WP_CLI::log( $run['waiting'] );
				$told = $run['waiting'];
			}
			if ( 0 === $worked && 'running' === $run['state'] ) {
				sleep( self::SECONDS );
			}
		}
		$bar->finish();
		return $run;
	}

	/**
	 * Shows how a run ended. Ends with an error if it was stopped.
	 *
	 * @param array $run     Run.
	 * @param array $options Options.
	 */
	private static function report( $run, $options ) {
		foreach ( $run['failed'] as $failed ) {
			WP_CLI::warning( "{$failed['id']} {$failed['title']}: {$failed['message']}" );
		}
		$row = array(
			'images'       => $run['total'],
			'done'         => $run['done'],
			'no_gain'      => $run['noGain'],
			'failed'       => $run['failedCount'],
			'bytes_before' => $run['bytes']['before'],
			'bytes_after'  => $run['bytes']['after'],
		);
		self::show( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
		if ( 'done' !== $run['state'] ) {
			WP_CLI::error( $run['reason']['message'] ?? __( 'Stopped.', 'imagewright' ) );
		}
	}

	/**
	 * Reads and checks the settings of a run.
	 *
	 * @param array $options Options.
	 * @return array `format`, `preset`, `fillText`.
	 */
	private static function settings( $options ) {
		$all    = Imagewright_Options::all();
		$format = $options['to'] ?? $all['format'];
		$preset = $options['quality'] ?? $all['preset'];
		foreach ( array( array( 'to', $format, Imagewright_Options::formats() ), array( 'quality', $preset, Imagewright_Contract::PRESETS ) ) as list( $name, $value, $known ) ) {
			if ( ! in_array( $value, $known, true ) ) {
				WP_CLI::error( "--$name: expected " . implode( ', ', $known ) . ", but received $value" );
			}
		}
		return array(
			'format'   => $format,
			'preset'   => $preset,
			'fillText' => (bool) $all['fill_text'],
		);
	}

	/**
	 * Prints rows. In CSV, a text that a spreadsheet would run as a formula gets an apostrophe, also one with full-width signs.
	 *
	 * @param string                    $format `table`, `json`, `csv` or `yaml`.
	 * @param array<int,array<string,mixed>> $rows   Rows.
	 * @param string[]                  $fields Names of the columns.
	 */
	public static function show( $format, $rows, $fields ) {
		$formula = '/^(?:[=+\-@\t\r\n]|\xEF\xBC[\x9D\x8B\x8D\xA0])/';
		foreach ( 'csv' === $format ? $rows : array() as $index => $row ) {
			foreach ( $row as $name => $value ) {
				$rows[ $index ][ $name ] = is_string( $value ) && preg_match( $formula, $value ) ? "'$value" : $value;
			}
		}
		WP_CLI\Utils\format_items( $format, $rows, $fields );
	}

	/** Takes the role of an administrator if no user was given with `--user`. */
	public static function become_administrator() {
		if ( 0 === get_current_user_id() ) {
			wp_set_current_user( Imagewright_Access::administrator() );
		}
	}
}
