<?php
/**
 * Files that attachments use.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Tells whose file a name is now. When another plugin renames the files of an attachment, their old names become free, and an upload may
 * get one of them.
 */
class Imagewright_Owners {

	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Records of images. */
	private Imagewright_State $state;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Snapshot $snapshot Snapshots of attachments.
	 * @param Imagewright_State    $state    Records of images.
	 */
	public function __construct(
		Imagewright_Snapshot $snapshot,
		Imagewright_State $state
	) {
		$this->snapshot = $snapshot;
		$this->state    = $state;
	}

	/**
	 * Lists the existing files of an optimized attachment that are files of other attachments now. Asks the database only if there are
	 * files that the attachment itself does not show.
	 *
	 * @param int      $id    Attachment.
	 * @param array    $state Its record.
	 * @param string[] $names Names of files that are to be overwritten or removed.
	 * @return string[] Some of the names.
	 */
	public function foreign( $id, $state, $names ) {
		$file     = $state['snapshot']['attached_file'];
		$dir      = dirname( path_join( wp_get_upload_dir()['basedir'], $file ) );
		$attached = (string) get_post_meta( $id, '_wp_attached_file', true );
		$own      = dirname( $attached ) === dirname( $file ) ? $this->names( $id, $attached ) : array();
		$free     = array_filter(
			$names,
			static function ( $name ) use ( $dir, $own ) {
				// A file beside one of WordPress belongs to the same attachment.
				return ! in_array( preg_replace( '/\.iw\.\w+$/', '', $name ), $own, true ) && is_file( path_join( $dir, $name ) );
			}
		);
		return $this->others( $file, $free, $this->state->attachments( $id ) );
	}

	/**
	 * Lists the names in a folder that are files of attachments outside of a picture: attached files, their sizes, and originals. Asks
	 * the database once.
	 *
	 * @param string   $file  Path of a file in the folder, relative to the uploads folder.
	 * @param string[] $names Names.
	 * @param int[]    $ids   Attachments of the picture.
	 * @return string[] Some of the names.
	 */
	public function others( $file, $names, $ids ) {
		global $wpdb;
		if ( ! $names ) {
			return array();
		}
		$begin = array();
		foreach ( $this->stems( $names ) as $stem ) {
			$begin[] = $wpdb->prepare( 'meta_value LIKE %s', $wpdb->esc_like( preg_replace( '~[^/]*$~D', '', $file ) . $stem ) . '%' );
		}
		$found = array();
		foreach ( $wpdb->get_results( "SELECT post_id, meta_value FROM $wpdb->postmeta WHERE meta_key IN ('_wp_attached_file','" . Imagewright_State::WAS . "') AND ( " . implode( ' OR ', $begin ) . ' )' ) as $row ) { // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared above.
			$id = (int) $row->post_id;
			if ( ! isset( $found[ $id ] ) && ! in_array( $id, $ids, true ) && $this->may_have( $row->meta_value, $names ) && 'attachment' === get_post_type( $id ) ) {
				$backups      = get_post_meta( $id, '_wp_attachment_backup_sizes', true );
				$found[ $id ] = array_merge( $this->names( $id, (string) get_post_meta( $id, '_wp_attached_file', true ) ), array_column( is_array( $backups ) ? $backups : array(), 'file' ) );
			}
		}
		return array_values( array_intersect( $names, array_merge( array(), ...array_values( $found ) ) ) );
	}

	/**
	 * Lists the files in the metadata of an attachment.
	 *
	 * @param int    $id       Attachment.
	 * @param string $attached Its attached file.
	 * @return string[] Names.
	 */
	private function names( $id, $attached ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		return $this->snapshot->names( $attached, is_array( $metadata ) ? $metadata : array() );
	}

	/**
	 * Returns true if files of an attachment may have one of some names: sizes begin with the name of their attached file.
	 *
	 * @param string   $attached Attached file.
	 * @param string[] $names    Names.
	 * @return bool
	 */
	private function may_have( $attached, $names ) {
		$stem = $this->stem( wp_basename( $attached ) );
		foreach ( $names as $name ) {
			if ( 0 === strpos( $name, $stem ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns what the names of files begin with, without those that begin like another.
	 *
	 * @param string[] $names Names.
	 * @return string[]
	 */
	private function stems( $names ) {
		$stems = array_unique( array_map( array( $this, 'stem' ), $names ) );
		sort( $stems, SORT_STRING );
		$kept = array();
		foreach ( $stems as $stem ) {
			if ( ! $kept || 0 !== strpos( $stem, end( $kept ) ) ) {
				$kept[] = $stem;
			}
		}
		return $kept;
	}

	/**
	 * Returns the name of a file without what WordPress and this plugin add, and without its ending.
	 *
	 * @param string $name Name.
	 * @return string
	 */
	private function stem( $name ) {
		return preg_replace( '/(-e\d{10,}|-scaled|-rotated|-full|-before(-\d+)?|-\d+x\d+)*\.\w+(\.iw\.\w+)?$/', '', $name );
	}
}
