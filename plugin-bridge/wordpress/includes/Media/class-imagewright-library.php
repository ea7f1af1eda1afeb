<?php
/**
 * Lists of the media library.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Finds attachments and describes their state.
 */
class Imagewright_Library {

	/**
	 * Finds attachments for a list.
	 *
	 * @param array $args `ids` (int[]), `status` (of restrict()), `search`, `page`, `per_page`.
	 * @return array{items:array<int,array>,total:int}
	 */
	public static function find( $args ) {
		$query = self::query_args();
		if ( ! empty( $args['ids'] ) ) {
			$query['post__in'] = array_map( 'intval', $args['ids'] );
			$query['orderby']  = 'post__in';
		}
		if ( ! empty( $args['search'] ) ) {
			$query['s'] = $args['search'];
		}
		$query['posts_per_page'] = min( 100, max( 1, (int) ( $args['per_page'] ?? 50 ) ) );
		$query['paged']          = max( 1, (int) ( $args['page'] ?? 1 ) );
		$clauses                 = static function ( $parts ) use ( $args ) {
			return self::restrict( $parts, $args['status'] ?? 'any' );
		};
		add_filter( 'posts_clauses', $clauses );
		$found = new WP_Query( $query );
		remove_filter( 'posts_clauses', $clauses );
		$editable = array_filter( wp_list_pluck( $found->posts, 'ID' ), array( __CLASS__, 'may_change' ) );
		return array(
			'items' => array_values( array_map( array( __CLASS__, 'describe' ), $editable ) ),
			'total' => (int) $found->found_posts,
		);
	}

	/**
	 * Returns true if the current user may change an attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function may_change( $id ) {
		return 'attachment' === get_post_type( $id ) && Imagewright_Access::may_use() && current_user_can( 'edit_post', $id );
	}

	/**
	 * Describes an attachment for a list.
	 *
	 * @param int $id Attachment.
	 * @return array
	 */
	public static function describe( $id ) {
		$state    = Imagewright_State::get( $id );
		$status   = Imagewright_State::status( $id );
		$failure  = Imagewright_State::failure( $id );
		$metadata = wp_get_attachment_metadata( $id, true );
		$thumb    = wp_get_attachment_image_src( $id, 'thumbnail' );
		$item     = array(
			'id'       => (int) $id,
			'title'    => Imagewright_Texts::title( $id ),
			// A title that WordPress made from the file name may be replaced by a description.
			'ownTitle' => ! Imagewright_Texts::is_automatic_title( get_post( $id )->post_title, (string) get_post_meta( $id, '_wp_attached_file', true ) ),
			'alt'      => (string) get_post_meta( $id, Imagewright_Texts::ALT, true ),
			'filename' => wp_basename( (string) get_post_meta( $id, '_wp_attached_file', true ) ),
			'url'      => Imagewright_Versions::url( (string) wp_get_attachment_url( $id ), $id ),
			'thumb'    => $thumb ? Imagewright_Versions::url( $thumb[0], $id ) : '',
			'mime'     => (string) get_post_mime_type( $id ),
			'width'    => (int) ( $metadata['width'] ?? 0 ),
			'height'   => (int) ( $metadata['height'] ?? 0 ),
			'editLink' => (string) get_edit_post_link( $id, 'raw' ),
			// An attachment that another leads has no state of its own.
			'status'   => Imagewright_Shared::lead( $id ) === (int) $id ? $status : 'shared',
			'picture'  => $status,
			// Whether an outdated image is put right without an export (`outdated`), or not (`stale`).
			'gap'      => 'outdated' === $status ? Imagewright_Truth::gap( $id, $state ) : '',
			'shares'   => array_values( array_diff( Imagewright_Shared::of( $id ), array( (int) $id ) ) ),
			'texts'    => Imagewright_Text_Record::show( $id ),
			'bytes'    => $state['bytes'] ?? null,
			'score'    => $state['quality']['score'] ?? null,
			// What the upload carries and what of it stays, in words.
			'carries'  => Imagewright_Carried::text( $state['carries'] ?? array() ),
			'obstacle' => self::obstacle( $id, $status ),
			'reason'   => $failure && ! in_array( $status, array( 'optimized', 'outdated' ), true ) ? array(
				'code'    => $failure['code'],
				'message' => $failure['message'],
			) : null,
		);
		return $item + array( 'statusText' => html_entity_decode( Imagewright_Strings::status( $item ), ENT_QUOTES, 'UTF-8' ) );
	}

	/**
	 * Returns the translated reason why an image cannot be replaced, or an empty string.
	 *
	 * @param int    $id     Attachment.
	 * @param string $status Of Imagewright_State::status().
	 * @return string
	 */
	private static function obstacle( $id, $status ) {
		if ( 'edited' === $status ) {
			return Imagewright_Eligibility::edited()->get_error_message();
		}
		$fault = in_array( $status, array( 'none', 'failed', 'offloaded' ), true ) ? Imagewright_Snapshot::fault( $id ) : null;
		return $fault ? $fault->get_error_message() : '';
	}

	/**
	 * Builds the arguments of a query for images.
	 *
	 * @return array
	 */
	private static function query_args() {
		return array(
			'post_type'              => 'attachment',
			'post_status'            => 'inherit',
			'post_mime_type'         => Imagewright_Contract::INPUT_TYPES,
			'orderby'                => 'ID',
			'order'                  => 'DESC',
			'update_post_term_cache' => false,
		);
	}

	/**
	 * Restricts a query to a status.
	 *
	 * @param string[] $clauses Parts of the query.
	 * @param string   $status  `any`, `none` (not optimized), `optimized`, `waiting`, `outdated`, `offloaded`, `shared`, `failed` (the last
	 *                          attempt had no use).
	 * @param string   $run     Id of a run, to select of its images; empty for all.
	 * @return string[]
	 */
	public static function restrict( $clauses, $status, $run = '' ) {
		global $wpdb;
		$conditions = array(
			'none'      => '( imagewright.status IS NULL OR NOT ' . Imagewright_Index::with_record( 'imagewright' ) . ' )',
			'optimized' => "imagewright.status IN ('done','changing')",
			'waiting'   => "imagewright.task <> ''",
			'outdated'  => "imagewright.status IN ('outdated','stale')",
			'offloaded' => "imagewright.status = 'offloaded'",
			'shared'    => 'imagewright.lead > 0',
			'failed'    => "imagewright.task = '' AND imagewright.status IN ('failed','no_gain','unfit','excluded')",
		);
		if ( isset( $conditions[ $status ] ) ) {
			$table = Imagewright_Index::table();
			// All attachments of a file have the state of the leading one.
			$clauses['join']  .= " LEFT JOIN $table imagewright_own ON imagewright_own.attachment_id = $wpdb->posts.ID
				LEFT JOIN $table imagewright ON imagewright.attachment_id = CASE WHEN imagewright_own.lead > 0 THEN imagewright_own.lead ELSE $wpdb->posts.ID END";
			$clauses['where'] .= " AND $wpdb->posts.post_mime_type LIKE 'image/%' AND $conditions[$status]" . ( '' === $run ? '' : $wpdb->prepare( ' AND imagewright.run = %s', $run ) );
		}
		return $clauses;
	}
}
