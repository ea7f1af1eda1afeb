<?php
/**
 * Streams of the service on their way to the browser.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Passes an event stream on, piece by piece. What it is shows at its first byte: JSON is an error and is not streamed.
 */
class Imagewright_Event_Stream {

	/**
	 * Whether something was sent to the browser.
	 *
	 * @var bool
	 */
	private $started = false;

	/**
	 * Whether the first bytes were JSON.
	 *
	 * @var bool
	 */
	private $is_error = false;

	/**
	 * Sends the request and its answer. Does not return when a stream was sent.
	 *
	 * @param string $method  HTTP method.
	 * @param string $path    Path with query.
	 * @param array  $options As of Imagewright_Service::request().
	 * @return array|WP_Error The whole answer, when it was not a stream.
	 */
	public static function pass( $method, $path, $options ) {
		$stream = new self();
		// The export is paid for when it starts: it is read to its end even when the tab is closed.
		ignore_user_abort( true );
		$options['progress'] = array( $stream, 'receive' );
		$answer              = Imagewright_Service::request( $method, $path, $options );
		if ( $stream->started ) {
			exit;
		}
		return $answer;
	}

	/**
	 * Takes a piece of the answer as it comes.
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
			// The service's own event lines, served as text/event-stream with nosniff: nothing to escape, it is not HTML.
			echo $piece; // phpcs:ignore WordPress.Security.EscapeOutput.OutputNotEscaped
			flush();
		}
	}

	/** Drops what was said before an answer of bytes. A buffer that its owner has made irremovable stays, and passes them on. */
	public static function discard_output() {
		while ( ob_get_level() > 0 && ( ob_get_status()['flags'] & PHP_OUTPUT_HANDLER_REMOVABLE ) && ob_end_clean() ) {
			continue;
		}
	}

	/** Sends the headers and switches off what would hold events back. */
	private function start() {
		$this->started = true;
		self::discard_output();
		status_header( 200 );
		nocache_headers();
		header( 'Content-Type: text/event-stream; charset=utf-8' );
		header( 'Cache-Control: no-cache, no-transform' );
		header( 'X-Content-Type-Options: nosniff' );
		header( 'X-Accel-Buffering: no' );
	}
}
