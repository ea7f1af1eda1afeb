<?php
/**
 * Routes that change attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Sends, optimizes, replaces and restores attachments. Every route requires the permission to edit the attachment.
 */
class Imagewright_Rest_Media {

	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Checkpoints of optimizations. */
	private Imagewright_Checkpoint $checkpoint;
	/** Optimization of one attachment. */
	private Imagewright_Optimization $optimization;
	/** Replacement of an attachment's files. */
	private Imagewright_Replacement $replacement;
	/** Restoration of attachments. */
	private Imagewright_Restoration $restoration;
	/** Status field of an attachment. */
	private Imagewright_Attachment_Field $attachment_field;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Versions of URLs and caches of pages. */
	private Imagewright_Caches $caches;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Rest_Rules       $rest_rules       Rules of routes.
	 * @param Imagewright_Sessions         $sessions         Ownership of sessions and jobs.
	 * @param Imagewright_Eligibility      $eligibility      Eligibility for an export.
	 * @param Imagewright_Source           $source           Source files of attachments.
	 * @param Imagewright_Access           $access           Permissions of users.
	 * @param Imagewright_Checkpoint       $checkpoint       Checkpoints of optimizations.
	 * @param Imagewright_Optimization     $optimization     Optimization of one attachment.
	 * @param Imagewright_Replacement      $replacement      Replacement of an attachment's files.
	 * @param Imagewright_Restoration      $restoration      Restoration of attachments.
	 * @param Imagewright_Attachment_Field $attachment_field Status field of an attachment.
	 * @param Imagewright_Index            $index            Rows of images.
	 * @param Imagewright_Exclusions       $exclusions       Images that are left out, and failures.
	 * @param Imagewright_Caches           $caches           Versions of URLs and caches of pages.
	 */
	public function __construct(
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Sessions $sessions,
		Imagewright_Eligibility $eligibility,
		Imagewright_Source $source,
		Imagewright_Access $access,
		Imagewright_Checkpoint $checkpoint,
		Imagewright_Optimization $optimization,
		Imagewright_Replacement $replacement,
		Imagewright_Restoration $restoration,
		Imagewright_Attachment_Field $attachment_field,
		Imagewright_Index $index,
		Imagewright_Exclusions $exclusions,
		Imagewright_Caches $caches
	) {
		$this->rest_rules       = $rest_rules;
		$this->sessions         = $sessions;
		$this->eligibility      = $eligibility;
		$this->source           = $source;
		$this->access           = $access;
		$this->checkpoint       = $checkpoint;
		$this->optimization     = $optimization;
		$this->replacement      = $replacement;
		$this->restoration      = $restoration;
		$this->attachment_field = $attachment_field;
		$this->index            = $index;
		$this->exclusions       = $exclusions;
		$this->caches           = $caches;
	}

	/** Registers the routes in the REST API. */
	public function routes() {
		$one      = '/attachments/(?P<id>\d+)';
		$text     = array( 'type' => array( 'string', 'null' ) );
		$flag     = array(
			'type'    => 'boolean',
			'default' => false,
		);
		$settings = $this->rest_rules->settings_args();
		$session  = array(
			'type'    => 'string',
			'pattern' => '^(sess_[0-9A-Za-z]{22})?$',
			'default' => '',
		);
		$this->route( "$one/attach", 'attach', array( 'sessionId' => $session ) );
		$this->route(
			"$one/optimize",
			'optimize',
			$settings + array(
				'allowLarger' => $flag,
				'again'       => $flag,
			)
		);
		$this->route(
			"$one/replace",
			'replace',
			array(
				'sessionId'   => array( 'required' => true ) + $session,
				'imageId'     => array(
					'type'     => 'string',
					'required' => true,
					'pattern'  => '^img_[0-9A-Za-z]{22}$',
				),
				'alt'         => $text,
				'title'       => $text,
				'filename'    => $text,
				'confirmed'   => array(
					'type'    => 'array',
					'items'   => array(
						'type' => 'string',
						'enum' => array( 'alt', 'title' ),
					),
					'default' => array(),
				),
				'sha256'      => array(
					'type'     => 'string',
					'required' => true,
					// Empty for an image of which no file would get smaller.
					'pattern'  => '^([0-9a-f]{64})?$',
				),
				'allowLarger' => $flag,
			)
		);
		$this->route( "$one/restore", 'restore', array( 'force' => $flag ) );
	}

