<?php
/**
 * Images that a run can work on.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Counts and lists the images of a run by SQL, in batches by key: a library may have 50,000. Lists those that it leaves out, by reason.
 */
class Imagewright_Candidates extends Imagewright_Query {

	const PAGE = 5000;

	/** Records of images. */
	private Imagewright_State $state;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Exclusions  $exclusions  Images that are left out, and failures.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Exclusions $exclusions,
		Imagewright_Eligibility $eligibility,
		Imagewright_Texts $texts
	) {
		$this->state       = $state;
		$this->exclusions  = $exclusions;
		$this->eligibility = $eligibility;
		$this->texts       = $texts;
	}

	/**
	 * Counts the images of a run.
	 *
	 * @param string $kind        `optimize`, `restore` or `discard`.
	 * @param array  $options     `format`, `preset`.
	 * @param int[]  $ids         Attachments; empty for all.
	 * @param bool   $undescribed True to count only those without an alternative text.
	 * @return int
	 */
	public function count( $kind, $options, $ids = array(), $undescribed = false ) {
		$ids  = $this->state->leads( $ids );
		$alt  = $undescribed ? $this->alt() : '';
		// Images that need no export are not described.
		$lack = $undescribed ? " AND a.meta_id IS NULL AND ( i.status IS NULL OR i.status <> 'outdated' )" : '';
		if ( $this->excludes( $kind, $ids ) ) {
			return $this->sift( $options, $alt, $lack )['count'];
		}
		return $this->number( 'SELECT COUNT(*) ' . $this->from() . $alt . $this->where( $kind, $options, $ids ) . $lack );
	}

	/**
	 * Lists images of the library without an alternative text, newest first.
	 *
	 * @param int[] $ids   Attachments; empty for all.
	 * @param int   $below Lists only ids below this one; 0 for no limit.
	 * @param int   $limit Most images; 0 for all.
	 * @return int[]
	 */
	public function without_text( $ids, $below = 0, $limit = 0 ) {
		global $wpdb;
		$after = $below > 0 ? $wpdb->prepare( ' AND p.ID < %d', $below ) : '';
		$most  = $limit > 0 ? $wpdb->prepare( ' LIMIT %d', $limit ) : '';
		return $this->numbers( 'SELECT p.ID ' . $this->from() . $this->alt() . $this->images( true, true ) . $this->within( $ids ) . " AND a.meta_id IS NULL$after ORDER BY p.ID DESC$most" );
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
	public function batch( $kind, $options, $ids, $below, $limit = 500 ) {
		$found    = array();
		$ids      = $this->state->leads( $ids );
		$excludes = $this->excludes( $kind, $ids );
		do {
			$rows = $this->page( $excludes, $this->where( $kind, $options, $ids ), $below, $limit );
			foreach ( $rows as $row ) {
				$below = (int) $row['id'];
				if ( ! $excludes || 'outdated' === $row['status'] || ! $this->exclusions->cover_file( (string) $row['file'] ) ) {
					$found[ $below ] = $below;
				}
			}
			$has_more = count( $rows ) === $limit && count( $found ) < $limit;
		} while ( $has_more );
		return array_slice( array_values( $found ), 0, $limit );
	}

	/**
	 * Counts the images of a run, and lists the excluded ones.
	 *
	 * @param array $options `format`, `preset`.
	 * @param int[] $ids     Attachments; empty for all.
	 * @return array{images:int,repairs:int,leftOut:array<int,array>} `repairs` of the images need no export; `leftOut` is of left_out().
	 */
	public function preview( $options, $ids ) {
		$ids    = $this->state->leads( $ids );
		$sifted = $this->excludes( 'optimize', $ids ) ? $this->sift( $options ) : null;
		return array(
			'images'  => $sifted ? $sifted['count'] : $this->count( 'optimize', $options, $ids ),
			'repairs' => $this->repairs( $ids ),
			'leftOut' => $this->left_out( $options, $ids, $sifted ? $sifted['excluded'] : array() ),
		);
	}

	/**
	 * Joins the alternative texts.
	 *
	 * @return string
	 */
	private function alt() {
		global $wpdb;
		return $wpdb->prepare( " LEFT JOIN $wpdb->postmeta a ON a.post_id = p.ID AND a.meta_key = %s AND a.meta_value <> ''", Imagewright_Texts::ALT );
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
	private function page( $named, $where, $below, $limit, $left = '0', $join = '' ) {
		global $wpdb;
		$after = $below > 0 ? $wpdb->prepare( ' AND p.ID < %d', $below ) : '';
		$file  = $named ? 'f.meta_value' : "''";
		$join .= $named ? " LEFT JOIN $wpdb->postmeta f ON f.post_id = p.ID AND f.meta_key = '_wp_attached_file'" : '';
		return $this->select( "SELECT p.ID AS id, $file AS file, $left AS left_out, i.status AS status " . $this->from() . $join . $where . $after . $wpdb->prepare( ' ORDER BY p.ID DESC LIMIT %d', $limit ) );
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
	private function sift( $options, $join = '', $more = '' ) {
		$count    = 0;
		$excluded = array();
		$below    = 0;
		do {
			$rows = $this->page( true, $this->images() . " AND ( i.status IS NULL OR i.status <> 'done' )" . $more, $below, self::PAGE, $this->left( $this->eligibility->settings( $options ), $this->exclusions->least_bytes() ), $join );
			foreach ( array_column( $rows, null, 'id' ) as $id => $row ) {
				$below = $id;
				if ( 'outdated' !== $row['status'] && $this->exclusions->cover_file( (string) $row['file'] ) ) {
					$excluded[] = $id;
				} elseif ( ! (int) $row['left_out'] ) {
					++$count;
				}
			}
			$has_more = count( $rows ) === self::PAGE;
		} while ( $has_more );
		return compact( 'count', 'excluded' );
	}

	/**
	 * Returns true if names are excluded from a run: chosen images are not.
	 *
	 * @param string $kind `optimize`, `restore` or `discard`.
	 * @param int[]  $ids  Attachments; empty for all.
	 * @return bool
	 */
	private function excludes( $kind, $ids ) {
		return 'optimize' === $kind && ! $ids && $this->exclusions->exist();
	}

	/**
	 * Selects the images of a run, those with excluded names too.
	 *
	 * @param string $kind    `optimize`, `restore` or `discard`.
	 * @param array  $options `format`, `preset`.
	 * @param int[]  $ids     Attachments; empty for all.
	 * @return string
	 */
	private function where( $kind, $options, $ids ) {
		if ( 'optimize' !== $kind ) {
			// Images whose originals were deleted cannot be restored.
			$state = 'restore' === $kind ? ' AND ' . $this->with_record( 'i' ) . " AND i.settings NOT LIKE '%" . Imagewright_State::GONE . "'" : " AND i.status IN ('done','stale') AND i.settings LIKE '%replace'";
			return $this->images() . $this->within( $ids ) . $state;
		}
		return $this->images() . $this->within( $ids ) . ' AND ( i.attachment_id IS NULL OR ( i.status <> \'done\' AND NOT ' . $this->left( $this->eligibility->settings( $options ), $ids ? null : $this->exclusions->least_bytes() ) . ' ) )';
	}

	/**
	 * Counts the images of a run that only get their delivery back, without an export: their optimized files exist.
	 *
	 * @param int[] $ids Attachments; empty for all.
	 * @return int
	 */
	public function repairs( $ids ) {
		return $this->number( 'SELECT COUNT(*) ' . $this->from() . $this->images() . $this->within( $this->state->leads( $ids ) ) . " AND i.status = 'outdated'" );
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
	public function left_out( $options, $ids, $excluded, $limit = 5 ) {
		global $wpdb;
		$groups = array();
		$left   = $this->images() . ' AND ( ' . $this->left( $this->eligibility->settings( $options ), $ids ? null : $this->exclusions->least_bytes() )
			. " OR ( i.status = 'done' AND i.code = 'imagewright_edited' ) )" . $this->within( $ids );
		foreach ( $this->select( 'SELECT i.code AS code, COUNT(*) AS n ' . $this->from() . $left . ' GROUP BY i.code' ) as $row ) {
			$found    = $this->select( 'SELECT p.ID AS id, i.message AS message ' . $this->from() . $left . $wpdb->prepare( ' AND i.code = %s ORDER BY p.ID DESC LIMIT %d', $row['code'], $limit ) );
			$groups[] = $this->group( $found ? $found[0]['message'] : '', (int) $row['n'], wp_list_pluck( $found, 'id' ) );
		}
		$others   = " WHERE p.post_type = 'attachment' AND p.post_status = 'inherit' AND p.post_mime_type LIKE 'image/%' AND p.post_mime_type NOT IN (" . $this->types() . ')' . $this->own();
		$shared   = $this->images( true, true ) . " AND i.status = 'shared'";
		$groups[] = $this->group( __( 'The image service does not accept this format.', 'imagewright' ), ...$this->newest( $others . $this->within( $ids ), $limit ) );
		$groups[] = $this->group( __( 'The settings exclude its name or folder.', 'imagewright' ), count( $excluded ), array_slice( $excluded, 0, $limit ) );
		$groups[] = $this->group( __( 'Another entry of the library has the same file. Both are one picture, which is optimized and paid for once.', 'imagewright' ), ...$this->newest( $shared . $this->within( $ids ), $limit ) );
		return array_values( array_filter( $groups, static fn( $group ) => $group['count'] > 0 ) );
	}

	/**
	 * Counts images, and lists the newest.
	 *
	 * @param string $where Condition.
	 * @param int    $limit Most images.
	 * @return array{0:int,1:int[]} Count, attachments.
	 */
	private function newest( $where, $limit ) {
		$count = $this->number( 'SELECT COUNT(*) ' . $this->from() . $where );
		return array( $count, $count > 0 ? $this->numbers( 'SELECT p.ID ' . $this->from() . $where . ' ORDER BY p.ID DESC LIMIT ' . (int) $limit ) : array() );
	}

	/**
	 * Builds a group of left_out().
	 *
	 * @param string $message Reason.
	 * @param int    $count   Images.
	 * @param int[]  $ids     Examples.
	 * @return array
	 */
	private function group( $message, $count, $ids ) {
		$examples = array();
		foreach ( array_map( 'intval', $ids ) as $id ) {
			$examples[] = array(
				'id'    => $id,
				'title' => $this->texts->title( $id ),
			);
		}
		return compact( 'message', 'count', 'examples' );
	}
}
