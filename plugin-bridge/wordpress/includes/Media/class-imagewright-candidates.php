<?php
/**
 * Images that a run can work on.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Counts and lists images by SQL, in batches by key: a library may have 50,000.
 */
class Imagewright_Candidates {

	/** Rows that are read at once to compare names. */
	const PAGE = 5000;

	/**
	 * Counts the images of a run.
	 *
	 * @param string $kind    `optimize`, `restore` or `discard`.
	 * @param array  $options `format`, `preset`.
	 * @param int[]  $ids     Attachments; empty for all.
	 * @return int
	 */
	public static function count( $kind, $options, $ids = array() ) {
		$where = self::where( $kind, $options, $ids );
		$count = Imagewright_Index::number( 'SELECT COUNT(*) ' . self::from() . $where );
		return $count > 0 && self::excludes( $kind, $ids ) ? $count - count( self::excluded( $where ) ) : $count;
	}

	/**
	 * Counts the images of a run that have no alternative text.
	 *
	 * @param array $options `format`, `preset`.
	 * @param int[] $ids     Attachments; empty for all.
	 * @return int
	 */
	public static function count_undescribed( $options, $ids = array() ) {
		global $wpdb;
		$alt   = $wpdb->prepare( " LEFT JOIN $wpdb->postmeta a ON a.post_id = p.ID AND a.meta_key = %s AND a.meta_value <> ''", Imagewright_Texts::ALT );
		$where = self::where( 'optimize', $options, $ids ) . ' AND a.meta_id IS NULL';
		$count = Imagewright_Index::number( 'SELECT COUNT(*) ' . self::from() . $alt . $where );
		return $count > 0 && self::excludes( 'optimize', $ids ) ? $count - count( self::excluded( $where, $alt ) ) : $count;
	}

	/**
	 * Lists images of the library without an alternative text, newest first.
	 *
	 * @param int[] $ids   Attachments; empty for all.
	 * @param int   $below Lists only ids below this one; 0 for no limit.
	 * @param int   $limit Most images; 0 for all.
	 * @return int[]
	 */
	public static function without_text( $ids, $below = 0, $limit = 0 ) {
		global $wpdb;
		$alt   = $wpdb->prepare( " LEFT JOIN $wpdb->postmeta a ON a.post_id = p.ID AND a.meta_key = %s AND a.meta_value <> ''", Imagewright_Texts::ALT );
		$after = $below > 0 ? $wpdb->prepare( ' AND p.ID < %d', $below ) : '';
		$most  = $limit > 0 ? $wpdb->prepare( ' LIMIT %d', $limit ) : '';
		return array_map( 'intval', array_column( Imagewright_Index::select( 'SELECT p.ID AS id ' . self::from() . $alt . self::images() . self::within( $ids ) . " AND a.meta_id IS NULL$after ORDER BY p.ID DESC$most" ), 'id' ) );
	}

	/**
	 * Lists images of a run, newest first.
	 *
	 * @param string $kind    `optimize`, `restore` or `discard`.
	 * @param array  $options `format`, `preset`.
	 * @param int[]  $ids     Attachments; empty for all.
	 * @param int    $below   Lists only ids below this one; 0 for no limit.
	 * @param int    $limit   Most images.
	 * @return int[]
	 */
	public static function batch( $kind, $options, $ids, $below, $limit = 500 ) {
		$found    = array();
		$excludes = self::excludes( $kind, $ids );
		do {
			$rows = self::names( self::where( $kind, $options, $ids ), $below, $limit );
			foreach ( $rows as $row ) {
				$below = (int) $row['id'];
				if ( ! $excludes || ! Imagewright_Exclusions::cover_file( (string) $row['file'] ) ) {
					$found[ $below ] = $below;
				}
			}
		} while ( count( $rows ) === $limit && count( $found ) < $limit );
		return array_slice( array_values( $found ), 0, $limit );
	}

