<?php
/**
 * Compares states with the files that pages get.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Compares the record of an attachment with its files: a state is what pages get. Other plugins make thumbnails again, backups come
 * back with new times, and files move to another host, without a word.
 */
class Imagewright_Truth {

	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Records of images. */
	private Imagewright_State $state;
	/** Files that pages show. */
	private Imagewright_Shown $shown;
	/** Optimized files beside the files of WordPress. */
	private Imagewright_Beside $beside;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Pictures that other programs replaced. */
	private Imagewright_Former $former;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Other plugins that deliver smaller files. */
	private Imagewright_Neighbours $neighbours;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Files      $files      Files below the uploads folder.
	 * @param Imagewright_State      $state      Records of images.
	 * @param Imagewright_Shown      $shown      Files that pages show.
	 * @param Imagewright_Beside     $beside     Optimized files beside the files of WordPress.
	 * @param Imagewright_Index      $index      Rows of images.
	 * @param Imagewright_Exclusions $exclusions Images that are left out, and failures.
	 * @param Imagewright_Snapshot   $snapshot   Snapshots of attachments.
	 * @param Imagewright_Lock       $lock       Locks of attachments.
	 * @param Imagewright_Former     $former     Pictures that other programs replaced.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Neighbours $neighbours Other plugins that deliver smaller files.
	 */
	public function __construct(
		Imagewright_Files $files,
		Imagewright_State $state,
		Imagewright_Shown $shown,
		Imagewright_Beside $beside,
		Imagewright_Index $index,
		Imagewright_Exclusions $exclusions,
		Imagewright_Snapshot $snapshot,
		Imagewright_Lock $lock,
		Imagewright_Former $former,
		Imagewright_Eligibility $eligibility,
		Imagewright_Neighbours $neighbours
	) {
		$this->files      = $files;
		$this->state      = $state;
		$this->shown      = $shown;
		$this->beside     = $beside;
		$this->index      = $index;
		$this->exclusions = $exclusions;
		$this->snapshot   = $snapshot;
		$this->lock       = $lock;
		$this->former     = $former;
		$this->eligibility = $eligibility;
		$this->neighbours = $neighbours;
	}

	/**
	 * Returns why pages do not get the optimized files of an attachment. Asks for sizes and times of files only.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record of an optimized attachment.
	 * @return string `offloaded`; `outdated`: the files exist, and their sources seem to be the same; `stale`: it takes another export;
	 *     empty if pages get them.
	 */
	public function gap( $id, $state ) {
		$beside = 'beside' === ( $state['way'] ?? '' );
		if ( $beside && $this->is_elsewhere( $id ) ) {
			return 'offloaded';
		}
		if ( $this->state->is_edited( $id, $state, false ) ) {
			return $beside ? 'stale' : '';
		}
		return $beside ? $this->gap_beside( $id, $state ) : $this->gap_replaced( $id, $state );
	}

	/**
	 * Returns true if pages get other files than those of this plugin: of another host, or in a `picture` of another plugin.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	private function is_elsewhere( $id ) {
		return $this->files->is_offloaded( $id ) || $this->neighbours->hide( $id );
	}

	/**
	 * Compares the files beside those of WordPress.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string Of gap().
	 */
	private function gap_beside( $id, $state ) {
		$mime  = $state['after']['mime'];
		$known = $state['after']['shown'] ?? array();
		$gap   = '';
		foreach ( $this->shown->of( $id ) as $name => $file ) {
			$to = $this->beside->name( $file['path'], $mime );
			if ( ! in_array( wp_basename( $to ), $state['created'], true ) ) {
				// A size that WordPress has made since then. One that did not get smaller is known.
				if ( $known && $file['known'] && ! isset( $known[ $name ] ) ) {
					return 'stale';
				}
				continue;
			}
			if ( ! is_file( $to ) || ( isset( $known[ $name ] ) && $known[ $name ]['size'] !== $file['bytes'] ) ) {
				return 'stale';
			}
			if ( ! $this->beside->fits( $to, $file['path'] ) ) {
				$gap = 'outdated';
			}
		}
		return $gap;
	}

	/**
	 * Compares the files that took the place of those of WordPress.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string Of gap().
	 */
	private function gap_replaced( $id, $state ) {
		$known = $state['after']['shown'] ?? array();
		foreach ( $known ? $this->shown->of( $id ) : array() as $name => $file ) {
			if ( isset( $known[ $name ] ) && $known[ $name ]['size'] !== $file['bytes'] ) {
				return 'stale';
			}
		}
		return '';
	}

	/**
	 * Records the files that pages show, to compare them later.
	 *
	 * @param int $id Attachment.
	 * @return array<string,array{md5:string,size:int}> By name.
	 */
	public function record( $id ) {
		$shown = array();
		foreach ( $this->shown->of( $id ) as $name => $file ) {
			$shown[ $name ] = array(
				'md5'  => md5_file( $file['path'] ),
				'size' => $file['bytes'],
			);
		}
		return $shown;
	}

