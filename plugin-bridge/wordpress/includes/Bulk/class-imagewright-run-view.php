<?php
/**
 * Runs in numbers.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Describes a run for pages and commands.
 */
class Imagewright_Run_View {

	/** Most failed images that are listed. */
	const EXAMPLES = 50;

	/** Queue of tasks. */
	private Imagewright_Queue $queue;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Queue $queue Queue of tasks.
	 * @param Imagewright_Texts $texts Alternative text and title of an attachment, and who wrote them.
	 */
	public function __construct( Imagewright_Queue $queue, Imagewright_Texts $texts ) {
		$this->queue = $queue;
		$this->texts = $texts;
	}

	/**
	 * Adds the progress to a run.
	 *
	 * @param array $run Stored run.
	 * @return array
	 */
	public function of( $run ) {
		$counts  = $this->queue->progress( $run['id'] );
		$pending = $counts['pending'];
		$ended   = $counts['ended'];
		$bad     = $counts['bad'];
		$equal   = ( $ended['no_gain']['n'] ?? 0 ) + ( $ended['excluded']['n'] ?? 0 );
		$done    = (int) array_sum( array_column( $ended, 'n' ) ) - $bad - $equal;
		$state   = $run['filled'] && 0 === $pending && 'running' === $run['state'] ? 'done' : $run['state'];
		$pause   = 'running' === $state && 'optimize' === $run['kind'] && $this->queue->paused_until() ? $this->queue->paused() : array();
		return array(
			'id'          => $run['id'],
			'kind'        => $run['kind'],
			'options'     => $run['options'],
			'state'       => $state,
			'reason'      => $run['reason'],
			'waiting'     => (string) ( $pause['message'] ?? '' ),
			// Images that were begun before a stop, and are finished.
			'busy'        => 'stopped' === $state ? $counts['begun'] : 0,
			'total'       => max( $run['total'], $done + $bad + $equal + $pending ),
			'done'        => $done,
			'noGain'      => $equal,
			'failedCount' => $bad,
			'failed'      => $this->failed( $run['id'] ),
			'bytes'       => array(
				'before' => $ended['done']['before'] ?? 0,
				'after'  => $ended['done']['after'] ?? 0,
			),
		);
	}

	/**
	 * Lists failed images of a run, newest first.
	 *
	 * @param string $run Run.
	 * @return array<int,array{id:int,title:string,code:string,message:string}>
	 */
	private function failed( $run ) {
		$failed = array();
		foreach ( $this->queue->failed( $run, self::EXAMPLES ) as $row ) {
			$post     = get_post( (int) $row['attachment_id'] );
			$failed[] = array(
				'id'      => (int) $row['attachment_id'],
				'title'   => $post ? $this->texts->title( $post->ID ) : '',
				'code'    => $row['code'],
				'message' => $row['message'],
			);
		}
		return $failed;
	}
}
