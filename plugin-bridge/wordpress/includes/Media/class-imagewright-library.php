<?php
/**
 * Lists of the media library.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Finds attachments, describes their state and counts them by it.
 */
class Imagewright_Library {

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Records of images. */
	private Imagewright_State $state;
	/** States compared with the files that pages get. */
	private Imagewright_Truth $truth;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** Versions of URLs and caches of pages. */
	private Imagewright_Caches $caches;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Rows of images. */
	private Imagewright_Index $index;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access      $access      Permissions of users.
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Truth       $truth       States compared with the files that pages get.
	 * @param Imagewright_Exclusions  $exclusions  Images that are left out, and failures.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Caches      $caches      Versions of URLs and caches of pages.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Snapshot    $snapshot    Snapshots of attachments.
	 * @param Imagewright_Index       $index       Rows of images.
	 */
	public function __construct(
		Imagewright_Access $access,
		Imagewright_State $state,
		Imagewright_Truth $truth,
		Imagewright_Exclusions $exclusions,
		Imagewright_Texts $texts,
		Imagewright_Caches $caches,
		Imagewright_Eligibility $eligibility,
		Imagewright_Snapshot $snapshot,
		Imagewright_Index $index
	) {
		$this->access      = $access;
		$this->state       = $state;
		$this->truth       = $truth;
		$this->exclusions  = $exclusions;
		$this->texts       = $texts;
		$this->caches      = $caches;
		$this->eligibility = $eligibility;
		$this->snapshot    = $snapshot;
		$this->index       = $index;
	}

	/**
	 * Finds attachments for a list.
	 *
	 * @param array $args `ids` (int[]), `status` (of Imagewright_Index::restrict()), `search`, `page`, `per_page`.
	 * @return array{items:array<int,array>,total:int}
	 */
	public function find( $args ) {
		$query = $this->query_args();
		if ( ! empty( $args['ids'] ) ) {
			$query['post__in'] = array_map( 'intval', $args['ids'] );
			$query['orderby']  = 'post__in';
		}
		$names = null;
		if ( ! empty( $args['search'] ) ) {
			$query['s'] = $args['search'];
			$names      = $this->or_by_name( $args['search'] );
			add_filter( 'posts_search', $names );
		}
		$query['posts_per_page'] = min( 100, max( 1, (int) ( $args['per_page'] ?? 50 ) ) );
		$query['paged']          = max( 1, (int) ( $args['page'] ?? 1 ) );
		$clauses                 = function ( $parts ) use ( $args ) {
			return $this->index->restrict( $parts, $args['status'] ?? 'any' );
		};
		add_filter( 'posts_clauses', $clauses );
		$found = new WP_Query( $query );
		remove_filter( 'posts_clauses', $clauses );
		if ( $names ) {
			remove_filter( 'posts_search', $names );
		}
		$editable = array_filter( wp_list_pluck( $found->posts, 'ID' ), array( $this->access, 'may_change' ) );
		return array(
			'items' => array_values( array_map( array( $this, 'describe' ), $editable ) ),
			'total' => (int) $found->found_posts,
		);
	}

	/**
	 * Returns a filter of a search that also finds files by a part of their name, with which the address of an upload ends. Folders and
	 * host of the address do not count. Core's own filter for names joins the metadata of all attachments, which takes seconds in a
	 * large library.
	 *
	 * @param string $text Part of a name.
	 * @return callable
	 */
	private function or_by_name( $text ) {
		return static function ( $search ) use ( $text ) {
			global $wpdb;
			$like = '%' . $wpdb->esc_like( $text ) . '%';
			// The first comparison is the quicker one.
			$name = preg_quote( $text, null ) . '[^/]*$';
			return " AND ( ( 1=1 $search ) OR " . $wpdb->prepare( "( $wpdb->posts.guid LIKE %s AND $wpdb->posts.guid REGEXP %s )", $like, $name ) . ' )';
		};
	}

