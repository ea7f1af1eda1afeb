<?php
/**
 * Overview of the library.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Counts the images of the library by their states, for pages, commands and Site Health.
 */
class Imagewright_Overview {

	/** Rows of images. */
	private Imagewright_Index $index;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Index $index Rows of images.
	 */
	public function __construct( Imagewright_Index $index ) {
		$this->index = $index;
	}

	/**
	 * Counts all images that the service accepts, those that are optimized and those that wait, and adds up what pages show.
	 *
	 * @return array{total:int,optimized:int,waiting:int,outdated:int,offloaded:int,shared:int,before:int,after:int} Pictures; `shared` counts
	 *     the further attachments of files.
	 */
	public function of_library() {
		$status = $this->index->by_status();
		$shared = $status['shared']['n'] ?? 0;
		return array(
			'total'     => max( 0, $this->index->total() - $shared ),
			'optimized' => $status['done']['n'] ?? 0,
			'outdated'  => ( $status['outdated']['n'] ?? 0 ) + ( $status['stale']['n'] ?? 0 ),
			'offloaded' => $status['offloaded']['n'] ?? 0,
			'shared'    => $shared,
			'waiting'   => $this->index->waiting(),
			'before'    => $status['done']['before'] ?? 0,
			'after'     => $status['done']['after'] ?? 0,
		);
	}
}
