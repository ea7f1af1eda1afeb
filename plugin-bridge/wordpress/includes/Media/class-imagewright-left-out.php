<?php
/**
 * Images that a run leaves out.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Lists the images that a run leaves out, by reason.
 */
class Imagewright_Left_Out extends Imagewright_Query {

	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Images that the settings exclude. */
	private Imagewright_Exclusions $exclusions;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Exclusions  $exclusions  Images that the settings exclude.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 */
	public function __construct( Imagewright_Eligibility $eligibility, Imagewright_Exclusions $exclusions, Imagewright_Texts $texts ) {
		$this->eligibility = $eligibility;
		$this->exclusions  = $exclusions;
		$this->texts       = $texts;
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
	public function of( $options, $ids, $excluded, $limit = 5 ) {
		global $wpdb;
		$groups = array();
		$left   = $this->images() . ' AND ' . $this->left( $this->eligibility->settings( $options ), $ids ? null : $this->exclusions->least_bytes() ) . $this->within( $ids );
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
	 * Builds a group of of().
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