	/**
	 * Registers one route.
	 *
	 * @param string $path     Pattern.
	 * @param string $callback Method of this class.
	 * @param array  $args     Arguments; WordPress validates and sanitizes by their schema.
	 */
	private function route( $path, $callback, $args ) {
		register_rest_route(
			'imagewright/v1',
			$path,
			array(
				'methods'             => 'POST',
				'callback'            => array( $this, $callback ),
				'permission_callback' => array( $this->rest_rules, 'may_change' ),
				'args'                => $args,
			)
		);
	}

	/**
	 * Sends an attachment's file to a session of the service.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function attach( $request ) {
		if ( '' !== $request['sessionId'] && ! $this->sessions->is_own( $request['sessionId'] ) ) {
			return new WP_Error( 'session_not_found', __( 'No such session, or it has expired.', 'imagewright' ), array( 'status' => 404 ) );
		}
		// An image that cannot be replaced must not be exported and charged.
		$obstacle = $this->eligibility->obstacle( (int) $request['id'] );
		return $obstacle ? $obstacle : $this->source->send( (int) $request['id'], $request['sessionId'], $this->rest_rules->own_key( $request ) );
	}

	/**
	 * Sends, exports and replaces an attachment in one request.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function optimize( $request ) {
		if ( ! $this->access->may_spend() ) {
			return $this->access->refusal();
		}
		$id      = (int) $request['id'];
		$options = array(
			'format'       => $request['format'],
			'preset'       => $request['preset'],
			'fill_text'    => $request['fillText'],
			'allow_larger' => $request['allowLarger'],
			'again'        => $request['again'],
		);
		$done    = $this->checkpoint->exclusively(
			$id,
			function () use ( $id, $options ) {
				return $this->optimization->run( $id, $options );
			}
		);
		return $this->outcome( $id, $done, $this->eligibility->settings( $options ) );
	}

	/**
	 * Replaces an attachment's files by the result of an export.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function replace( $request ) {
		$id       = (int) $request['id'];
		$settings = '';
		$done     = $this->checkpoint->exclusively(
			$id,
			function () use ( $id, $request, &$settings ) {
				$found = $this->sessions->export_with( $request['sessionId'], $request['imageId'], $request['sha256'] );
				if ( is_wp_error( $found ) ) {
					return $found;
				}
				$job  = $found['job'];
				$done = $this->replacement->run(
					$id,
					$job,
					$request['imageId'],
					array(
						'job'          => $job,
						'carries'      => $found['carries'],
						'alt'          => $request['alt'],
						'title'        => $request['title'],
						'filename'     => $request['filename'],
						'confirmed'    => $request['confirmed'],
						'allow_larger' => $request['allowLarger'],
					)
				);
				if ( is_wp_error( $done ) && 'imagewright_not_smaller' === $done->get_error_code() ) {
					$export   = ( (array) $done->get_error_data() )['details']['settings'];
					$settings = $this->eligibility->settings( $export );
					$this->checkpoint->keep( $id, $request['sessionId'], $request['imageId'], $job, $export );
				}
				return $done;
			}
		);
		return $this->outcome( $id, $done, $settings );
	}

	/**
	 * Restores an attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function restore( $request ) {
		$id   = (int) $request['id'];
		$done = $this->checkpoint->exclusively(
			$id,
			function () use ( $id, $request ) {
				return $this->restoration->run( $id, $request['force'] );
			}
		);
		if ( true === $done ) {
			$this->caches->purge_now();
		}
		return is_wp_error( $done ) ? $done : $this->attachment_field->shown( $id ) + array( 'restored' => $done );
	}

	/**
	 * Builds the response, with the state of the attachment. Stores failures that concern this image only.
	 *
	 * @param int            $id       Attachment.
	 * @param array|WP_Error $done     Outcome.
	 * @param string         $settings Settings for which a failure is valid.
	 * @return array|WP_Error
	 */
	private function outcome( $id, $done, $settings ) {
		if ( ! $this->index->exists( $id ) ) {
			return Imagewright_Rest_Errors::make( 'deleted', __( 'The image was deleted meanwhile.', 'imagewright' ), 404 );
		}
		if ( is_wp_error( $done ) ) {
			$data = (array) $done->get_error_data();
			$all  = array_merge( Imagewright_Task::TEMPORARY, Imagewright_Task::UNTIL_CHANGED );
			if ( 'imagewright_busy' !== $done->get_error_code() && ! in_array( (int) ( $data['status'] ?? 500 ), $all, true ) ) {
				$this->exclusions->note_failure( $id, $done, $settings );
				$done->add_data( array( 'noted' => true ) + $data );
			}
			return $done;
		}
		return $this->attachment_field->shown( $id ) + array( 'skipped' => $done['skipped'] ?? null );
	}
}
