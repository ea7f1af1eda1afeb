<?php
/**
 * Overview of the library.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Counts the images of the library by their states, for pages, commands and Site Health.
 */
class Imagewright_Overview {

	/**
	 * Counts all images that the service accepts, those that are optimized and those that wait, and adds up what pages show.
	 *
	 * @return array{total:int,optimized:int,waiting:int,outdated:int,offloaded:int,shared:int,before:int,after:int} Pictures; `shared` counts
	 *     the further attachments of files.
	 */
	public static function of_library() {
		global $wpdb;
		$status = Imagewright_Index::counts( 'status' );
		$tasks  = array_diff_key( Imagewright_Index::counts( 'task' ), array( '' => 1 ) );
		$shared = $status['shared']['n'] ?? 0;
		return array(
			'total'     => max( 0, Imagewright_Index::number( "SELECT COUNT(*) FROM $wpdb->posts WHERE post_type = 'attachment' AND post_status = 'inherit' AND post_mime_type IN (" . Imagewright_Candidates::types() . ')' ) - $shared ),
			'optimized' => $status['done']['n'] ?? 0,
			'outdated'  => ( $status['outdated']['n'] ?? 0 ) + ( $status['stale']['n'] ?? 0 ),
			'offloaded' => $status['offloaded']['n'] ?? 0,
			'shared'    => $shared,
			'waiting'   => (int) array_sum( array_column( $tasks, 'n' ) ),
			'before'    => $status['done']['before'] ?? 0,
			'after'     => $status['done']['after'] ?? 0,
		);
	}

	/**
	 * Counts the images of a run that only get their delivery back, without an export: their optimized files exist.
	 *
	 * @param int[] $ids Attachments; empty for all.
	 * @return int
	 */
	public static function repairs( $ids ) {
		return Imagewright_Index::number( 'SELECT COUNT(*) ' . Imagewright_Candidates::from() . Imagewright_Candidates::images() . Imagewright_Candidates::within( Imagewright_Shared::leads( $ids ) ) . " AND i.status = 'outdated'" );
	}
}
