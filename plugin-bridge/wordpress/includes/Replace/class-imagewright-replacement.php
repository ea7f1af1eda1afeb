<?php
/**
 * Replacement of an attachment's files.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Replaces an attachment's files by those of a full export. Restores the attachment if a step fails.
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
		Imagewright_Plan $plan
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
	}

	/**
	 * Replaces the files of an attachment by the result of an export. The caller holds the attachment's lock.
	 *
	 * @param int    $id      Attachment.
	 * @param string $job_id  Export of a session that the current user created.
	 * @param string $image   Image of that export.
	 * @param array  $options `alt`, `title`, `filename` (string or null), `confirmed` (fields that replace existing texts),
	 *                        `allow_larger`, `job`, `texts` (callable that returns `alt` and `title` or WP_Error; called
	 *                        after the result was accepted).
	 * @return array|WP_Error The new record.
	 */
	public function run( $id, $job_id, $image, $options ) {
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
		$texts = isset( $options['texts'] ) ? call_user_func( $options['texts'] ) : array();
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
}
