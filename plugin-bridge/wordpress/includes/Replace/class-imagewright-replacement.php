<?php
/**
 * Replacement of an attachment's files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Replaces an attachment's files by those of a full export. Restores the attachment if a step fails. Deletes the originals when they are
 * no longer wanted, after which they cannot be restored: files in use stay, and so do those of an image whose old address any post,
 * setting or other plugin still names.
 */
class Imagewright_Replacement {

	/** Records of images. */
	private Imagewright_State $state;
	/** Restoration of attachments. */
	private Imagewright_Restoration $restoration;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Optimized files beside those of WordPress. */
	private Imagewright_Addition $addition;
	/** Results of exports, and their files. */
	private Imagewright_Result $result;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** Exchange of files. */
	private Imagewright_Exchange $exchange;
	/** Settings. */
	private Imagewright_Options $options;
	/** Plans of replacements. */
	private Imagewright_Plan $plan;
	/** Files that attachments use. */
	private Imagewright_Owners $owners;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Snapshots of attachments. */
	private Imagewright_Snapshot $snapshot;
	/** Pictures that other programs replaced. */
	private Imagewright_Former $former;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State       $state       Records of images.
	 * @param Imagewright_Restoration $restoration Restoration of attachments.
	 * @param Imagewright_Eligibility $eligibility Eligibility for an export.
	 * @param Imagewright_Addition    $addition    Optimized files beside those of WordPress.
	 * @param Imagewright_Result      $result      Results of exports, and their files.
	 * @param Imagewright_Lock        $lock        Locks of attachments.
	 * @param Imagewright_Exchange    $exchange    Exchange of files.
	 * @param Imagewright_Options     $options     Settings.
	 * @param Imagewright_Plan        $plan        Plans of replacements.
	 * @param Imagewright_Owners      $owners      Files that attachments use.
	 * @param Imagewright_Files       $files       Files below the uploads folder.
	 * @param Imagewright_Snapshot    $snapshot    Snapshots of attachments.
	 * @param Imagewright_Former      $former      Pictures that other programs replaced.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Restoration $restoration,
		Imagewright_Eligibility $eligibility,
		Imagewright_Addition $addition,
		Imagewright_Result $result,
		Imagewright_Lock $lock,
		Imagewright_Exchange $exchange,
		Imagewright_Options $options,
		Imagewright_Plan $plan,
		Imagewright_Owners $owners,
		Imagewright_Files $files,
		Imagewright_Snapshot $snapshot,
		Imagewright_Former $former
	) {
		$this->state       = $state;
		$this->restoration = $restoration;
		$this->eligibility = $eligibility;
		$this->addition    = $addition;
		$this->result      = $result;
		$this->lock        = $lock;
		$this->exchange    = $exchange;
		$this->options     = $options;
		$this->plan        = $plan;
		$this->owners      = $owners;
		$this->files       = $files;
		$this->snapshot    = $snapshot;
		$this->former      = $former;
	}

	/**
	 * Replaces the files of an attachment by the result of an export. The caller holds the attachment's lock.
	 *
	 * @param int    $id      Attachment.
	 * @param string $job_id  Export of a session that the current user created.
	 * @param string $image   Image of that export.
	 * @param array  $options `alt`, `title`, `filename` (string or null), `confirmed` (fields that replace existing texts),
	 *                        `allow_larger`, `job`, `texts` (callable: takes the result, returns `alt` and `title` or WP_Error; called
	 *                        after the result was accepted).
	 * @return array|WP_Error The new record.
	 */
	public function run( $id, $job_id, $image, $options ) {
		$this->former->let_go( $id, true );
		$state = $this->state->get( $id );
		if ( $state && 'optimized' !== $state['status'] ) {
			$undone = $this->restoration->put_back( $id, $state, true );
			if ( is_wp_error( $undone ) ) {
				return $undone;
			}
			$state = null;
		}
		if ( $state && $this->state->is_edited( $id, $state ) ) {
			if ( 'beside' !== ( $state['way'] ?? '' ) ) {
				return $this->eligibility->edited();
			}
			// The optimized files of the picture before. Nothing of WordPress was replaced.
			$this->addition->take_away( $id, $state );
			$state = null;
		}
		if ( $state && $state['job'] === $job_id && $state['image'] === $image ) {
			return $state;
		}
		$ready = $this->choose( $id, $state, $job_id, $image, $options );
		if ( is_wp_error( $ready ) ) {
			return $ready;
		}
		list( $beside, $result, $roles ) = $ready;
		$state = $this->state->get( $id );
		$texts = isset( $options['texts'] ) ? call_user_func( $options['texts'], $result ) : array();
		if ( is_wp_error( $texts ) ) {
			return $texts;
		}
		$options = $texts + $options;
		$paths   = $this->result->fetch( $result['session'], $roles['variants'], $result['mimeType'], ! $beside );
		if ( is_wp_error( $paths ) ) {
			return $paths;
		}
		try {
			// The lock may have expired or the image may have changed during the download.
			$mine = $this->lock->renew( $id );
			if ( is_wp_error( $mine ) ) {
				return $mine;
			}
			// Loose comparison: two arrays with the same content.
			if ( $this->state->get( $id ) != $state || ( $state && $this->state->is_edited( $id, $state ) ) ) {
				return $this->result->changed();
			}
			$restored = $state ? $this->restoration->put_back( $id, $state, false ) : true;
			if ( is_wp_error( $restored ) ) {
				return $restored;
			}
			return $beside ? $this->addition->place( $id, $result, $roles, $paths, $options ) : $this->exchange->run( $id, $result, $roles, $paths, $options );
		} finally {
			$this->result->discard( $paths );
		}
	}

	/**
	 * Reads the result and chooses the files to use.
	 *
	 * @param int        $id      Attachment.
	 * @param array|null $state   Its record.
	 * @param string     $job_id  Export.
	 * @param string     $image   Image of that export.
	 * @param array      $options Of run().
	 * @return array{0:bool,1:array,2:array}|WP_Error True for files beside those of WordPress; result; files with their variants.
	 */
	private function choose( $id, $state, $job_id, $image, $options ) {
		// A new name changes addresses, so such files take the place of the old ones.
		$beside = 'beside' === $this->options->all()['delivery'] && empty( $options['filename'] );
		$larger = ! empty( $options['allow_larger'] );
		$result = $this->result->read( $id, $job_id, $image, $beside || $larger );
		if ( is_wp_error( $result ) ) {
			return $result;
		}
		// A browser would show the first frame of an animation instead of a file that moves.
		$whole = array_filter( $result['variants'], static fn( $variant ) => $larger || ! in_array( 'animation', (array) ( $variant['lacks'] ?? array() ), true ) );
		if ( ! $whole ) {
			return $this->eligibility->not_moving( $result, (int) $result['original']['size'] );
		}
		$result['variants'] = array_values( $whole );
		if ( $state && ( $beside xor 'beside' === ( $state['way'] ?? '' ) ) ) {
			// The files are compared with WordPress's own.
			$restored = $this->restoration->put_back( $id, $state, false );
			if ( is_wp_error( $restored ) ) {
				return $restored;
			}
		}
		$roles = $beside ? $this->addition->choose( $id, $result ) : $this->plan->roles( $id, $result, $larger );
		return is_wp_error( $roles ) ? $roles : array( $beside, $result, $roles );
	}

	/**
	 * Deletes the originals of an attachment. The caller holds its lock.
	 *
	 * @param int $id Attachment.
	 * @return true|WP_Error
	 */
	public function discard( $id ) {
		$state = $this->state->get( $id );
		if ( ! $state || 'optimized' !== $state['status'] || 'beside' === ( $state['way'] ?? '' ) || ! empty( $state['discarded'] ) ) {
			return true;
		}
		if ( ! current_user_can( 'manage_options' ) ) {
			return Imagewright_Rest_Errors::make( 'may_not_change', __( 'The user who started this may not change the image.', 'imagewright' ), 422 );
		}
		$file = $state['snapshot']['attached_file'];
		$dir  = dirname( path_join( wp_get_upload_dir()['basedir'], $file ) );
		$gone = array_values( array_intersect_key( $state['copies'], $state['snapshot']['files'] ) );
		$rest = array_diff( array_keys( array_diff_key( $state['snapshot']['files'], $state['copies'] ) ), $this->in_use( $id, $state ) );
		if ( $rest && ! $this->is_named( $state['snapshot'] ) ) {
			$gone = array_merge( $gone, array_diff( $rest, $this->owners->others( $file, $rest, $this->state->attachments( $id ) ) ) );
		}
		$state['discarded'] = true;
		// Stored first: after an interruption the image is not restored from half of its files.
		$this->state->set( $id, $state );
		foreach ( $gone as $name ) {
			$this->files->remove( path_join( $dir, $name ) );
		}
		foreach ( $this->state->attachments( $id ) as $one ) {
			$this->unlist( $one, $gone );
		}
		return true;
	}

	/**
	 * Lists the files that the attachment uses now.
	 *
	 * @param int   $id    Attachment.
	 * @param array $state Record.
	 * @return string[] Names.
	 */
	private function in_use( $id, $state ) {
		$metadata = get_post_meta( $id, '_wp_attachment_metadata', true );
		return array_merge( $state['created'], $this->snapshot->names( (string) get_post_meta( $id, '_wp_attached_file', true ), is_array( $metadata ) ? $metadata : array() ) );
	}

	/**
	 * Returns true if anything names an old address: posts, terms, comments, users, their metadata, widgets or settings of themes and
	 * plugins. Slashes may be written in any way, letters as in URLs and in JSON, and any address that begins alike counts, so that none
	 * is lost.
	 *
	 * @param array $snapshot Snapshot.
	 * @return bool
	 */
	private function is_named( $snapshot ) {
		global $wpdb;
		$stem  = preg_replace( '/(-scaled|-rotated)?\.\w+$/', '', $snapshot['attached_file'] );
		$json  = trim( (string) wp_json_encode( $stem, JSON_UNESCAPED_SLASHES ), '"' );
		$likes = array();
		foreach ( array_unique( array( $stem, implode( '/', array_map( 'rawurlencode', explode( '/', $stem ) ) ), $json, addslashes( $json ) ) ) as $form ) {
			$likes[] = '%' . str_replace( '/', '%', $wpdb->esc_like( $form ) ) . '%';
		}
		$finds = static function ( $from, $column, $others = '1 = 1' ) use ( $wpdb, $likes ) {
			$named = implode( ' OR ', array_fill( 0, count( $likes ), "$column LIKE %s" ) );
			return null !== $wpdb->get_var( $wpdb->prepare( "SELECT 1 FROM $from WHERE ( $named ) AND $others LIMIT 1", $likes ) ); // phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared,WordPress.DB.PreparedSQLPlaceholders.UnfinishedPrepare -- names of tables and columns.
		};
		return $finds( $wpdb->posts, 'post_content', "post_type NOT IN ('attachment','revision')" )
			|| $finds( $wpdb->posts, 'post_excerpt', "post_type NOT IN ('attachment','revision')" )
			|| $finds( $wpdb->postmeta, 'meta_value', "meta_key NOT LIKE '_wp_attach%' AND meta_key NOT LIKE '_imagewright%'" )
			|| $finds( $wpdb->options, 'option_value', "option_name NOT LIKE '_transient%' AND option_name NOT LIKE '_site_transient%'" )
			|| $finds( $wpdb->term_taxonomy, 'description' )
			|| $finds( $wpdb->termmeta, 'meta_value' )
			|| $finds( $wpdb->comments, 'comment_content' )
			|| $finds( $wpdb->commentmeta, 'meta_value' )
			|| $finds( $wpdb->usermeta, 'meta_value' );
	}

	/**
	 * Removes deleted files from the list of files that WordPress deletes with the attachment.
	 *
	 * @param int      $id    Attachment.
	 * @param string[] $names Names.
	 */
	private function unlist( $id, $names ) {
		$sizes = array_filter(
			(array) get_post_meta( $id, '_wp_attachment_backup_sizes', true ),
			static function ( $size ) use ( $names ) {
				return is_array( $size ) && ! in_array( $size['file'], $names, true );
			}
		);
		if ( $sizes ) {
			update_post_meta( $id, '_wp_attachment_backup_sizes', wp_slash( $sizes ) );
		} else {
			delete_post_meta( $id, '_wp_attachment_backup_sizes' );
		}
	}
}
