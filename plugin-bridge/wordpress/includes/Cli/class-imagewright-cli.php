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

	/** Schedule of the queue and of the nightly check. */
	private Imagewright_Schedule $schedule;
	/** Lists of the media library. */
	private Imagewright_Library $library;
	/** Service. */
	private Imagewright_Service $service;
	/** Queue of tasks. */
	private Imagewright_Queue $queue;
	/** Output of commands. */
	private Imagewright_Cli_Texts $cli_texts;
	/** Images that a run can work on. */
	private Imagewright_Candidates $candidates;
	/** Bulk runs. */
	private Imagewright_Runs $runs;
	/** Worker of the queue. */
	private Imagewright_Worker $worker;
	/** Settings. */
	private Imagewright_Options $options;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Schedule   $schedule   Schedule of the queue and of the nightly check.
	 * @param Imagewright_Library    $library    Lists of the media library.
	 * @param Imagewright_Service    $service    Service.
	 * @param Imagewright_Queue      $queue      Queue of tasks.
	 * @param Imagewright_Cli_Texts  $cli_texts  Output of commands.
	 * @param Imagewright_Candidates $candidates Images that a run can work on.
	 * @param Imagewright_Runs       $runs       Bulk runs.
	 * @param Imagewright_Worker     $worker     Worker of the queue.
	 * @param Imagewright_Options    $options    Settings.
	 */
	public function __construct(
		Imagewright_Schedule $schedule,
		Imagewright_Library $library,
		Imagewright_Service $service,
		Imagewright_Queue $queue,
		Imagewright_Cli_Texts $cli_texts,
		Imagewright_Candidates $candidates,
		Imagewright_Runs $runs,
		Imagewright_Worker $worker,
		Imagewright_Options $options
	) {
		$this->schedule   = $schedule;
		$this->library    = $library;
		$this->service    = $service;
		$this->queue      = $queue;
		$this->cli_texts  = $cli_texts;
		$this->candidates = $candidates;
		$this->runs       = $runs;
		$this->worker     = $worker;
		$this->options    = $options;
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
		$this->schedule->check( 5000, 10 );
		$overview = $this->library->of_library();
		$balance  = $this->service->json( 'GET', '/v1/credits/balance' );
		$pause    = $this->queue->paused_until() ? $this->queue->paused() : array();
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
		$this->cli_texts->print_rows( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
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
		$this->cli_texts->become_administrator();
		$wanted = $this->settings( $options );
		$ids    = array_map( 'intval', $args );
		if ( 'optimize' === $kind && $wanted['fillText'] && ! $this->service->has_model() ) {
			WP_CLI::warning( $this->service->no_model()->get_error_message() );
		}
		if ( ! empty( $options['dry-run'] ) ) {
			$this->schedule->check( 5000, 10 );
			$count = $this->candidates->count( $kind, $wanted, $ids );
			$row   = array(
				'images'  => $count,
				'credits' => 'optimize' === $kind ? $count - $this->candidates->repairs( $ids ) : 0,
			);
			$this->cli_texts->print_rows( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
			return;
		}
		if ( 'optimize' === $kind && ! $this->options->is_ready() ) {
			WP_CLI::error( $this->options->not_ready() );
		}
		$run = $this->runs->current();
		if ( $run && 'done' !== $run['state'] && $run['kind'] === $kind && ! $ids && $run['options'] === $wanted ) {
			$run = $this->runs->set_state( 'running' );
		} else {
			$run = $this->runs->start( $kind, $ids, $wanted );
		}
		$run = $this->follow( $run );
		$this->report( $run, $options );
	}

	/**
	 * Works on a run and shows its progress.
	 *
	 * @param array $run Run.
	 * @return array The ended run.
	 */
	private function follow( $run ) {
		$bar  = WP_CLI\Utils\make_progress_bar( 'optimize' === $run['kind'] ? 'Optimizing' : 'Restoring', $run['total'] );
		$seen = 0;
		$told = '';
		while ( $run && 'running' === $run['state'] ) {
			$worked = $this->worker->run( self::SECONDS );
			$run    = $this->runs->current();
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
	 * Shows how a run ended. Ends with an error if it was stopped or every image failed.
	 *
	 * @param array $run     Run.
	 * @param array $options Options.
	 */
	private function report( $run, $options ) {
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
		$this->cli_texts->print_rows( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
		if ( 'done' !== $run['state'] ) {
			WP_CLI::error( $run['reason']['message'] ?? __( 'Stopped.', 'imagewright' ) );
		}
		if ( $run['failedCount'] > 0 && 0 === $run['done'] + $run['noGain'] ) {
			WP_CLI::halt( 1 );
		}
	}

	/**
	 * Reads and checks the settings of a run.
	 *
	 * @param array $options Options.
	 * @return array `format`, `preset`, `fillText`.
	 */
	private function settings( $options ) {
		$all    = $this->options->all();
		$format = $options['to'] ?? $all['format'];
		$preset = $options['quality'] ?? $all['preset'];
		foreach ( array( array( 'to', $format, $this->options->formats() ), array( 'quality', $preset, Imagewright_Contract::PRESETS ) ) as list( $name, $value, $known ) ) {
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
}
