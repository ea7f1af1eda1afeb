<?php
/**
 * Commands of WP-CLI for texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Describes images without an alternative text, and audits the texts of the site. WP-CLI gets single methods of it, and each public method
 * of Imagewright_Cli: so what both need to print results is here.
 */
class Imagewright_Cli_Texts {

	/** Images that are read at once. */
	const BATCH = 100;

	/** Statuses of errors after which no other image can be described either. */
	const ENDS = array( 0, 402, 403, 408, 424, 429, 502, 503, 504, 507 );

	/** Service. */
	private Imagewright_Service $service;
	/** Images that a run can work on. */
	private Imagewright_Candidates $candidates;
	/** Audit of the texts of a site. */
	private Imagewright_Audit $audit;
	/** Description of one image. */
	private Imagewright_Description $description;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** Permissions of users. */
	private Imagewright_Access $access;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Service     $service     Service.
	 * @param Imagewright_Candidates  $candidates  Images that a run can work on.
	 * @param Imagewright_Audit       $audit       Audit of the texts of a site.
	 * @param Imagewright_Description $description Description of one image.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Access      $access      Permissions of users.
	 */
	public function __construct(
		Imagewright_Service $service,
		Imagewright_Candidates $candidates,
		Imagewright_Audit $audit,
		Imagewright_Description $description,
		Imagewright_Texts $texts,
		Imagewright_Access $access
	) {
		$this->service     = $service;
		$this->candidates  = $candidates;
		$this->audit       = $audit;
		$this->description = $description;
		$this->texts       = $texts;
		$this->access      = $access;
	}

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
		$this->become_administrator();
		if ( ! $this->service->has_model() ) {
			WP_CLI::error( $this->service->no_model()->get_error_message() );
		}
		$ids   = array_map( 'intval', $args );
		$count = count( $this->candidates->without_text( $ids ) );
		$price = $this->service->json(
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
			$this->show(
				$options,
				array(
					'images'  => $count,
					'credits' => (int) $price['cost'],
				)
			);
			return;
		}
		$this->show( $options, $this->describe_all( $ids, $count ) );
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
		$this->become_administrator();
		$wanted = (string) ( $options['problem'] ?? '' );
		if ( '' !== $wanted && ! in_array( $wanted, Imagewright_Audit::PROBLEMS, true ) ) {
			WP_CLI::error( '--problem: expected ' . implode( ', ', Imagewright_Audit::PROBLEMS ) . ", but received $wanted" );
		}
		$found  = array();
		$cursor = '';
		do {
			$part   = $this->audit->batch( $cursor );
			$cursor = $part['cursor'];
			foreach ( $part['findings'] as $finding ) {
				if ( '' === $wanted || $wanted === $finding['problem'] ) {
					$found[] = array_diff_key( $finding, array( 'edit' => 1 ) );
				}
			}
		} while ( '' !== $cursor );
		$this->print_rows( $options['format'] ?? 'table', $found, array( 'problem', 'attachment', 'post', 'language', 'title', 'file', 'text' ) );
	}

	/**
	 * Describes images and shows the progress. Ends with an error if no other image can be described either.
	 *
	 * @param int[] $ids   Attachments; empty for all.
	 * @param int   $count Images.
	 * @return array<string,int>
	 */
	private function describe_all( $ids, $count ) {
		$bar   = WP_CLI\Utils\make_progress_bar( 'Describing', $count );
		$sum   = array(
			'images'    => $count,
			'described' => 0,
			'failed'    => 0,
			'credits'   => 0,
		);
		$below = 0;
		do {
			$batch = $this->candidates->without_text( $ids, $below, self::BATCH );
			foreach ( $batch as $id ) {
				$found = $this->description->of( $id, $this->description->context( $id ) );
				if ( ! is_wp_error( $found ) ) {
					$this->description->save_all( $id, $found );
					++$sum['described'];
					$sum['credits'] += $found['charged'];
				} elseif ( in_array( (int) ( ( (array) $found->get_error_data() )['status'] ?? 500 ), self::ENDS, true ) ) {
					WP_CLI::error( $found->get_error_message() );
				} else {
					WP_CLI::warning( "$id " . $this->texts->title( $id ) . ': ' . $found->get_error_message() );
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
	private function show( $options, $row ) {
		$this->print_rows( $options['format'] ?? 'table', array( $row ), array_keys( $row ) );
	}

	/**
	 * Prints rows. In CSV, a text that a spreadsheet would run as a formula gets an apostrophe, also one with full-width signs.
	 *
	 * @param string                    $format `table`, `json`, `csv` or `yaml`.
	 * @param array<int,array<string,mixed>> $rows   Rows.
	 * @param string[]                  $fields Names of the columns.
	 */
	public function print_rows( $format, $rows, $fields ) {
		$formula = '/^(?:[=+\-@\t\r\n]|\xEF\xBC[\x9D\x8B\x8D\xA0])/';
		foreach ( 'csv' === $format ? $rows : array() as $index => $row ) {
			foreach ( $row as $name => $value ) {
				$rows[ $index ][ $name ] = is_string( $value ) && preg_match( $formula, $value ) ? "'$value" : $value;
			}
		}
		WP_CLI\Utils\format_items( $format, $rows, $fields );
	}

	/** Takes the role of an administrator if no user was given with `--user`. */
	public function become_administrator() {
		if ( 0 === get_current_user_id() ) {
			wp_set_current_user( $this->access->administrator() );
		}
	}
}
