<?php
/**
 * Attachments that come to share a file.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Puts attachments with the same attached file together to one picture, and takes one out whose file becomes another. Keeps the files of
 * a picture while another attachment uses them: when one of several is deleted, WordPress would delete the files of all.
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

	/**
	 * Files that are not deleted now.
	 *
	 * @var array<string,true>
	 */
	private $kept = array();

	/**
	 * Attachments whose picture others keep.
	 *
	 * @var array<int,true>
	 */
	private $leaving = array();

	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Records of images. */
	private Imagewright_State $state;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Files that attachments use. */
	private Imagewright_Owners $owners;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Lock     $lock     Locks of attachments.
	 * @param Imagewright_State    $state    Records of images.
	 * @param Imagewright_Index    $index    Rows of images.
	 * @param Imagewright_Snapshot $snapshot Snapshots of attachments.
	 * @param Imagewright_Owners   $owners   Files that attachments use.
	 */
	public function __construct(
		Imagewright_Lock $lock,
		Imagewright_State $state,
		Imagewright_Index $index,
		Imagewright_Snapshot $snapshot,
		Imagewright_Owners $owners
	) {
		$this->lock     = $lock;
		$this->state    = $state;
		$this->index    = $index;
		$this->snapshot = $snapshot;
		$this->owners   = $owners;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->metadata( '_wp_attached_file', array( __CLASS__, 'changed' ), 20 );
		$hooks->action( 'delete_attachment', array( __CLASS__, 'before_deletion' ), 5 );
		$hooks->filter( 'wp_delete_file', array( __CLASS__, 'veto' ), 5 );
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
	 * @return int[] Attachments of the picture, leading one first.
	 */
	public function gather( $id ) {
		$id    = (int) $id;
		$ids   = $this->state->users_of( (string) get_post_meta( $id, '_wp_attached_file', true ) );
		$known = $this->state->attachments( $id );
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
		return $this->state->attachments( $id );
	}

	/** Looks for all files that several attachments use. */
	public function gather_all() {
		global $wpdb;
		$files = $wpdb->get_col( "SELECT file FROM ( SELECT meta_value AS file, COUNT(*) AS n FROM $wpdb->postmeta WHERE meta_key = '_wp_attached_file' GROUP BY meta_value ) AS files WHERE n > 1" ); // phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- name of a table.
		foreach ( $files as $file ) {
			$ids = $this->state->users_of( (string) $file );
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
		$next  = in_array( $this->state->lead( $id ), $rest, true ) ? $this->state->lead( $id ) : $rest[0];
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
		$known = array_values( array_intersect( $this->state->leads( $ids ), $ids, $leads ? $leads : $ids ) );
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

	/**
	 * Notes the files of an attachment that others use, before it is deleted.
	 *
	 * @param int $id Attachment.
	 */
	public function before_deletion( $id ) {
		$id    = (int) $id;
		// WordPress deletes the files last. What was kept of an earlier attachment was kept by now.
		$this->kept    = array();
		$this->leaving = array();
		$state = $this->state->get( $id );
		$rest  = array_values( array_diff( $this->gather( $id ), array( $id ) ) );
		if ( $rest ) {
			if ( $state ) {
				$this->leaving[ $id ] = true;
				$this->keep( $state, $this->names( $id, $state ) );
			}
			$this->leave( $id, $rest );
		} elseif ( $state ) {
			// A translation that was made before the picture was replaced, or an upload that got the name of a renamed file.
			$this->keep( $state, $this->owners->others( $state['snapshot']['attached_file'], $this->names( $id, $state ), array( $id ) ) );
		}
	}

	/**
	 * Returns true if another attachment uses the files of a picture that is deleted now.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function are_shared( $id ) {
		return isset( $this->leaving[ (int) $id ] );
	}

	/**
	 * Keeps a file that others use.
	 *
	 * @param string $path File that is to be deleted; empty if another plugin keeps it.
	 * @return string
	 */
	public function veto( $path ) {
		return is_string( $path ) && isset( $this->kept[ wp_normalize_path( $path ) ] ) ? '' : $path;
	}

	/**
	 * Notes files to keep.
	 *
	 * @param array    $state Record.
	 * @param string[] $names Names.
	 */
	private function keep( $state, $names ) {
		$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		foreach ( $names as $name ) {
			$this->kept[ wp_normalize_path( path_join( $dir, $name ) ) ] = true;
		}
	}

	/**
	 * Lists all files of a picture.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string[]
	 */
	private function names( $id, $state ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$backups  = get_post_meta( $id, '_wp_attachment_backup_sizes', true );
		return array_filter(
			array_merge(
				array_keys( $state['snapshot']['files'] ),
				$state['created'],
				array_values( $state['copies'] ),
				$this->snapshot->names( (string) get_post_meta( $id, '_wp_attached_file', true ), is_array( $metadata ) ? $metadata : array() ),
				array_column( is_array( $backups ) ? $backups : array(), 'file' )
			),
			'is_string'
		);
	}
}
