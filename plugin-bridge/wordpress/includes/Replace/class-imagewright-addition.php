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

	/** Files that pages show. */
	private Imagewright_Shown $shown;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Records of images. */
	private Imagewright_State $state;
	/** Optimized files beside the files of WordPress. */
	private Imagewright_Beside $beside;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Settings. */
	private Imagewright_Options $options;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** States compared with the files that pages get. */
	private Imagewright_Truth $truth;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Files that attachments use. */
	private Imagewright_Owners $owners;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Shown       $shown       Files that pages show.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Beside      $beside      Optimized files beside the files of WordPress.
	 * @param Imagewright_Files       $files       Files below the uploads folder.
	 * @param Imagewright_Options     $options     Settings.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Truth       $truth       States compared with the files that pages get.
	 * @param Imagewright_Exclusions  $exclusions  Images that are left out, and failures.
	 * @param Imagewright_Snapshot    $snapshot    Snapshots of attachments.
	 * @param Imagewright_Owners      $owners      Files that attachments use.
	 */
	public function __construct(
		Imagewright_Shown $shown,
		Imagewright_Eligibility $eligibility,
		Imagewright_State $state,
		Imagewright_Beside $beside,
		Imagewright_Files $files,
		Imagewright_Options $options,
		Imagewright_Texts $texts,
		Imagewright_Truth $truth,
		Imagewright_Exclusions $exclusions,
		Imagewright_Snapshot $snapshot,
		Imagewright_Owners $owners
	) {
		$this->shown       = $shown;
		$this->eligibility = $eligibility;
		$this->state       = $state;
		$this->beside      = $beside;
		$this->files       = $files;
		$this->options     = $options;
		$this->texts       = $texts;
		$this->truth       = $truth;
		$this->exclusions  = $exclusions;
		$this->snapshot    = $snapshot;
		$this->owners      = $owners;
	}

	/**
	 * Chooses the variants that are smaller than the files in use.
	 *
	 * @param int   $id     Attachment.
	 * @param array $result Result of the export.
	 * @return array{files:array<string,array>,variants:array<int,array>,shown:array<string,array>}|WP_Error Variants by name of the file.
	 */
	public function choose( $id, $result ) {
		$shown = $this->shown->of( $id );
		$files = $this->shown->smaller( $shown, $result['variants'] );
		if ( ! $files ) {
			return $this->eligibility->not_smaller( $result, (int) array_sum( array_column( $shown, 'served' ) ) );
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
	public function place( $id, $result, $chosen, $paths, $options ) {
		$mime  = $result['mimeType'];
		$state = $this->record( $id, $result, $chosen, $options );
		// Stored before the files are moved, so that a later request can undo it after a crash.
		$this->state->set( $id, $state );
		$placed = array();
		foreach ( $chosen['files'] as $name => $variant ) {
			$source = $chosen['shown'][ $name ]['path'];
			$to     = $this->beside->name( $source, $mime );
			$done   = is_file( $source ) && ( isset( $placed[ $variant['name'] ] ) ? $this->files->copy_over( $placed[ $variant['name'] ], $to ) : $this->files->move( $paths[ $variant['name'] ], $to ) );
			if ( ! $done ) {
				$this->take_away( $id, $state );
				return Imagewright_Rest_Errors::make( 'not_saved', __( 'The files could not be saved in the uploads folder.', 'imagewright' ), 500 );
			}
			// Pages show the file as long as that of WordPress does not change.
			$this->files->set_time( $to, $this->beside->time_for( $source ) );
			$placed[ $variant['name'] ] = $to;
		}
		$this->options->deliver( $mime );
		$written = $this->texts->fill( $id, $options['alt'] ?? null, $options['title'] ?? null, (array) ( $options['confirmed'] ?? array() ), wp_basename( $state['snapshot']['attached_file'] ) );
		$state   = array_merge( $state, array( 'status' => 'optimized' ) );
		$state['after']['texts'] = $written;
		$state['after']['shown'] = $this->truth->record( $id );
		$this->state->set( $id, $state );
		$this->exclusions->clear_failure( $id );
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
	private function record( $id, $result, $chosen, $options ) {
		$attached = (string) get_post_meta( $id, '_wp_attached_file', true );
		$alt      = get_post_meta( $id, Imagewright_Texts::ALT );
		$bytes    = array_column( $chosen['shown'], 'served' );
		$saved    = 0;
		$created  = array();
		foreach ( $chosen['files'] as $name => $variant ) {
			$saved    += $chosen['shown'][ $name ]['served'] - (int) $variant['size'];
			$created[] = $this->beside->name( $name, $result['mimeType'] );
		}
		$this->list_for_deletion( $id, $created );
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
				'files' => $this->snapshot->checksums( dirname( get_attached_file( $id, true ) ), array( wp_basename( $attached ) ) ),
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
			'carries'  => Imagewright_Status_Text::record( $result, $options['carries'] ?? array() ),
		);
	}

	/**
	 * Removes the files and the texts that were written with them.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return true
	 */
	public function take_away( $id, $state ) {
		$this->remove_files( $id, $state );
		foreach ( $this->state->attachments( $id ) as $one ) {
			$own = $this->state->get( $one ) ?? $state;
			$this->texts->take_back( $one, $own['snapshot'], $own['after']['texts'] ?? array() );
		}
		$this->state->clear( $id );
		return true;
	}

	/**
	 * Removes the files, and their list for WordPress.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 */
	public function remove_files( $id, $state ) {
		$dir    = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		$theirs = $this->owners->foreign( $id, $state, $state['created'] );
		// First: plugins for translations keep files that an attachment lists.
		$this->list_for_deletion( $id, array() );
		foreach ( array_diff( $state['created'], $theirs ) as $name ) {
			$this->files->remove( path_join( $dir, $name ) );
		}
	}

	/**
	 * Lists files for WordPress to delete with the attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names; none to remove the list.
	 */
	private function list_for_deletion( $id, $names ) {
		foreach ( $this->state->attachments( $id ) as $one ) {
			$this->list_for( $one, $names );
		}
	}

	/**
	 * Lists files for WordPress to delete with one attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names; none to remove the list.
	 */
	private function list_for( $id, $names ) {
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