	/**
	 * Lists the images that a run leaves out, by reason: how many, and the newest.
	 *
	 * @param array $options `format`, `preset`.
	 * @param int[] $ids     Attachments; empty for all.
	 * @param int   $limit   Most examples of a reason.
	 * @return array<int,array{message:string,count:int,examples:array<int,array{id:int,title:string}>}>
	 */
	public static function left_out( $options, $ids, $limit = 5 ) {
		global $wpdb;
		$groups = array();
		$left   = ' AND ' . self::left( $options, $ids ) . self::within( $ids );
		foreach ( Imagewright_Index::select( 'SELECT i.code AS code, COUNT(*) AS n ' . self::from() . self::images() . $left . ' GROUP BY i.code' ) as $row ) {
			$found    = Imagewright_Index::select( 'SELECT p.ID AS id, i.message AS message ' . self::from() . self::images() . $left . $wpdb->prepare( ' AND i.code = %s ORDER BY p.ID DESC LIMIT %d', $row['code'], $limit ) );
			$groups[] = self::group( $found ? $found[0]['message'] : '', (int) $row['n'], wp_list_pluck( $found, 'id' ) );
		}
		$others     = " WHERE p.post_type = 'attachment' AND p.post_status = 'inherit' AND p.post_mime_type LIKE 'image/%' AND p.post_mime_type NOT IN (" . self::types() . ')' . self::own() . self::within( $ids );
		$groups[]   = self::found( __( 'The image service does not accept this format.', 'imagewright' ), $others, $limit );
		if ( self::excludes( 'optimize', $ids ) ) {
			$excluded = self::excluded( self::images() . " AND ( i.status IS NULL OR i.status <> 'done' )" );
			$groups[] = self::group( __( 'The settings exclude its name or folder.', 'imagewright' ), count( $excluded ), array_slice( $excluded, 0, $limit ) );
		}
		return array_values( array_filter( $groups, static fn( $group ) => $group['count'] > 0 ) );
	}

	/**
	 * Counts images, and lists the newest.
	 *
	 * @param string $message Reason.
	 * @param string $where   Condition.
	 * @param int    $limit   Most examples.
	 * @return array Of group().
	 */
	private static function found( $message, $where, $limit ) {
		global $wpdb;
		$count  = Imagewright_Index::number( 'SELECT COUNT(*) ' . self::from() . $where );
		$newest = $count > 0 ? array_column( Imagewright_Index::select( 'SELECT p.ID AS id ' . self::from() . $where . $wpdb->prepare( ' ORDER BY p.ID DESC LIMIT %d', $limit ) ), 'id' ) : array();
		return self::group( $message, $count, $newest );
	}

	/**
	 * Counts all images that the service accepts, those that are optimized and those that wait, and adds up what pages show.
	 *
	 * @return array{total:int,optimized:int,waiting:int,before:int,after:int}
	 */
	public static function overview() {
		global $wpdb;
		$status = Imagewright_Index::counts( 'status' );
		$tasks  = array_diff_key( Imagewright_Index::counts( 'task' ), array( '' => 1 ) );
		return array(
			'total'     => Imagewright_Index::number( "SELECT COUNT(*) FROM $wpdb->posts p" . self::images( false ) ),
			'optimized' => $status['done']['n'] ?? 0,
			'waiting'   => (int) array_sum( array_column( $tasks, 'n' ) ),
			'before'    => $status['done']['before'] ?? 0,
			'after'     => $status['done']['after'] ?? 0,
		);
	}

	/**
	 * Builds a group of left_out().
	 *
	 * @param string $message Reason.
	 * @param int    $count   Images.
	 * @param int[]  $ids     Examples.
	 * @return array
	 */
	private static function group( $message, $count, $ids ) {
		$examples = array();
		foreach ( array_map( 'intval', $ids ) as $id ) {
			$examples[] = array(
				'id'    => $id,
				'title' => Imagewright_Texts::title( $id ),
			);
		}
		return compact( 'message', 'count', 'examples' );
	}

	/**
	 * Joins the attachments with their rows.
	 *
	 * @return string
	 */
	private static function from() {
		global $wpdb;
		return "FROM $wpdb->posts p LEFT JOIN " . Imagewright_Index::table() . ' i ON i.attachment_id = p.ID';
	}

	/**
	 * Selects images in formats of the service.
	 *
	 * @param bool $own True to leave out images that the current user may not change.
	 * @return string
	 */
	private static function images( $own = true ) {
		return " WHERE p.post_type = 'attachment' AND p.post_status = 'inherit' AND p.post_mime_type IN (" . self::types() . ')' . ( $own ? self::own() : '' );
	}

