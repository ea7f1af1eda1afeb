<?php
/**
 * Attachments that come to share a file.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Puts attachments with the same attached file together to one picture, and takes one out whose file becomes another.
 */
class Imagewright_Gathering {

	/** Fields of the row of an attachment that has no state of its own. */
	const NOTHING = array(
		'status'       => '',
		'bytes_before' => 0,
		'bytes_after'  => 0,
		'code'         => '',
		'message'      => '',
		'task'         => '',
		'due'          => 0,
	);

	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Attachments of a picture. */
	private Imagewright_Shared $shared;
	/** Records of images. */
	private Imagewright_State $state;
	/** Rows of images. */
	private Imagewright_Index $index;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Lock   $lock   Locks of attachments.
	 * @param Imagewright_Shared $shared Attachments of a picture.
	 * @param Imagewright_State  $state  Records of images.
	 * @param Imagewright_Index  $index  Rows of images.
	 */
	public function __construct( Imagewright_Lock $lock, Imagewright_Shared $shared, Imagewright_State $state, Imagewright_Index $index ) {
		$this->lock   = $lock;
		$this->shared = $shared;
		$this->state  = $state;
		$this->index  = $index;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->metadata( '_wp_attached_file', array( __CLASS__, 'changed' ), 20 );
	}

	/**
	 * Finds the other attachments of a file after it was attached.
	 *
	 * @param int $id Post.
	 */
	public function changed( $id ) {
		// While this process changes the picture, its attachments differ for a moment.
		if ( ! $this->lock->is_mine( (int) $id ) ) {
			$this->gather( (int) $id );
		}
	}

	/**
	 * Looks for the attachments of a file, and notes them as one picture.
	 *
	 * @param int $id Attachment.
	 * @return int[] Of of().
	 */
	public function gather( $id ) {
		$id    = (int) $id;
		$ids   = $this->shared->users( (string) get_post_meta( $id, '_wp_attached_file', true ) );
		$known = $this->shared->of( $id );
		$same  = array_values( array_intersect( $known, array_merge( $ids, array( $id ) ) ) );
		$other = array_values( array_diff( $known, $same ) );
		if ( $other ) {
			// Some attachments have another file now. The smaller group leaves the picture.
			list( $leaving, $rest ) = count( $same ) > count( $other ) ? array( $other, $same ) : array( $same, $other );
			foreach ( $leaving as $one ) {
				$this->leave( $one, $rest );
			}
		}
		if ( count( $ids ) > 1 && in_array( $id, $ids, true ) ) {
			$this->join( $ids );
		}
		return $this->shared->of( $id );
	}

	/** Looks for all files that several attachments use. */
	public function gather_all() {
		global $wpdb;
		$files = $wpdb->get_col( "SELECT file FROM ( SELECT meta_value AS file, COUNT(*) AS n FROM $wpdb->postmeta WHERE meta_key = '_wp_attached_file' GROUP BY meta_value ) AS files WHERE n > 1" ); // phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- name of a table.
		foreach ( $files as $file ) {
			$ids = $this->shared->users( (string) $file );
			if ( count( $ids ) > 1 ) {
				$this->join( $ids );
			}
		}
	}

	/**
	 * Takes an attachment out of a picture, which its other attachments keep.
	 *
	 * @param int   $id   Attachment whose file is another, or that is deleted.
	 * @param int[] $rest Others.
	 */
	public function leave( $id, $rest ) {
		$state = $this->state->get( $id );
		$row   = $this->index->row( $id );
		$next  = in_array( $this->shared->lead( $id ), $rest, true ) ? $this->shared->lead( $id ) : $rest[0];
		if ( $row && 'shared' !== $row['status'] ) {
			$this->index->put( $next, array_diff_key( $row, array( 'attachment_id' => 1 ) ) );
		}
		$this->index->put( $id, self::NOTHING + array( 'leader' => 0 ) );
		foreach ( $rest as $one ) {
			$this->index->put( $one, array( 'leader' => count( $rest ) > 1 ? $next : 0 ) );
		}
		if ( $state ) {
			$this->state->leave( $id, $state, $rest );
		}
	}

	/**
	 * Notes attachments as one picture. One with a record leads, else the first.
	 *
	 * @param int[] $ids Attachments, lowest first.
	 */
	private function join( $ids ) {
		$leads = array_values( array_filter( $ids, array( $this->state, 'get' ) ) );
		$known = array_values( array_intersect( $this->shared->leads( $ids ), $ids, $leads ? $leads : $ids ) );
		$lead  = $known[0] ?? $leads[0] ?? $ids[0];
		foreach ( $ids as $id ) {
			$row = $this->index->row( $id );
			if ( (int) ( $row['leader'] ?? 0 ) === $lead && ( $id === $lead xor 'shared' === $row['status'] ) ) {
				continue;
			}
			if ( $id !== $lead ) {
				$this->index->put( $id, array( 'status' => 'shared' ) + self::NOTHING + array( 'leader' => $lead ) );
			} else {
				$this->index->put( $id, array( 'leader' => $lead ) + ( 'shared' === ( $row['status'] ?? '' ) ? array( 'status' => '' ) : array() ) );
			}
			$is_new = true;
		}
		$state = isset( $is_new ) ? $this->state->get( $lead ) : null;
		if ( $state ) {
			$this->state->set( $lead, $state );
		}
	}
}