	/**
	 * Describes an attachment for a list.
	 *
	 * @param int $id Attachment.
	 * @return array
	 */
	public function describe( $id ) {
		$status   = $this->truth->status( $id );
		$state    = $this->state->get( $id );
		$failure  = $this->exclusions->failure( $id );
		$metadata = wp_get_attachment_metadata( $id, true );
		$thumb    = wp_get_attachment_image_src( $id, 'thumbnail' );
		$item     = array(
			'id'       => (int) $id,
			'title'    => $this->texts->title( $id ),
			// A title that WordPress made from the file name may be replaced by a description.
			'ownTitle' => ! $this->texts->is_automatic_title( get_post( $id )->post_title, (string) get_post_meta( $id, '_wp_attached_file', true ) ),
			'alt'      => (string) get_post_meta( $id, Imagewright_Texts::ALT, true ),
			'filename' => wp_basename( (string) get_post_meta( $id, '_wp_attached_file', true ) ),
			'url'      => $this->caches->url( (string) wp_get_attachment_url( $id ), $id ),
			'thumb'    => $thumb ? $this->caches->url( $thumb[0], $id ) : '',
			'mime'     => (string) get_post_mime_type( $id ),
			'width'    => (int) ( $metadata['width'] ?? 0 ),
			'height'   => (int) ( $metadata['height'] ?? 0 ),
			'editLink' => (string) get_edit_post_link( $id, 'raw' ),
			// An attachment that another leads has no state of its own.
			'status'   => $this->state->lead( $id ) === (int) $id ? $status : 'shared',
			'picture'  => $status,
			// `outdated`: repaired without an export; `stale`: needs an export.
			'gap'      => 'outdated' === $status ? $this->truth->gap( $id, $state ) : '',
			'shares'   => array_values( array_diff( $this->state->attachments( $id ), array( (int) $id ) ) ),
			'texts'    => $this->texts->records( $id ),
			'bytes'    => $state['bytes'] ?? null,
			'score'    => $state['quality']['score'] ?? null,
			// Metadata of the upload, and which of it the export keeps, in words.
			'carries'  => Imagewright_Status_Text::carried( $state['carries'] ?? array() ),
			'obstacle' => $this->obstacle( $id, $status ),
			// Another plugin shows it, not another host.
			'hidden'   => 'offloaded' === $status && 'imagewright_hidden' === $this->snapshot->fault( $id )->get_error_code(),
			'reason'   => $failure && ! in_array( $status, array( 'optimized', 'outdated' ), true ) ? array(
				'code'    => $failure['code'],
				'message' => $failure['message'],
			) : null,
		);
		return $item + array( 'statusText' => html_entity_decode( Imagewright_Status_Text::status( $item ), ENT_QUOTES, 'UTF-8' ) );
	}

	/**
	 * Returns the translated reason why an image cannot be replaced, or an empty string.
	 *
	 * @param int    $id     Attachment.
	 * @param string $status Of Imagewright_Truth::status().
	 * @return string
	 */
	private function obstacle( $id, $status ) {
		if ( 'edited' === $status ) {
			return $this->eligibility->edited()->get_error_message();
		}
		$fault = in_array( $status, array( 'none', 'failed', 'offloaded' ), true ) ? $this->snapshot->fault( $id ) : null;
		return $fault ? $fault->get_error_message() : '';
	}

	/**
	 * Builds the arguments of a query for images.
	 *
	 * @return array
	 */
	private function query_args() {
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
	 * Counts all images that the service accepts, those that are optimized and those that wait, and adds up what pages show.
	 *
	 * @return array{total:int,optimized:int,waiting:int,outdated:int,offloaded:int,shared:int,before:int,after:int} Pictures; `shared` counts
	 *     the further attachments of files.
	 */
	public function of_library() {
		$status = $this->index->by_status();
		$shared = $status['shared']['n'] ?? 0;
		return array(
			'total'     => max( 0, $this->index->total() - $shared ),
			'optimized' => $status['done']['n'] ?? 0,
			'outdated'  => ( $status['outdated']['n'] ?? 0 ) + ( $status['stale']['n'] ?? 0 ),
			'offloaded' => $status['offloaded']['n'] ?? 0,
			'shared'    => $shared,
			'waiting'   => $this->index->waiting(),
			'before'    => $status['done']['before'] ?? 0,
			'after'     => $status['done']['after'] ?? 0,
		);
	}
}
