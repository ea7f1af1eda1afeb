<?php
/**
 * What pages get.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Compares the record of an attachment with its files: a state is what pages get. Other plugins make thumbnails again, backups come
 * back with new times, and files move to another host, without a word.
 */
class Imagewright_Truth {

	/** Registers the hooks. */
	public static function register() {
		// Last: the files are made by now, and plugins have sent them elsewhere.
		add_filter( 'wp_update_attachment_metadata', array( __CLASS__, 'expect' ), PHP_INT_MAX, 2 );
	}

	/**
	 * Attachments whose files another plugin may have made again in this request.
	 *
	 * @var array<int,int>
	 */
	private static $expected = array();

	/**
	 * Notes an attachment whose metadata is written again, even if it is the same as before.
	 *
	 * @param mixed $metadata Metadata.
	 * @param int   $id       Attachment.
	 * @return mixed The same metadata.
	 */
	public static function expect( $metadata, $id ) {
		if ( Imagewright_State::get( $id ) && ! Imagewright_Lock::is_mine( $id ) ) {
			if ( ! self::$expected ) {
				add_action( 'shutdown', array( __CLASS__, 'look' ) );
			}
			self::$expected[ $id ] = $id;
		}
		return $metadata;
	}

	/** Corrects the states of the noted attachments, and lets the queue put right what costs nothing. */
	public static function look() {
		foreach ( Imagewright_Shared::leads( self::$expected ) as $id ) {
			if ( 'outdated' === self::correct( $id ) && Imagewright_Options::all()['auto'] && Imagewright_Options::is_ready() ) {
				$user = get_current_user_id() ? get_current_user_id() : Imagewright_Access::administrator();
				Imagewright_Queue::add( array( $id ), 'new', time(), $user );
				Imagewright_Schedule::wake();
			}
		}
		self::$expected = array();
	}

	/**
	 * Returns true if pages get the files of an attachment from another host.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public static function is_offloaded( $id ) {
		$url = wp_get_attachment_url( $id );
		return is_string( $url ) && '' !== $url && ! Imagewright_Addresses::is_own( $url );
	}

	/**
	 * Returns why pages do not get the optimized files of an attachment. Asks for sizes and times of files only.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record of an optimized attachment.
	 * @return string `offloaded`; `outdated`: the files exist, and their sources seem to be the same; `stale`: it takes another export;
	 *     empty if pages get them.
	 */
	public static function gap( $id, $state ) {
		$beside = 'beside' === ( $state['way'] ?? '' );
		if ( $beside && self::is_offloaded( $id ) ) {
			return 'offloaded';
		}
		if ( Imagewright_State::is_edited( $id, $state, false ) ) {
			return $beside ? 'stale' : '';
		}
		return $beside ? self::gap_beside( $id, $state ) : self::gap_replaced( $id, $state );
	}

	/**
	 * Compares the files beside those of WordPress.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string Of gap().
	 */
	private static function gap_beside( $id, $state ) {
		$mime  = $state['after']['mime'];
		$known = $state['after']['shown'] ?? array();
		$gap   = '';
		foreach ( Imagewright_Shown::of( $id ) as $name => $file ) {
			$to = Imagewright_Beside::name( $file['path'], $mime );
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
			if ( ! Imagewright_Beside::fits( $to, $file['path'] ) ) {
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
	private static function gap_replaced( $id, $state ) {
		$known = $state['after']['shown'] ?? array();
		foreach ( $known ? Imagewright_Shown::of( $id ) : array() as $name => $file ) {
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
	public static function record( $id ) {
		$shown = array();
		foreach ( Imagewright_Shown::of( $id ) as $name => $file ) {
			$shown[ $name ] = array(
				'md5'  => md5_file( $file['path'] ),
				'size' => $file['bytes'],
			);
		}
		return $shown;
	}

	/**
	 * Lets pages show the optimized files again, if those of WordPress are byte for byte what they were. The caller holds the lock.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return bool True if pages get them now.
	 */
	public static function repair( $id, $state ) {
		$known = $state['after']['shown'] ?? array();
		if ( 'outdated' !== self::gap( $id, $state ) || Imagewright_State::is_edited( $id, $state ) ) {
			return false;
		}
		foreach ( Imagewright_Shown::of( $id ) as $name => $file ) {
			$to = Imagewright_Beside::name( $file['path'], $state['after']['mime'] );
			if ( ! in_array( wp_basename( $to ), $state['created'], true ) || Imagewright_Beside::fits( $to, $file['path'] ) ) {
				continue;
			}
			// Records of earlier versions lack the checksums. Their files were shown while they were not older.
			$same = isset( $known[ $name ] ) ? md5_file( $file['path'] ) === $known[ $name ]['md5'] : filemtime( $to ) >= filemtime( $file['path'] );
			if ( ! $same ) {
				return false;
			}
			Imagewright_Files::set_time( $to, Imagewright_Beside::time_for( $file['path'] ) );
		}
		$state['after']['shown'] = self::record( $id );
		Imagewright_State::set( $id, $state );
		/** This action is documented in includes/Replace/class-imagewright-replacement.php */
		do_action( 'imagewright_replaced', $id, $state );
		return '' === self::gap( $id, $state );
	}

	/**
	 * Compares an attachment with its row, and corrects that.
	 *
	 * @param int $id Attachment that leads its picture.
	 * @return string The new status if it was wrong, else empty.
	 */
	public static function correct( $id ) {
		$row    = Imagewright_Index::row( $id );
		$state  = Imagewright_State::get( $id );
		$status = $row['status'] ?? '';
		$right  = $status;
		if ( $state && 'optimized' === $state['status'] ) {
			$gap   = self::gap( $id, $state );
			$right = '' === $gap ? 'done' : $gap;
		} elseif ( ! $state && 'offloaded' === $status && ! self::is_offloaded( $id ) ) {
			$right = '';
		} elseif ( ! $state && 'changing' !== $status && 'offloaded' !== $status && self::is_offloaded( $id ) ) {
			Imagewright_State::note_failure( $id, Imagewright_Snapshot::fault( $id ) );
			Imagewright_Index::put( $id, array( 'checked' => time() ) );
			return 'offloaded';
		}
		if ( ! $row ) {
			return '';
		}
		$fields = array( 'checked' => time() );
		if ( $right !== $status ) {
			$fault   = 'offloaded' === $right ? Imagewright_Snapshot::fault( $id ) : null;
			$fields += array(
				'status'  => $right,
				'code'    => $fault ? (string) $fault->get_error_code() : '',
				'message' => $fault ? $fault->get_error_message() : '',
			);
		} else {
			$fields += array( 'updated' => $row['updated'] );
		}
		Imagewright_Index::put( $id, $fields );
		return $right === $status ? '' : $right;
	}
}
