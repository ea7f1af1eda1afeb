<?php
/**
 * Event streams of the service.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Forwards an event stream in chunks. A response that begins with `{` or `<` is an error and is not streamed.
 */
class Imagewright_Event_Stream {

	/**
	 * True if something was sent to the browser.
	 *
	 * @var bool
	 */
	private $started = false;

	/**
	 * True if the response is an error and not a stream.
	 *
	 * @var bool
	 */
	private $is_error = false;

	/** Service. */
	private Imagewright_Service $service;
	/** Budget of a user. */
	private Imagewright_Budget $budget;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Service $service Service.
	 * @param Imagewright_Budget  $budget  Budget of a user.
	 */
	public function __construct(
		Imagewright_Service $service,
		Imagewright_Budget $budget
	) {
		$this->service = $service;
		$this->budget  = $budget;
	}

	/**
	 * Sends the request and forwards its response. Does not return if a stream was sent.
	 *
	 * @param string     $method  HTTP method.
	 * @param string     $path    Path with query.
	 * @param array      $options Options of Imagewright_Service::request().
	 * @param array|null $slip    Of Imagewright_Budget::reserve().
	 * @return array|WP_Error The whole response if it was not a stream.
	 */
	public function pass( $method, $path, $options, $slip = null ) {
		$this->started  = false;
		$this->is_error = false;
		// An export is charged at its start, so it is read to the end even if the tab is closed.
		ignore_user_abort( true );
		$options['progress'] = array( $this, 'receive' );
		$answer              = $this->service->request( $method, $path, $options );
		$this->budget->settle( $slip, $answer );
		if ( $this->started ) {
			exit;
		}
		return $answer;
	}

	/**
	 * Forwards one chunk of the response.
	 *
	 * @param string $piece Bytes.
	 */
	public function receive( $piece ) {
		if ( ! $this->started && ! $this->is_error && '' !== $piece ) {
			if ( '{' === $piece[0] || '<' === $piece[0] ) {
				$this->is_error = true;
			} else {
				$this->start();
			}
		}
		if ( $this->started && ! connection_aborted() ) {
			// Event lines, served as text/event-stream with nosniff. No HTML, so nothing is escaped.
			echo $piece;
			flush();
		}
	}

	/** Discards all removable output buffers. Other buffers stay and forward what follows. */
	public function discard_output() {
		while ( ob_get_level() > 0 && ( ob_get_status()['flags'] & PHP_OUTPUT_HANDLER_REMOVABLE ) && ob_end_clean() ) {
			continue;
		}
	}

	/** Sends the headers and removes output buffers, so that events are not delayed. */
	private function start() {
		$this->started = true;
		$this->discard_output();
		status_header( 200 );
		nocache_headers();
		header( 'Content-Type: text/event-stream; charset=utf-8' );
		header( 'Cache-Control: no-cache, no-transform' );
		header( 'X-Content-Type-Options: nosniff' );
		header( 'X-Accel-Buffering: no' );
	}
}
