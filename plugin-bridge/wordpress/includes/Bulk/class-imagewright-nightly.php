<?php
/**
 * Nightly check of states.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Compares states with files each night, a sample at a time, those first that were not compared for longest. Corrects what is wrong,
 * and says so in Site Health.
 */
class Imagewright_Nightly {

	const HOOK = 'imagewright_check';

	/** Option: `at` (Unix time), `checked`, `wrong`. */
	const OPTION = 'imagewright_checked';

	/** Attachments of a night. */
	const SAMPLE = 200;

	/** Longest time of a check, in seconds. */
	const SECONDS = 20;

	/** Attachments that are read at once. */
	const BATCH = 50;

	/** Registers the hooks. */
	public static function register() {
		add_action( self::HOOK, array( __CLASS__, 'run' ) );
		add_filter( 'site_status_tests', array( __CLASS__, 'tests' ) );
	}

	/** Plans the check of each night. */
	public static function plan() {
		if ( ! wp_next_scheduled( self::HOOK ) ) {
			wp_schedule_event( time() + HOUR_IN_SECONDS, 'daily', self::HOOK );
		}
	}

	/** Stops the checks. */
	public static function clear() {
		wp_clear_scheduled_hook( self::HOOK );
	}

	/** Checks a sample. If a state was wrong, many may be: another sample follows at once, as long as there is time. */
	public static function run() {
		Imagewright_Shared::gather_all();
		$until = microtime( true ) + self::SECONDS;
		$sum   = array(
			'at'      => time(),
			'checked' => 0,
			'wrong'   => 0,
		);
		do {
			$found           = self::check( self::SAMPLE, max( 0.1, $until - microtime( true ) ), $sum['at'] + 1 );
			$sum['checked'] += $found['checked'];
			$sum['wrong']   += $found['wrong'];
		} while ( $found['wrong'] > 0 && self::SAMPLE === $found['checked'] && microtime( true ) < $until );
		update_option( self::OPTION, $sum, false );
	}

	/**
	 * Compares states with files.
	 *
	 * @param int   $limit   Most attachments.
	 * @param float $seconds Longest time.
	 * @param int   $before  Only those that were last compared before this time; 0 for all.
	 * @return array{checked:int,wrong:int}
	 */
	public static function check( $limit, $seconds, $before = 0 ) {
		$until   = microtime( true ) + $seconds;
		$checked = 0;
		$wrong   = 0;
		$seen    = array();
		while ( $checked < $limit && microtime( true ) < $until ) {
			$ids = array_diff( self::next( min( self::BATCH, $limit - $checked ), $before > 0 ? $before : time() + 1 ), $seen );
			if ( ! $ids ) {
				break;
			}
			$seen = array_merge( $seen, $ids );
			_prime_post_caches( $ids, false, true );
			foreach ( $ids as $id ) {
				if ( microtime( true ) > $until ) {
					break;
				}
				$wrong += '' === Imagewright_Truth::correct( $id ) ? 0 : 1;
				++$checked;
			}
		}
		return compact( 'checked', 'wrong' );
	}

	/**
	 * Lists the next attachments to compare: those with optimized files, and those that another host served. Where pages may get files
	 * from another host, also images that nothing is known of.
	 *
	 * @param int $limit  Most attachments.
	 * @param int $before Unix time.
	 * @return int[]
	 */
	private static function next( $limit, $before ) {
		global $wpdb;
		$table = Imagewright_Index::table();
		$ids   = array_column( Imagewright_Index::select( $wpdb->prepare( "SELECT i.attachment_id AS id FROM $table i WHERE i.checked < %d AND ( i.status = 'offloaded' OR " . Imagewright_Index::with_record( 'i' ) . ' ) ORDER BY i.checked, i.attachment_id LIMIT %d', $before, $limit ) ), 'id' ); // phpcs:ignore WordPress.DB.PreparedSQL -- name of a table.
		if ( count( $ids ) < $limit && has_filter( 'wp_get_attachment_url' ) ) {
			$types = "'" . implode( "','", Imagewright_Contract::INPUT_TYPES ) . "'";
			$ids   = array_merge( $ids, array_column( Imagewright_Index::select( $wpdb->prepare( "SELECT p.ID AS id FROM $wpdb->posts p LEFT JOIN $table i ON i.attachment_id = p.ID WHERE p.post_type = 'attachment' AND p.post_status = 'inherit' AND p.post_mime_type IN ($types) AND i.attachment_id IS NULL ORDER BY p.ID DESC LIMIT %d", $limit - count( $ids ) ) ), 'id' ) ); // phpcs:ignore WordPress.DB.PreparedSQL -- names of tables and types.
		}
		return array_map( 'intval', $ids );
	}

	/**
	 * Adds the test to Site Health.
	 *
	 * @param array $tests Tests.
	 * @return array
	 */
	public static function tests( $tests ) {
		$tests['direct']['imagewright'] = array(
			'label' => __( 'Optimized images', 'imagewright' ),
			'test'  => array( __CLASS__, 'report' ),
		);
		return $tests;
	}

	/**
	 * Tells Site Health whether pages get the optimized files.
	 *
	 * @return array
	 */
	public static function report() {
		$last     = (array) get_option( self::OPTION, array() ) + array(
			'at'      => 0,
			'checked' => 0,
			'wrong'   => 0,
		);
		$overview = Imagewright_Overview::of_library();
		$lines    = array();
		if ( $last['at'] > 0 ) {
			/* translators: 1: date, 2: number of images, 3: number of images */
			$lines[] = sprintf( __( 'Last check: %1$s. Compared with their files: %2$s. Corrected: %3$s.', 'imagewright' ), wp_date( get_option( 'date_format' ), $last['at'] ), number_format_i18n( $last['checked'] ), number_format_i18n( $last['wrong'] ) );
		}
		if ( $overview['outdated'] > 0 ) {
			/* translators: %s: number of images */
			$lines[] = sprintf( __( 'Outdated: %s. Pages show WordPress\'s own files of these images, since thumbnails were made again or files were copied. A run over the library puts them right.', 'imagewright' ), number_format_i18n( $overview['outdated'] ) );
		}
		if ( $overview['offloaded'] > 0 ) {
			/* translators: %s: number of images */
			$lines[] = sprintf( __( 'Offloaded: %s. Pages get these images from another host, and they are left out.', 'imagewright' ), number_format_i18n( $overview['offloaded'] ) );
		}
		$is_good = 0 === $overview['outdated'];
		return array(
			'label'       => $is_good ? __( 'Pages get the optimized images', 'imagewright' ) : __( 'Pages do not get all optimized images', 'imagewright' ),
			'status'      => $is_good ? 'good' : 'recommended',
			'badge'       => array(
				'label' => __( 'Performance', 'imagewright' ),
				'color' => 'blue',
			),
			'description' => '<p>' . implode( '</p><p>', array_map( 'esc_html', $lines ) ) . '</p>',
			'actions'     => $is_good ? '' : '<p><a href="' . esc_url( Imagewright_Optimize_Page::url() ) . '">' . esc_html__( 'Optimize images', 'imagewright' ) . '</a></p>',
			'test'        => 'imagewright',
		);
	}
}
