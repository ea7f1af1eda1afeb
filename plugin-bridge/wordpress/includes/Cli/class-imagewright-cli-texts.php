<?php
/**
 * Commands of WP-CLI for texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Describes images without an alternative text, and audits the texts of the site.
 */
class Imagewright_Cli_Texts {

	/** Images that are read at once. */
	const BATCH = 100;

	/** Statuses of errors after which no other image can be described either. */
	const ENDS = array( 0, 402, 403, 408, 424, 429, 502, 503, 504, 507 );

	/**
	 * Describes images that have no alternative text. What was interrupted is continued by the same command.
	 *
	 * ## OPTIONS
	 *
	 * [<id>...]
	 * : Attachments. Default: all without a text.
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
	public function describe( $args, $options ) {
		Imagewright_Cli::become_administrator();
		if ( ! Imagewright_Vision::exists() ) {
			WP_CLI::error( Imagewright_Vision::refusal()->get_error_message() );
		}
		$ids   = array_map( 'intval', $args );
		$count = count( Imagewright_Candidates::without_text( $ids ) );
		$price = Imagewright_Service::json(
			'POST',
			'/v1/credits/check',
			array(
				'imageCount' => $count,
				'operation'  => 'analyze',
			)
		);
		if ( is_wp_error( $price ) ) {
			WP_CLI::error( $price->get_error_message() );
		}
		if ( ! empty( $options['dry-run'] ) ) {
			self::show(
				$options,
				array(
					'images'  => $count,
					'credits' => (int) $price['cost'],
				)
			);
			return;
		}
		self::show( $options, self::describe_all( $ids, $count ) );
	}

	/**
	 * Finds images whose alternative text is missing, looks like a file name or is that of others, and linked images without a text.
	 *
	 * ## OPTIONS
	 *
	 * [--problem=<problem>]
	 * : Only `missing`, `file_name`, `duplicate` or `linked_empty`.
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
	public function audit( $args, $options ) {
		Imagewright_Cli::become_administrator();
		$wanted = (string) ( $options['problem'] ?? '' );
		if ( '' !== $wanted && ! in_array( $wanted, Imagewright_Audit::PROBLEMS, true ) ) {
			WP_CLI::error( '--problem: expected ' . implode( ', ', Imagewright_Audit::PROBLEMS ) . ", but received $wanted" );
		}
		$found  = array();
		$cursor = '';
		do {
			$part   = Imagewright_Audit::batch( $cursor );
			$cursor = $part['cursor'];
			foreach ( $part['findings'] as $finding ) {
				if ( '' === $wanted || $wanted === $finding['problem'] ) {
					$found[] = array_diff_key( $finding, array( 'edit' => 1 ) );
				}
			}
		} while ( '' !== $cursor );
		Imagewright_Cli::show( $options['format'] ?? 'table', $found, array( 'problem', 'attachment', 'post', 'language', 'title', 'file', 'text' ) );
	}

	/**
	 * Describes images and shows the progress. Ends with an error if no other image can be described either.
	 *
	 * @param int[] $ids   Attachments; empty for all.
	 * @param int   $count Images.
	 * @return array<string,int>
	 */
	private static function describe_all( $ids, $count ) {
		$bar   = WP_CLI\Utils\make_progress_bar( 'Describing', $count );
		$sum   = array(
			'images'    => $count,
			'described' => 0,
			'failed'    => 0,
			'credits'   => 0,
		);
		$below = 0;
		do {
			$batch = Imagewright_Candidates::without_text( $ids, $below, self::BATCH );
			foreach ( $batch as $id ) {
				$found = Imagewright_Description::of( $id, Imagewright_Description::context( $id ) );
				if ( ! is_wp_error( $found ) ) {
					Imagewright_Description::save_all( $id, $found );
					++$sum['described'];
					$sum['credits'] += $found['charged'];
				} elseif ( in_array( (int) ( ( (array) $found->get_error_data() )['status'] ?? 500 ), self::ENDS, true ) ) {
					WP_CLI::error( $found->get_error_message() );
				} else {
					WP_CLI::warning( "$id " . Imagewright_Texts::title( $id ) . ': ' . $found->get_error_message() );
					++$sum['failed'];
				}
				$bar->tick();
				clean_post_cache( $id );
			}
			$below = $batch ? min( $batch ) : $below;
		} while ( $batch );
		$bar->finish();
		return $sum;
	}

	/**
	 * Shows one row.
	 *
	 * @param array             $options Options.
	 * @param array<string,int> $row     Values by name.
	 */
	private static function show( $options, $row ) {
		Imagewright_Cli::show( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
	}
}
