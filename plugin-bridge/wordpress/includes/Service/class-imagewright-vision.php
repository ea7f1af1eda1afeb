<?php
/**
 * Model of the service.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Knows whether the service has a model that describes images. Without one it only finds texts within the files.
 */
class Imagewright_Vision {

	/** Transient: `url`, `exists`. */
	const CACHE = 'imagewright_vision';

	/** Seconds for which the answer is kept. */
	const SECONDS = 300;

	/** Seconds until a service that did not answer is asked again. */
	const RETRY = 30;

	/** Seconds to wait for the answer. */
	const TIMEOUT = 5;

	/** Settings. */
	private Imagewright_Options $options;
	/** Service. */
	private Imagewright_Service $service;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Service $service Service.
	 */
	public function __construct( Imagewright_Options $options, Imagewright_Service $service ) {
		$this->options = $options;
		$this->service = $service;
	}

	/**
	 * Returns false if the service has no model. True if it has one or does not answer: a request then names the reason.
	 *
	 * @return bool
	 */
	public function exists() {
		if ( ! $this->options->is_ready() ) {
			return true;
		}
		$known = (array) get_transient( self::CACHE );
		if ( $this->options->url() !== ( $known['url'] ?? '' ) ) {
			$health = $this->service->json( 'GET', '/healthz', null, array(), self::TIMEOUT );
			$known  = array(
				'url'    => $this->options->url(),
				'exists' => is_wp_error( $health ) || 'none' !== ( $health['analysis']['provider'] ?? '' ),
			);
			set_transient( self::CACHE, $known, is_wp_error( $health ) ? self::RETRY : self::SECONDS );
		}
		return $known['exists'];
	}

	/**
	 * Creates the error for a service without a model.
	 *
	 * @return WP_Error
	 */
	public function refusal() {
		return Imagewright_Rest_Errors::make( 'no_model', __( 'The image service has no model that describes images, so no texts can be written. Whoever runs the service can set one up.', 'imagewright' ), 409 );
	}
}