	/**
	 * Returns the accepted types for a list in SQL.
	 *
	 * @return string
	 */
	private static function types() {
		return "'" . implode( "','", Imagewright_Contract::INPUT_TYPES ) . "'";
	}

	/**
	 * Leaves out images of others if the current user may change only their own.
	 *
	 * @return string
	 */
	private static function own() {
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
	private static function within( $ids ) {
		return $ids ? ' AND p.ID IN (' . implode( ',', array_map( 'intval', $ids ) ) . ')' : '';
	}

	/**
	 * Reads ids and names of images, newest first. Names are compared in PHP: the database takes far longer for a regular expression.
	 *
	 * @param string $where Condition.
	 * @param int    $below Lists only ids below this one; 0 for no limit.
	 * @param int    $limit Most rows.
	 * @param string $join  More tables.
	 * @return array<int,array{id:string,file:string|null}>
	 */
	private static function names( $where, $below, $limit, $join = '' ) {
		global $wpdb;
		$after = $below > 0 ? $wpdb->prepare( ' AND p.ID < %d', $below ) : '';
		$file  = $wpdb->prepare( " LEFT JOIN $wpdb->postmeta f ON f.post_id = p.ID AND f.meta_key = %s", '_wp_attached_file' );
		return Imagewright_Index::select( 'SELECT p.ID AS id, f.meta_value AS file ' . self::from() . $file . $join . $where . $after . $wpdb->prepare( ' ORDER BY p.ID DESC LIMIT %d', $limit ) );
	}

	/**
	 * Lists the images whose name or folder is excluded, newest first.
	 *
	 * @param string $where Condition.
	 * @param string $join  More tables.
	 * @return int[]
	 */
	private static function excluded( $where, $join = '' ) {
		$found = array();
		$below = 0;
		do {
			$rows = self::names( $where, $below, self::PAGE, $join );
			foreach ( $rows as $row ) {
				$below = (int) $row['id'];
				if ( Imagewright_Exclusions::cover_file( (string) $row['file'] ) ) {
					$found[ $below ] = $below;
				}
			}
		} while ( count( $rows ) === self::PAGE );
		return array_values( $found );
	}

	/**
	 * Returns true if names are excluded from a run: chosen images are not.
	 *
	 * @param string $kind `optimize`, `restore` or `discard`.
	 * @param int[]  $ids  Attachments; empty for all.
	 * @return bool
	 */
	private static function excludes( $kind, $ids ) {
		return 'optimize' === $kind && ! $ids && Imagewright_Exclusions::exist();
	}

	/**
	 * Selects the images of a run, those with excluded names too.
	 *
	 * @param string $kind    `optimize`, `restore` or `discard`.
	 * @param array  $options `format`, `preset`.
	 * @param int[]  $ids     Attachments; empty for all.
	 * @return string
	 */
	private static function where( $kind, $options, $ids ) {
		if ( 'optimize' !== $kind ) {
			// Images whose originals were deleted cannot be restored.
			$state = 'restore' === $kind ? " AND i.status IN ('done','changing') AND i.settings NOT LIKE '%" . Imagewright_Backups::GONE . "'" : " AND i.status = 'done' AND i.settings LIKE '%replace'";
			return self::images() . self::within( $ids ) . $state;
		}
		return self::images() . self::within( $ids ) . ' AND ( i.attachment_id IS NULL OR ( i.status <> \'done\' AND NOT ' . self::left( $options, $ids ) . ' ) )';
	}

	/**
	 * Selects the images that an earlier attempt with these settings did not make smaller, those that no setting helps, and in
	 * runs over the library those that are too small.
	 *
	 * @param array $options `format`, `preset`.
	 * @param int[] $ids     Attachments; empty for all.
	 * @return string
	 */
	private static function left( $options, $ids ) {
		global $wpdb;
		$small = $ids ? '' : $wpdb->prepare( " OR ( i.status = 'excluded' AND i.settings = %s )", (string) Imagewright_Exclusions::least_bytes() );
		return $wpdb->prepare( "( i.status = 'unfit' OR ( i.status = 'no_gain' AND i.settings = %s )", Imagewright_Eligibility::settings( $options ) ) . "$small )";
	}
}
