<?php
/**
 * Files that others use.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Keeps the files of a picture while another attachment uses them: when one of several is deleted, WordPress would delete the files of
 * all.
 */
class Imagewright_Kept_Files {

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

	/** Records of images. */
	private Imagewright_State $state;
	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** Attachments of a picture. */
	private Imagewright_Shared $shared;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State     $state     Records of images.
	 * @param Imagewright_Gathering $gathering Attachments that come to share a file.
	 * @param Imagewright_Shared    $shared    Attachments of a picture.
	 * @param Imagewright_Snapshot  $snapshot  Snapshots of attachments.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Gathering $gathering,
		Imagewright_Shared $shared,
		Imagewright_Snapshot $snapshot
	) {
		$this->state     = $state;
		$this->gathering = $gathering;
		$this->shared    = $shared;
		$this->snapshot  = $snapshot;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'delete_attachment', array( __CLASS__, 'leave' ), 5 );
		$hooks->filter( 'wp_delete_file', array( __CLASS__, 'veto' ), 5 );
	}

	/**
	 * Notes the files of an attachment that others use, before it is deleted.
	 *
	 * @param int $id Attachment.
	 */
	public function leave( $id ) {
		$id    = (int) $id;
		// WordPress deletes the files last. What was kept of an earlier attachment was kept by now.
		$this->kept    = array();
		$this->leaving = array();
		$state = $this->state->get( $id );
		$rest  = array_values( array_diff( $this->gathering->gather( $id ), array( $id ) ) );
		if ( $rest ) {
			if ( $state ) {
				$this->leaving[ $id ] = true;
				$this->keep( $state, $this->names( $id, $state ) );
			}
			$this->gathering->leave( $id, $rest );
		} elseif ( $state && $this->is_used( $state['snapshot']['attached_file'], array( $id ) ) ) {
			$this->keep( $state, array_keys( $state['snapshot']['files'] ) );
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
	 * Returns true if an attachment outside of a picture uses its upload: a translation that was made before the picture was replaced.
	 *
	 * @param string $file Path relative to the uploads folder.
	 * @param int[]  $ids  Attachments of the picture.
	 * @return bool
	 */
	public function is_used( $file, $ids ) {
		return array() !== array_diff( $this->shared->users( $file ), $ids );
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
