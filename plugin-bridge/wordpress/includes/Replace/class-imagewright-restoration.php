<?php
/**
 * Restoration of attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Restores the original files of an attachment byte for byte and removes the files of the replacement. Every step can be repeated.
 */
class Imagewright_Restoration {

	/** Records of images. */
	private Imagewright_State $state;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Optimized files beside those of WordPress. */
	private Imagewright_Addition $addition;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Versions of URLs and caches of pages. */
	private Imagewright_Caches $caches;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** Image sizes of the site. */
	private Imagewright_Sizes $sizes;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Attachments that come to share a file. */
	private Imagewright_Gathering $gathering;
	/** Files that attachments use. */
	private Imagewright_Owners $owners;
	/** Pictures that other programs replaced. */
	private Imagewright_Former $former;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Exclusions  $exclusions  Images that are left out, and failures.
	 * @param Imagewright_Addition    $addition    Optimized files beside those of WordPress.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Files       $files       Files below the uploads folder.
	 * @param Imagewright_Caches      $caches      Versions of URLs and caches of pages.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Sizes       $sizes       Image sizes of the site.
	 * @param Imagewright_Snapshot    $snapshot    Snapshots of attachments.
	 * @param Imagewright_Gathering   $gathering   Attachments that come to share a file.
	 * @param Imagewright_Owners      $owners      Files that attachments use.
	 * @param Imagewright_Former      $former      Pictures that other programs replaced.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Exclusions $exclusions,
		Imagewright_Addition $addition,
		Imagewright_Eligibility $eligibility,
		Imagewright_Files $files,
		Imagewright_Caches $caches,
		Imagewright_Texts $texts,
		Imagewright_Sizes $sizes,
		Imagewright_Snapshot $snapshot,
		Imagewright_Gathering $gathering,
		Imagewright_Owners $owners,
		Imagewright_Former $former
	) {
		$this->state       = $state;
		$this->exclusions  = $exclusions;
		$this->addition    = $addition;
		$this->eligibility = $eligibility;
		$this->files       = $files;
		$this->caches      = $caches;
		$this->texts       = $texts;
		$this->sizes       = $sizes;
		$this->snapshot    = $snapshot;
		$this->gathering   = $gathering;
		$this->owners      = $owners;
		$this->former      = $former;
	}

	/**
	 * Restores an attachment. The caller holds its lock.
	 *
	 * @param int  $id    Attachment.
	 * @param bool $force True to discard edits made after the replacement.
	 * @return bool|WP_Error True if it was restored, false if it was not optimized.
	 */
	public function run( $id, $force ) {
		$state = $this->state->get( $id );
		if ( ! $state || $this->former->let_go( $id, true ) ) {
			return false;
		}
		if ( 'optimized' === $state['status'] && ! $force && $this->state->is_edited( $id, $state ) ) {
			return Imagewright_Rest_Errors::make( 'edited', __( 'The image was edited after it was optimized. Restoring discards these edits.', 'imagewright' ), 409, array( 'needs' => 'force' ) );
		}
		/**
		 * Fires before an attachment is restored.
		 *
		 * @param int $id Attachment.
		 */
		do_action( 'imagewright_before_restore', $id );
		$done = $this->put_back( $id, $state, $force );
		if ( true === $done ) {
			$this->exclusions->clear_failure( $id );
			/**
			 * Fires after an attachment was restored: for caches and for plugins that copy files elsewhere.
			 *
			 * @param int $id Attachment.
			 */
			do_action( 'imagewright_restored', $id );
		}
		return $done;
	}

	/**
	 * Restores files, metadata and texts.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @param bool  $all   True to also remove files of later edits and to regenerate lost sizes.
	 * @return true|WP_Error
	 */
	public function put_back( $id, $state, $all ) {
		if ( 'beside' === ( $state['way'] ?? '' ) ) {
			return $this->addition->take_away( $id, $state );
		}
		$loss = $this->eligibility->loss( $state );
		if ( $loss ) {
			return $loss;
		}
		$snapshot = $state['snapshot'];
		$dir      = dirname( path_join( wp_get_upload_dir()['basedir'], $snapshot['attached_file'] ) );
		$sources  = $this->sources( $snapshot, $state['copies'], $dir, $all );
		if ( is_wp_error( $sources ) ) {
			return $sources;
		}
		$remove = $this->leftovers( $id, $state, $all );
		$moved  = array_keys( array_filter( $sources, static fn( $source, $name ) => $source !== $name, ARRAY_FILTER_USE_BOTH ) );
		$theirs = $this->owners->foreign( $id, $state, array_diff( array_merge( $moved, $remove ), $sources ) );
		$taken  = array_intersect( $moved, $theirs );
		if ( $taken ) {
			return $this->missing( $taken, false );
		}
		$state['status'] = 'optimized' === $state['status'] ? 'restoring' : $state['status'];
		$this->state->set( $id, $state );
		foreach ( $sources as $name => $source ) {
			if ( $source !== $name && ! $this->files->move( path_join( $dir, $source ), path_join( $dir, $name ) ) ) {
				return Imagewright_Rest_Errors::make( 'not_saved', __( 'The files could not be saved in the uploads folder.', 'imagewright' ), 500 );
			}
		}
		$lost   = array_diff( array_keys( $snapshot['files'] ), array_keys( $sources ) );
		foreach ( $this->state->attachments( $id ) as $one ) {
			$own = $this->state->get( $one ) ?? $state;
			$this->caches->renew( $one, array_keys( $state['copies'] ) );
			$this->describe( $one, $own['snapshot'], $lost );
			$this->texts->take_back( $one, $own['snapshot'], $own['after']['texts'] ?? array() );
		}
		foreach ( array_diff( $remove, $theirs ) as $name ) {
			$this->files->remove( path_join( $dir, $name ) );
		}
		$this->state->clear( $id );
		clean_attachment_cache( $id );
		if ( $lost ) {
			$this->sizes->make_missing( $id );
			$this->state->spread_metadata( $id );
		}
		return true;
	}

	/**
	 * Finds the original files and verifies them, before any file is moved.
	 *
	 * @param array                $snapshot Snapshot.
	 * @param array<string,string> $copies   Name of an overwritten file => name of its copy.
	 * @param string               $dir      Folder.
	 * @param bool                 $some     True if the files from which WordPress can regenerate the others are enough.
	 * @return array<string,string>|WP_Error Original name => current name.
	 */
	private function sources( $snapshot, $copies, $dir, $some ) {
		$sources = array();
		$lost    = array();
		foreach ( $snapshot['files'] as $name => $file ) {
			foreach ( array( $name, $copies[ $name ] ?? $name ) as $candidate ) {
				$path = path_join( $dir, $candidate );
				if ( is_file( $path ) && md5_file( $path ) === $file['md5'] ) {
					$sources[ $name ] = $candidate;
					break;
				}
			}
			if ( ! isset( $sources[ $name ] ) ) {
				$lost[] = $name;
			}
		}
		$needed = array_intersect( $lost, $this->snapshot->essential( $snapshot['attached_file'], $snapshot['metadata'] ) );
		if ( $needed || ( $lost && ! $some ) ) {
			return $this->missing( $lost, ! $needed );
		}
		return $sources;
	}

	/**
	 * Creates the error for files that cannot be restored.
	 *
	 * @param string[] $names     Names.
	 * @param bool     $can_force True if the others can be restored without them.
	 * @return WP_Error
	 */
	private function missing( $names, $can_force ) {
		return Imagewright_Rest_Errors::make(
			'backup_missing',
			/* translators: %s: file names */
			sprintf( __( 'Nothing was changed: the original files are missing or were altered (%s).', 'imagewright' ), implode( ', ', $names ) ),
			409,
			array( 'files' => array_values( $names ) ) + ( $can_force ? array( 'needs' => 'force' ) : array() )
		);
	}

	/**
	 * Lists the files to remove: new files, copies, and sizes made from the new files later.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @param bool  $all   True to include files of later edits.
	 * @return string[] Names.
	 */
	private function leftovers( $id, $state, $all ) {
		$snapshot = $state['snapshot'];
		$names    = array_merge( $state['created'], array_values( $state['copies'] ) );
		$attached = (string) get_post_meta( $id, '_wp_attached_file', true );
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		$same_dir = dirname( $attached ) === dirname( $snapshot['attached_file'] );
		$is_ours  = $attached === ( $state['after']['file'] ?? '' );
		if ( $same_dir && is_array( $metadata ) && ( $all || $is_ours ) ) {
			$names = array_merge( $names, $this->snapshot->names( $attached, $metadata ) );
			foreach ( (array) get_post_meta( $id, '_wp_attachment_backup_sizes', true ) as $size ) {
				$names[] = is_array( $size ) ? (string) $size['file'] : '';
			}
		}
		$keep = array_merge( array( '' ), array_keys( $snapshot['files'] ), $snapshot['others'] ?? array(), array_column( (array) $snapshot['backup_sizes'], 'file' ) );
		return array_values( array_unique( array_diff( $names, $keep ) ) );
	}

	/**
	 * Restores the attachment's metadata.
	 *
	 * @param int      $id       Attachment.
	 * @param array    $snapshot Snapshot.
	 * @param string[] $lost     Names of missing files.
	 */
	private function describe( $id, $snapshot, $lost ) {
		if ( null === $snapshot['backup_sizes'] ) {
			delete_post_meta( $id, '_wp_attachment_backup_sizes' );
		} else {
			update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( $snapshot['backup_sizes'] ) );
		}
		update_post_meta( $id, '_wp_attached_file', wp_slash( $snapshot['attached_file'] ) );
		if ( get_post_mime_type( $id ) !== $snapshot['mime'] ) {
			wp_update_post(
				array(
					'ID'             => $id,
					'post_mime_type' => $snapshot['mime'],
				)
			);
		}
		$metadata = $snapshot['metadata'];
		foreach ( (array) ( $metadata['sizes'] ?? array() ) as $name => $size ) {
			if ( in_array( $size['file'] ?? '', $lost, true ) ) {
				unset( $metadata['sizes'][ $name ] );
			}
		}
		wp_update_attachment_metadata( $id, wp_slash( $metadata ) );
		clean_attachment_cache( $id );
	}

	/**
	 * Removes the files of a deleted attachment that core does not find in its metadata.
	 *
	 * @param int $id Attachment.
	 */
	public function forget_deleted( $id ) {
		$state = $this->state->get( $id );
		if ( ! $state || $this->gathering->are_shared( $id ) ) {
			return;
		}
		$dir   = dirname( path_join( wp_get_upload_dir()['basedir'], $state['snapshot']['attached_file'] ) );
		$names = array_merge( array_keys( $state['snapshot']['files'] ), $state['snapshot']['others'] ?? array(), $state['created'], array_values( $state['copies'] ) );
		foreach ( array_unique( $names ) as $name ) {
			$this->files->remove( path_join( $dir, $name ) );
		}
	}
}
