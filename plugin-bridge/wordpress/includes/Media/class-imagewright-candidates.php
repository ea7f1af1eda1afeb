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

	const PAGE = 5000;

	/**
	 * Counts the images of a run.
	 *
	 * @param string $kind        `optimize`, `restore` or `discard`.
	 * @param array  $options     `format`, `preset`.
	 * @param int[]  $ids         Attachments; empty for all.
	 * @param bool   $undescribed True to count only those without an alternative text.
	 * @return int
	 */
	public static function count( $kind, $options, $ids = array(), $undescribed = false ) {
		$ids  = Imagewright_Shared::leads( $ids );
		$alt  = $undescribed ? self::alt() : '';
		// Images that need no export are not described.
		$lack = $undescribed ? " AND a.meta_id IS NULL AND ( i.status IS NULL OR i.status <> 'outdated' )" : '';
		if ( self::excludes( $kind, $ids ) ) {
			return self::sift( $options, $alt, $lack )['count'];
		}
		return Imagewright_Index::number( 'SELECT COUNT(*) ' . self::from() . $alt . self::where( $kind, $options, $ids ) . $lack );
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
		$after = $below > 0 ? $wpdb->prepare( ' AND p.ID < %d', $below ) : '';
		$most  = $limit > 0 ? $wpdb->prepare( ' LIMIT %d', $limit ) : '';
		return array_map( 'intval', array_column( Imagewright_Index::select( 'SELECT p.ID AS id ' . self::from() . self::alt() . self::images( true, true ) . self::within( $ids ) . " AND a.meta_id IS NULL$after ORDER BY p.ID DESC$most" ), 'id' ) );
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
		$ids      = Imagewright_Shared::leads( $ids );
		$excludes = self::excludes( $kind, $ids );
		do {
			$rows = self::page( $excludes, self::where( $kind, $options, $ids ), $below, $limit );
			foreach ( $rows as $row ) {
				$below = (int) $row['id'];
				if ( ! $excludes || 'outdated' === $row['status'] || ! Imagewright_Exclusions::cover_file( (string) $row['file'] ) ) {
					$found[ $below ] = $below;
				}
			}
		} while ( count( $rows ) === $limit && count( $found ) < $limit );
		return array_slice( array_values( $found ), 0, $limit );
	}

	/**
	 * Counts the images of a run, and lists those that it leaves out.
	 *
	 * @param array $options `format`, `preset`.
	 * @param int[] $ids     Attachments; empty for all.
	 * @return array{images:int,repairs:int,leftOut:array<int,array>} `repairs` of the images need no export; `leftOut` is of left_out().
	 */
	public static function preview( $options, $ids ) {
		$ids    = Imagewright_Shared::leads( $ids );
		$sifted = self::excludes( 'optimize', $ids ) ? self::sift( $options ) : null;
		return array(
			'images'  => $sifted ? $sifted['count'] : self::count( 'optimize', $options, $ids ),
			'repairs' => Imagewright_Overview::repairs( $ids ),
			'leftOut' => self::left_out( $options, $ids, $sifted ? $sifted['excluded'] : array() ),
		);
	}

	/**
	 * Lists the images that a run leaves out, by reason: how many, and the newest.
	 *
	 * @param array $options  `format`, `preset`.
	 * @param int[] $ids      Attachments; empty for all.
	 * @param int[] $excluded Images whose names are excluded, newest first.
	 * @param int   $limit    Most examples of a reason.
	 * @return array<int,array{message:string,count:int,examples:array<int,array{id:int,title:string}>}>
	 */
	private static function left_out( $options, $ids, $excluded, $limit = 5 ) {
		global $wpdb;
		$groups = array();
		$left   = self::images() . ' AND ' . self::left( $options, $ids ) . self::within( $ids );
		foreach ( Imagewright_Index::select( 'SELECT i.code AS code, COUNT(*) AS n ' . self::from() . $left . ' GROUP BY i.code' ) as $row ) {
			$found    = Imagewright_Index::select( 'SELECT p.ID AS id, i.message AS message ' . self::from() . $left . $wpdb->prepare( ' AND i.code = %s ORDER BY p.ID DESC LIMIT %d', $row['code'], $limit ) );
			$groups[] = self::group( $found ? $found[0]['message'] : '', (int) $row['n'], wp_list_pluck( $found, 'id' ) );
		}
		$others   = " WHERE p.post_type = 'attachment' AND p.post_status = 'inherit' AND p.post_mime_type LIKE 'image/%' AND p.post_mime_type NOT IN (" . self::types() . ')' . self::own();
		$shared   = self::images( true, true ) . " AND i.status = 'shared'";
		$groups[] = self::group( __( 'The image service does not accept this format.', 'imagewright' ), ...self::newest( $others . self::within( $ids ), $limit ) );
		$groups[] = self::group( __( 'The settings exclude its name or folder.', 'imagewright' ), count( $excluded ), array_slice( $excluded, 0, $limit ) );
		$groups[] = self::group( __( 'Another entry of the library has the same file. Both are one picture, which is optimized and paid for once.', 'imagewright' ), ...self::newest( $shared . self::within( $ids ), $limit ) );
		return array_values( array_filter( $groups, static fn( $group ) => $group['count'] > 0 ) );
	}

	/**
	 * Counts images, and lists the newest.
	 *
	 * @param string $where Condition.
	 * @param int    $limit Most images.
	 * @return array{0:int,1:int[]} Count, attachments.
	 */
	private static function newest( $where, $limit ) {
		$count = Imagewright_Index::number( 'SELECT COUNT(*) ' . self::from() . $where );
		return array( $count, $count > 0 ? array_column( Imagewright_Index::select( 'SELECT p.ID AS id ' . self::from() . $where . ' ORDER BY p.ID DESC LIMIT ' . (int) $limit ), 'id' ) : array() );
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
	public static function from() {
		global $wpdb;
		return "FROM $wpdb->posts p LEFT JOIN " . Imagewright_Index::table() . ' i ON i.attachment_id = p.ID';
	}

	/**
	 * Joins the alternative texts.
	 *
	 * @return string
	 */
	private static function alt() {
		global $wpdb;
		return $wpdb->prepare( " LEFT JOIN $wpdb->postmeta a ON a.post_id = p.ID AND a.meta_key = %s AND a.meta_value <> ''", Imagewright_Texts::ALT );
	}

	/**
	 * Selects images in formats of the service.
	 *
	 * @param bool $own    True to leave out images that the current user may not change.
	 * @param bool $shared True to list all attachments of a file, not the leading one alone.
	 * @return string
	 */
	public static function images( $own = true, $shared = false ) {
		return " WHERE p.post_type = 'attachment' AND p.post_status = 'inherit' AND p.post_mime_type IN (" . self::types() . ')'
			. ( $shared ? '' : " AND ( i.status IS NULL OR i.status <> 'shared' )" ) . ( $own ? self::own() : '' );
	}

	/**
	 * Returns the accepted types for a list in SQL.
	 *
	 * @return string
	 */
	public static function types() {
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
	public static function within( $ids ) {
		return $ids ? ' AND p.ID IN (' . implode( ',', array_map( 'intval', $ids ) ) . ')' : '';
	}

	/**
	 * Reads a page of images, newest first.
	 *
	 * @param bool   $named True to read their names.
	 * @param string $where Condition.
	 * @param int    $below Lists only ids below this one; 0 for no limit.
	 * @param int    $limit Most rows.
	 * @param string $left  Condition whose truth is read as `left_out`.
	 * @param string $join  More tables.
	 * @return array<int,array{id:string,file:string|null,left_out:string|null,status:string|null}>
	 */
	private static function page( $named, $where, $below, $limit, $left = '0', $join = '' ) {
		global $wpdb;
		$after = $below > 0 ? $wpdb->prepare( ' AND p.ID < %d', $below ) : '';
		$file  = $named ? 'f.meta_value' : "''";
		$join .= $named ? " LEFT JOIN $wpdb->postmeta f ON f.post_id = p.ID AND f.meta_key = '_wp_attached_file'" : '';
		return Imagewright_Index::select( "SELECT p.ID AS id, $file AS file, $left AS left_out, i.status AS status " . self::from() . $join . $where . $after . $wpdb->prepare( ' ORDER BY p.ID DESC LIMIT %d', $limit ) );
	}

	/**
	 * Counts the images of a run over the library, and lists those whose name or folder is excluded, newest first, in one reading. Names
	 * are compared in PHP: the database takes far longer for a regular expression.
	 *
	 * @param array  $options `format`, `preset`.
	 * @param string $join    More tables.
	 * @param string $more    More conditions.
	 * @return array{count:int,excluded:int[]}
	 */
	private static function sift( $options, $join = '', $more = '' ) {
		$count    = 0;
		$excluded = array();
		$below    = 0;
		do {
			$rows = self::page( true, self::images() . " AND ( i.status IS NULL OR i.status <> 'done' )" . $more, $below, self::PAGE, self::left( $options, array() ), $join );
			foreach ( array_column( $rows, null, 'id' ) as $id => $row ) {
				$below = $id;
				if ( 'outdated' !== $row['status'] && Imagewright_Exclusions::cover_file( (string) $row['file'] ) ) {
					$excluded[] = $id;
				} elseif ( ! (int) $row['left_out'] ) {
					++$count;
				}
			}
		} while ( count( $rows ) === self::PAGE );
		return compact( 'count', 'excluded' );
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
			$state = 'restore' === $kind ? ' AND ' . Imagewright_Index::with_record( 'i' ) . " AND i.settings NOT LIKE '%" . Imagewright_Backups::GONE . "'" : " AND i.status IN ('done','stale') AND i.settings LIKE '%replace'";
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
		return $wpdb->prepare( "( i.status IN ('unfit','offloaded') OR ( i.status = 'no_gain' AND i.settings = %s )", Imagewright_Eligibility::settings( $options ) ) . "$small )";
	}
}
