<?php
/**
 * Optimized files beside those of WordPress.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Saves the optimized files of an attachment beside those of WordPress, and removes them. Changes no file and no metadata of
 * WordPress but `_wp_attachment_backup_sizes`: WordPress deletes the files listed there with the attachment, without the plugin too.
 */
class Imagewright_Addition {

	/**
	 * Chooses the variants that are smaller than the files in use.
	 *
	 * @param int   $id     Attachment.
	 * @param array $result Result of the export.
	 * @return array{files:array<string,array>,variants:array<int,array>,shown:array<string,array>}|WP_Error Variants by name of the file.
	 */
	public static function choose( $id, $result ) {
		$shown = Imagewright_Shown::of( $id );
		$files = Imagewright_Shown::smaller( $shown, $result['variants'] );
		if ( ! $files ) {
			return Imagewright_Eligibility::not_smaller( $result, (int) array_sum( array_column( $shown, 'bytes' ) ) );
		}
		return array(
			'files'    => $files,
			'variants' => array_values( array_column( $files, null, 'name' ) ),
			'shown'    => $shown,
		);
	}

	/**
	 * Saves the files.
	 *
	 * @param int                  $id      Attachment.
	 * @param array                $result  Checked result.
	 * @param array                $chosen  Of choose().
	 * @param array<string,string> $paths   Downloaded files by name of the variant.
	 * @param array                $options Of Imagewright_Replacement::run().
	 * @return array|WP_Error The record.
	 */
	public static function place( $id, $result, $chosen, $paths, $options ) {
		$mime  = $result['mimeType'];
		$state = self::record( $id, $result, $chosen, $options );
		// Stored before the files are moved, so that a later request can undo it after a crash.
		Imagewright_State::set( $id, $state );
		$placed = array();
		foreach ( $chosen['files'] as $name => $variant ) {
			$source = $chosen['shown'][ $name ]['path'];
			$to     = Imagewright_Beside::name( $source, $mime );
			Imagewright_Files::remove( $to );
			$done = is_file( $source ) && ( isset( $placed[ $variant['name'] ] ) ? Imagewright_Files::duplicate( $placed[ $variant['name'] ], $to ) : Imagewright_Files::move( $paths[ $variant['name'] ], $to ) );
			if ( ! $done ) {
				self::take_away( $id, $state );
				return Imagewright_Rest_Errors::make( 'not_saved', __( 'The files could not be saved in the uploads folder.', 'imagewright' ), 500 );
			}
			// Pages show the file as long as that of WordPress does not change.
			Imagewright_Files::set_time( $to, Imagewright_Beside::time_for( $source ) );
			$placed[ $variant['name'] ] = $to;
		}
		Imagewright_Options::deliver( $mime );
		$written = Imagewright_Texts::fill( $id, $options['alt'] ?? null, $options['title'] ?? null, (array) ( $options['confirmed'] ?? array() ), wp_basename( $state['snapshot']['attached_file'] ) );
		$state   = array_merge( $state, array( 'status' => 'optimized' ) );
		$state['after']['texts'] = $written;
		$state['after']['shown'] = Imagewright_Truth::record( $id );
		Imagewright_State::set( $id, $state );
		Imagewright_State::clear_failure( $id );
		/** This action is documented in includes/Replace/class-imagewright-replacement.php */
		do_action( 'imagewright_replaced', $id, $state );
		return $state;
	}

	/**
	 * Builds the record.
	 *
	 * @param int   $id      Attachment.
	 * @param array $result  Checked result.
	 * @param array $chosen  Of choose().
	 * @param array $options Of Imagewright_Replacement::run().
	 * @return array
	 */
	private static function record( $id, $result, $chosen, $options ) {
		$attached = (string) get_post_meta( $id, '_wp_attached_file', true );
		$alt      = get_post_meta( $id, Imagewright_Texts::ALT );
		$bytes    = array_column( $chosen['shown'], 'bytes' );
		$saved    = 0;
		$created  = array();
		foreach ( $chosen['files'] as $name => $variant ) {
			$saved    += $chosen['shown'][ $name ]['bytes'] - (int) $variant['size'];
			$created[] = Imagewright_Beside::name( $name, $result['mimeType'] );
		}
		self::list_for_deletion( $id, $created );
		return array(
			'status'   => 'replacing',
			'way'      => 'beside',
			'snapshot' => array(
				'attached_file' => $attached,
				'alt'           => $alt ? (string) $alt[0] : null,
				'title'         => get_post( $id )->post_title,
				'files'         => array(),
			),
			'created'  => $created,
			'copies'   => array(),
			'job'      => $options['job'],
			'image'    => $result['imageId'],
			'at'       => time(),
			'after'    => array(
				'file'  => $attached,
				'mime'  => $result['mimeType'],
				'texts' => array(),
				'files' => Imagewright_Snapshot::checksums( dirname( get_attached_file( $id, true ) ), array( wp_basename( $attached ) ) ),
			),
			'bytes'    => array(
				'before' => array_sum( $bytes ),
				'after'  => array_sum( $bytes ) - $saved,
			),
			'quality'  => array(
				'format' => (string) $result['format'],
				'preset' => (string) ( $result['quality']['preset'] ?? '' ),
				'score'  => isset( $result['quality']['score'] ) ? (float) $result['quality']['score'] : null,
			),
			'warnings' => array_column( (array) $result['warnings'], 'code' ),
			'carries'  => Imagewright_Carried::record( $result, $options['carries'] ?? array() ),
		);
	}

	/**
	 * Removes the files and the texts that were written with them.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return true
	 */
	public static function take_away( $id, $state ) {
		self::remove_files( $id, $state );
		foreach ( Imagewright_Shared::of( $id ) as $one ) {
			$own = Imagewright_State::get( $one ) ?? $state;
			Imagewright_Texts::take_back( $one, $own['snapshot'], $own['after']['texts'] ?? array() );
		}
		Imagewright_State::clear( $id );
		return true;
	}

	/**
	 * Removes the files, and their list for WordPress.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 */
	public static function remove_files( $id, $state ) {
		$dir = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		// First: plugins for translations keep files that an attachment lists.
		self::list_for_deletion( $id, array() );
		foreach ( $state['created'] as $name ) {
			Imagewright_Files::remove( path_join( $dir, $name ) );
		}
	}

	/**
	 * Lists files for WordPress to delete with the attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names; none to remove the list.
	 */
	private static function list_for_deletion( $id, $names ) {
		foreach ( Imagewright_Shared::of( $id ) as $one ) {
			self::list_for( $one, $names );
		}
	}

	/**
	 * Lists files for WordPress to delete with one attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names; none to remove the list.
	 */
	private static function list_for( $id, $names ) {
		$sizes = array();
		foreach ( (array) get_post_meta( $id, '_wp_attachment_backup_sizes', true ) as $key => $size ) {
			if ( is_array( $size ) && ! preg_match( '/^\d+-imagewright$/', (string) $key ) ) {
				$sizes[ $key ] = $size;
			}
		}
		foreach ( $names as $number => $name ) {
			$sizes[ "$number-imagewright" ] = array(
				'file'   => $name,
				'width'  => 0,
				'height' => 0,
			);
		}
		if ( $sizes ) {
			update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( $sizes ) );
		} else {
			delete_post_meta( $id, '_wp_attachment_backup_sizes' );
		}
	}
}
