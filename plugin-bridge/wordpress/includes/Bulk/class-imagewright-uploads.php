<?php
/**
 * New uploads.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Adds new and changed images to the queue. Every way to upload ends with writing the attachment's metadata: the library, the REST
 * API, imports, and editors that send the sizes one by one. Other plugins make thumbnails again, without a word: what costs nothing is
 * put right at once, and images of the old library wait for a run, which shows its price.
 */
class Imagewright_Uploads {

	/** Option: `day`, `used`. */
	const TODAY = 'imagewright_today';

	/** Seconds after the last change of the metadata until the image is sent: sizes may still be made. */
	const SETTLE = 3;

	/** Seconds after which missing sizes are not waited for any more. */
	const PATIENCE = 120;

	/**
	 * Attachments whose files another plugin may have made again in this request.
	 *
	 * @var array<int,int>
	 */
	private $expected = array();

	/** Settings. */
	private Imagewright_Options $options;
	/** Records of images. */
	private Imagewright_State $state;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Queue of tasks. */
	private Imagewright_Queue $queue;
	/** Schedule of the queue and of the nightly check. */
	private Imagewright_Schedule $schedule;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Locks of attachments. */
	private Imagewright_Lock $lock;
	/** States compared with the files that pages get. */
	private Imagewright_Truth $truth;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options    $options    Settings.
	 * @param Imagewright_State      $state      Records of images.
	 * @param Imagewright_Index      $index      Rows of images.
	 * @param Imagewright_Exclusions $exclusions Images that are left out, and failures.
	 * @param Imagewright_Queue      $queue      Queue of tasks.
	 * @param Imagewright_Schedule   $schedule   Schedule of the queue and of the nightly check.
	 * @param Imagewright_Access     $access     Permissions of users.
	 * @param Imagewright_Source     $source     Source files of attachments.
	 * @param Imagewright_Lock       $lock       Locks of attachments.
	 * @param Imagewright_Truth      $truth      States compared with the files that pages get.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_State $state,
		Imagewright_Index $index,
		Imagewright_Exclusions $exclusions,
		Imagewright_Queue $queue,
		Imagewright_Schedule $schedule,
		Imagewright_Access $access,
		Imagewright_Source $source,
		Imagewright_Lock $lock,
		Imagewright_Truth $truth
	) {
		$this->options    = $options;
		$this->state      = $state;
		$this->index      = $index;
		$this->exclusions = $exclusions;
		$this->queue      = $queue;
		$this->schedule   = $schedule;
		$this->access     = $access;
		$this->source     = $source;
		$this->lock       = $lock;
		$this->truth      = $truth;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		// Last: the files are made by now, and plugins have sent them elsewhere.
		$hooks->filter( 'wp_update_attachment_metadata', array( __CLASS__, 'expect' ), PHP_INT_MAX, 2 );
		$hooks->metadata( '_wp_attachment_metadata', array( __CLASS__, 'changed' ), 10 );
	}

	/**
	 * Adds an attachment to the queue when its metadata was written.
	 *
	 * @param int  $id     Post.
	 * @param bool $is_new True if it had no metadata before.
	 */
	public function changed( $id, $is_new ) {
		if ( ! $this->options->all()['auto'] || ! $this->options->is_ready() || $this->is_own_change( $id ) ) {
			return;
		}
		$mime = get_post_mime_type( $id );
		if ( ! in_array( $mime, Imagewright_Contract::INPUT_TYPES, true ) || $this->state->get( $id ) ) {
			return;
		}
		$row  = $this->index->row( $id );
		/**
		 * Filters whether a new upload is optimized.
		 *
		 * @param bool $wanted True by default, false if the settings exclude its name or folder.
		 * @param int  $id     Attachment.
		 */
		if ( ! ( $row ? $this->is_due( $id, $row ) : $is_new || $this->is_young( $id ) ) || ! apply_filters( 'imagewright_optimize_upload', ! $this->exclusions->covers( $id ), $id ) ) {
			return;
		}
		$user = $this->user( $id );
		if ( $user ) {
			$this->queue->add( array( $id ), 'new', time() + self::SETTLE, $user );
			$this->schedule->wake();
		}
	}

	/**
	 * Returns the user in whose name an upload is optimized: importers in the background have none, and their images no author.
	 *
	 * @param int $id Attachment.
	 * @return int User; 0 if there is none.
	 */
	private function user( $id ) {
		$user = get_current_user_id() ? get_current_user_id() : (int) get_post_field( 'post_author', $id );
		return $user ? $user : $this->access->administrator();
	}

	/**
	 * Returns true if an attachment that has a row is to be optimized: it waits as an upload, or its file has changed since a failure.
	 *
	 * @param int   $id  Attachment.
	 * @param array $row Row of the table.
	 * @return bool
	 */
	private function is_due( $id, $row ) {
		$ended = in_array( $row['status'], array( 'no_gain', 'failed', 'unfit', 'excluded' ), true ) && '' === $row['task'];
		return 'new' === $row['task'] || ( $ended && $this->source->mark( $id ) !== $row['source'] );
	}

	/**
	 * Returns true if an attachment was uploaded within the last day.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	private function is_young( $id ) {
		return time() - (int) get_post_time( 'U', true, $id ) < DAY_IN_SECONDS;
	}

	/**
	 * Returns true if all sizes of an upload exist, or no more are to be expected.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function is_complete( $id ) {
		require_once ABSPATH . 'wp-admin/includes/image.php';
		$age = time() - (int) get_post_time( 'U', true, $id );
		return $age > self::PATIENCE || ! wp_get_missing_image_subsizes( $id );
	}

	/**
	 * Returns true if this plugin is changing the attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	private function is_own_change( $id ) {
		return $this->lock->is_held( $id );
	}

	/**
	 * Notes an attachment whose metadata is written again, even if it is the same as before.
	 *
	 * @param mixed $metadata Metadata.
	 * @param int   $id       Attachment.
	 * @return mixed The same metadata.
	 */
	public function expect( $metadata, $id ) {
		if ( $this->state->get( $id ) && ! $this->lock->is_mine( $id ) ) {
			if ( ! $this->expected ) {
				add_action( 'shutdown', array( $this, 'look' ) );
			}
			$this->expected[ $id ] = $id;
		}
		return $metadata;
	}

	/** Corrects the states of the noted attachments, and lets the queue put right what costs nothing. */
	public function look() {
		foreach ( $this->state->leads( $this->expected ) as $id ) {
			if ( 'outdated' === $this->truth->correct( $id ) && $this->options->all()['auto'] && $this->options->is_ready() ) {
				$user = get_current_user_id() ? get_current_user_id() : $this->access->administrator();
				$this->queue->add( array( $id ), 'new', time(), $user );
				$this->schedule->wake();
			}
		}
		$this->expected = array();
	}

	/**
	 * Returns true if the budget of today is not used up.
	 *
	 * @return bool
	 */
	public function within_budget() {
		$limit = (int) $this->options->all()['daily_credits'];
		return 0 === $limit || $this->used_today() < $limit;
	}

	/**
	 * Returns the credits that uploads have spent today.
	 *
	 * @return int
	 */
	public function used_today() {
		$today = (array) get_option( self::TODAY, array() );
		return gmdate( 'Y-m-d' ) === ( $today['day'] ?? '' ) ? (int) $today['used'] : 0;
	}

	/**
	 * Counts spent credits.
	 *
	 * @param int $credits Credits.
	 */
	public function count( $credits ) {
		wp_cache_delete( self::TODAY, 'options' );
		update_option(
			self::TODAY,
			array(
				'day'  => gmdate( 'Y-m-d' ),
				'used' => $this->used_today() + $credits,
			),
			false
		);
	}
}
