<?php
/**
 * Queries of the database.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Base of the queries over the library. Its parts of SQL stay within the classes that extend it.
 */
abstract class Imagewright_Query {

	/**
	 * Returns the name of the plugin's table on this site.
	 *
	 * @return string
	 */
	public static function table() {
		global $wpdb;
		return $wpdb->prefix . 'imagewright';
	}

	/**
	 * Reads rows.
	 *
	 * @param string $sql Prepared query.
	 * @return array<int,array<string,string>>
	 */
	protected function select( $sql ) {
		global $wpdb;
		return (array) $wpdb->get_results( $sql, ARRAY_A ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by the callers.
	}

	/**
	 * Reads the numbers of a column.
	 *
	 * @param string $sql Prepared query of one column.
	 * @return int[]
	 */
	protected function numbers( $sql ) {
		global $wpdb;
		return array_map( 'intval', $wpdb->get_col( $sql ) ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by the callers.
	}

	/**
	 * Reads one number.
	 *
	 * @param string $sql Prepared query.
	 * @return int
	 */
	protected function number( $sql ) {
		global $wpdb;
		return (int) $wpdb->get_var( $sql ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by the callers.
	}

	/**
	 * Selects rows whose attachments have a record, and so optimized files.
	 *
	 * @param string $name Name of the table in the query.
	 * @return string Condition.
	 */
	protected function with_record( $name ) {
		return "( $name.status IN ('done','changing','outdated','stale') OR ( $name.status = 'offloaded' AND $name.bytes_before > 0 ) )";
	}

	/**
	 * Joins the attachments with their rows.
	 *
	 * @return string
	 */
	protected function from() {
		global $wpdb;
		return "FROM $wpdb->posts p LEFT JOIN " . self::table() . ' i ON i.attachment_id = p.ID';
	}

	/**
	 * Selects images in formats of the service.
	 *
	 * @param bool $own    True to leave out images that the current user may not change.
	 * @param bool $shared True to list all attachments of a file, not the leading one alone.
	 * @return string
	 */
	protected function images( $own = true, $shared = false ) {
		return " WHERE p.post_type = 'attachment' AND p.post_status = 'inherit' AND p.post_mime_type IN (" . $this->types() . ')'
			. ( $shared ? '' : " AND ( i.status IS NULL OR i.status <> 'shared' )" ) . ( $own ? $this->own() : '' );
	}

	/**
	 * Returns the accepted types for a list in SQL.
	 *
	 * @return string
	 */
	protected function types() {
		return "'" . implode( "','", Imagewright_Contract::INPUT_TYPES ) . "'";
	}

	/**
	 * Leaves out images of others if the current user may change only their own.
	 *
	 * @return string
	 */
	protected function own() {
		global $wpdb;
		$type = get_post_type_object( 'attachment' );
		return current_user_can( $type->cap->edit_others_posts ) ? '' : $wpdb->prepare( ' AND p.post_author = %d', get_current_user_id() );
	}

	/**
	 * Restricts to chosen attachments.
	 *
	 * @param int[] $ids Attachments; empty for all.
	 * @return string
	 */
	protected function within( $ids ) {
		return $ids ? ' AND p.ID IN (' . implode( ',', array_map( 'intval', $ids ) ) . ')' : '';
	}

	/**
	 * Selects the images that an earlier attempt with these settings did not make smaller, those that no setting helps, and in
	 * runs over the library those that are too small.
	 *
	 * @param string   $settings Of Imagewright_Eligibility::settings().
	 * @param int|null $least    Bytes below which files are excluded; null for chosen images.
	 * @return string
	 */
	protected function left( $settings, $least ) {
		global $wpdb;
		$small = null === $least ? '' : $wpdb->prepare( " OR ( i.status = 'excluded' AND i.settings = %s )", (string) $least );
		return $wpdb->prepare( "( i.status IN ('unfit','offloaded') OR ( i.status = 'no_gain' AND i.settings = %s )", $settings ) . "$small )";
	}

	/**
	 * Reads numbers of images and their bytes by group.
	 *
	 * @param string $sql Prepared query of `k` (group), `n`, `b` and `a` (bytes before and after).
	 * @return array<int|string,array{n:int,before:int,after:int}>
	 */
	protected function sums( $sql ) {
		$found = array();
		foreach ( $this->select( $sql ) as $row ) {
			$found[ $row['k'] ] = array(
				'n'      => (int) $row['n'],
				'before' => (int) $row['b'],
				'after'  => (int) $row['a'],
			);
		}
		return $found;
	}
}