	/**
	 * Makes pages show the optimized files again, if those of WordPress are unchanged byte for byte. The caller holds the lock.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return bool True if pages get them now.
	 */
	public function repair( $id, $state ) {
		$known = $state['after']['shown'] ?? array();
		if ( 'outdated' !== $this->gap( $id, $state ) || $this->state->is_edited( $id, $state ) ) {
			return false;
		}
		foreach ( $this->shown->of( $id ) as $name => $file ) {
			$to = $this->beside->name( $file['path'], $state['after']['mime'] );
			if ( ! in_array( wp_basename( $to ), $state['created'], true ) || $this->beside->fits( $to, $file['path'] ) ) {
				continue;
			}
			// Records of earlier versions lack the checksums. Their files were shown while they were not older.
			$same = isset( $known[ $name ] ) ? md5_file( $file['path'] ) === $known[ $name ]['md5'] : filemtime( $to ) >= filemtime( $file['path'] );
			if ( ! $same ) {
				return false;
			}
			$this->files->set_time( $to, $this->beside->time_for( $file['path'] ) );
		}
		$state['after']['shown'] = $this->record( $id );
		$this->state->set( $id, $state );
		/** This action is documented in includes/Replace/class-imagewright-replacement.php */
		do_action( 'imagewright_replaced', $id, $state );
		return '' === $this->gap( $id, $state );
	}

	/**
	 * Compares an attachment with its row, and corrects that.
	 *
	 * @param int $id Attachment that leads its picture.
	 * @return string The new status if it was wrong, else empty.
	 */
	public function correct( $id ) {
		$this->former->let_go( $id );
		$row    = $this->index->row( $id );
		$state  = $this->state->get( $id );
		$status = $row['status'] ?? '';
		$right  = $status;
		if ( $state && 'optimized' === $state['status'] ) {
			$gap   = $this->gap( $id, $state );
			$right = '' === $gap ? 'done' : $gap;
			$edit  = '' === $gap && $this->state->is_edited( $id, $state, false ) ? $this->eligibility->edited() : null;
		} elseif ( ! $state && 'offloaded' === $status && ! $this->is_elsewhere( $id ) ) {
			$right = '';
		} elseif ( ! $state && 'changing' !== $status && 'offloaded' !== $status && $this->is_elsewhere( $id ) ) {
			$this->exclusions->note_failure( $id, $this->snapshot->fault( $id ) );
			$this->index->put( $id, array( 'checked' => time() ) );
			return 'offloaded';
		}
		if ( ! $row ) {
			return '';
		}
		$fields = array( 'checked' => time() );
		if ( $right !== $status ) {
			$fault   = 'offloaded' === $right ? $this->snapshot->fault( $id ) : null;
			$fields += array(
				'status'  => $right,
				'code'    => $fault ? (string) $fault->get_error_code() : '',
				'message' => $fault ? $fault->get_error_message() : '',
			);
		} else {
			$fields += array( 'updated' => $row['updated'] );
			if ( isset( $edit ) ) {
				// A run leaves it out, and says so.
				$fields += array(
					'code'    => (string) $edit->get_error_code(),
					'message' => $edit->get_error_message(),
				);
			} elseif ( 'imagewright_edited' === $row['code'] ) {
				$fields += array(
					'code'    => '',
					'message' => '',
				);
			}
		}
		$this->index->put( $id, $fields );
		return $right === $status ? '' : $right;
	}

	/**
	 * Returns the status of an attachment.
	 *
	 * @param int $id Attachment.
	 * @return string `none`, `optimized`, `outdated` (pages do not get the optimized files any more), `offloaded` (pages get the files of
	 *     another host or plugin), `edited` (after it was optimized), `working`, `interrupted`, `queued`, `failed`.
	 */
	public function status( $id ) {
		$state = $this->former->let_go( $id ) ? null : $this->state->get( $id );
		if ( ! $state ) {
			$row = $this->index->row( $this->state->lead( $id ) );
			if ( ! empty( $row['task'] ) ) {
				return 'queued';
			}
			if ( $this->is_elsewhere( $id ) ) {
				return 'offloaded';
			}
			return $this->exclusions->failure( $id ) ? 'failed' : 'none';
		}
		if ( 'optimized' !== $state['status'] ) {
			return $this->lock->is_held( $id ) ? 'working' : 'interrupted';
		}
		$gap = $this->gap( $id, $state );
		if ( '' !== $gap ) {
			return 'offloaded' === $gap ? 'offloaded' : 'outdated';
		}
		return $this->state->is_edited( $id, $state, false ) ? 'edited' : 'optimized';
	}
}
