<?php
/**
 * Description of one image.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Has the model of the service describe an image for the page that shows it, or in a run that optimizes it.
 */
class Imagewright_Description {

	/** Upload of a description whose text is not saved yet: `session`, `image`, `mark`, `at`. The next attempt pays nothing for it. */
	const META = '_imagewright_describe';

	/** Longest context that the service accepts, in code points. */
	const MAX_CONTEXT = 1000;

	/** Purposes of an image on its page, as the service knows them. */
	const USAGES = array( 'informative', 'link', 'button', 'decorative' );

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Service. */
	private Imagewright_Service $service;
	/** Languages of a site. */
	private Imagewright_Site_Languages $site_languages;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access         $access         Permissions of users.
	 * @param Imagewright_Service        $service        Service.
	 * @param Imagewright_Site_Languages $site_languages Languages of a site.
	 * @param Imagewright_Source         $source         Source files of attachments.
	 * @param Imagewright_Sessions       $sessions       Ownership of sessions and jobs.
	 * @param Imagewright_Texts          $texts          Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Eligibility    $eligibility    Eligibility for an export.
	 */
	public function __construct(
		Imagewright_Access $access,
		Imagewright_Service $service,
		Imagewright_Site_Languages $site_languages,
		Imagewright_Source $source,
		Imagewright_Sessions $sessions,
		Imagewright_Texts $texts,
		Imagewright_Eligibility $eligibility
	) {
		$this->access         = $access;
		$this->service        = $service;
		$this->site_languages = $site_languages;
		$this->source         = $source;
		$this->sessions       = $sessions;
		$this->texts          = $texts;
		$this->eligibility    = $eligibility;
	}

	/**
	 * Describes an attachment. Changes no text in WordPress. Until save() is called, the same description is free: what was interrupted
	 * after the service was paid is continued.
	 *
	 * @param int    $id      Attachment.
	 * @param string $context Words of the page around the image.
	 * @param string $usage   Of USAGES; an empty string if unknown.
	 * @return array{alt:string,by:string,review:string[],charged:int,others:array}|WP_Error `others`: the same of other attachments, by id.
	 */
	public function of( $id, $context = '', $usage = '' ) {
		if ( ! $this->access->may_spend() ) {
			return $this->access->refusal();
		}
		if ( ! $this->service->has_model() ) {
			return $this->service->no_model();
		}
		$context = trim( mb_substr( $context, 0, self::MAX_CONTEXT ) );
		$all     = $this->site_languages->all( $id );
		$mark    = md5( wp_json_encode( array( get_current_user_id(), $this->source->mark( $id ), $context, $usage, implode( ',', array_keys( $all ) ) ) ) );
		$found   = $this->attempt( $all, $mark, $context, $usage );
		if ( is_wp_error( $found ) && $this->sessions->is_gone( $found ) ) {
			// The upload of an earlier attempt has expired or belongs to another account.
			delete_post_meta( $id, self::META );
			$found = $this->attempt( $all, $mark, $context, $usage );
		}
		if ( is_wp_error( $found ) && 'imagewright_no_text' === $found->get_error_code() ) {
			$this->finish( $id );
		}
		return $found;
	}

	/**
	 * Sends an attachment, unless an earlier attempt did, and reads the text of the model.
	 *
	 * @param int[]  $all     Attachments of the picture by language; the first one is described.
	 * @param string $mark    Fingerprint of user, file and question.
	 * @param string $context Context.
	 * @param string $usage   Purpose.
	 * @return array|WP_Error
	 */
	private function attempt( $all, $mark, $context, $usage ) {
		$id   = reset( $all );
		$kept = get_post_meta( $id, self::META, true );
		if ( is_array( $kept ) && ( $mark !== $kept['mark'] || $kept['at'] < time() - Imagewright_Source::USABLE || ! $this->sessions->is_own( $kept['session'] ) ) ) {
			$this->finish( $id );
			$kept = null;
		}
		if ( ! is_array( $kept ) ) {
			$sent = $this->source->send( $id, '' );
			if ( is_wp_error( $sent ) ) {
				return $sent;
			}
			$kept = array(
				'session' => $sent['sessionId'],
				'image'   => $sent['image']['id'],
				'mark'    => $mark,
				'at'      => time(),
			);
			update_post_meta( $id, self::META, $kept );
		}
		return $this->ask( $kept, $context, $usage, $all );
	}

	/**
	 * Deletes the upload of a description.
	 *
	 * @param int $id Attachment.
	 */
	private function finish( $id ) {
		$kept = get_post_meta( $id, self::META, true );
		delete_post_meta( $id, self::META );
		if ( is_array( $kept ) && $this->sessions->is_own( $kept['session'] ) ) {
			$this->service->request( 'DELETE', '/v1/sessions/' . $kept['session'], array( 'timeout' => 15 ) );
			$this->sessions->forget( $kept['session'] );
		}
	}

	/**
	 * Returns what the library says about an image beside its text: caption, a title that is not the file name, and the post to which
	 * it was uploaded.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public function context( $id ) {
		$post   = get_post( $id );
		$file   = wp_basename( (string) get_post_meta( $id, '_wp_attached_file', true ) );
		$parent = $post->post_parent ? get_post( $post->post_parent ) : null;
		$parts  = array(
			$this->texts->is_automatic_title( $post->post_title, $file ) ? '' : $post->post_title,
			$post->post_excerpt,
			$parent ? $parent->post_title : '',
		);
		$words  = html_entity_decode( wp_strip_all_tags( implode( "\n", array_filter( $parts, 'strlen' ) ) ), ENT_QUOTES, 'UTF-8' );
		return trim( mb_substr( $words, 0, self::MAX_CONTEXT ) );
	}

	/**
	 * Records the author of a text. Writes it to the library if it has none, or an older unconfirmed one.
	 *
	 * @param int    $id   Attachment.
	 * @param string $text Alternative text.
	 * @param string $by   `ai` or `file`.
	 * @return bool True if it was written.
	 */
	public function save( $id, $text, $by ) {
		$old     = $this->texts->alt( $id );
		$record  = '' === $old ? null : $this->texts->record( $id, $old );
		$is_free = '' === $old || ( $record && ! $record['confirmed'] );
		if ( ! $this->texts->record( $id, $text ) ) {
			$this->texts->note( $id, $text, $by );
		}
		$writes = $is_free && $this->access->may_change( $id );
		if ( $writes ) {
			update_post_meta( $id, Imagewright_Texts::ALT, wp_slash( $text ) );
		}
		$this->finish( $id );
		return $writes;
	}

	/**
	 * Sends the request to the model and reads its text.
	 *
	 * @param array  $sent    `session` and `image`.
	 * @param string $context Context.
	 * @param string $usage   Purpose.
	 * @param int[]  $all     Attachments by language.
	 * @return array|WP_Error
	 */
	private function ask( $sent, $context, $usage, $all ) {
		$languages = array_keys( $all );
		$options   = array(
			'language'  => count( $all ) > 1 ? null : $languages[0],
			'languages' => count( $all ) > 1 ? $languages : null,
			'context'   => $context,
			'usage'     => $usage,
			'fields'    => array( 'alt' ),
			// The text of the library was sent with the image and is not the one that is asked for.
			'overwrite' => true,
		);
		$body    = array(
			'images'  => array( array( 'id' => $sent['image'] ) ),
			'options' => array_filter( $options ),
		);
		$job     = $this->sessions->run_job( "/v1/sessions/{$sent['session']}/analyze", $body, 'wp-describe-' . $sent['image'] );
		$job     = is_wp_error( $job ) ? $job : $this->service->json( 'GET', '/v1/jobs/' . $job );
		if ( is_wp_error( $job ) ) {
			return $job;
		}
		$result = (array) ( $job['results'][0] ?? array() );
		$own    = $this->site_languages->text_in( (array) ( $result['metadata'] ?? array() ) );
		if ( null === $own ) {
			return $this->site_languages->silence( (string) ( $result['aiStatus'] ?? '' ) );
		}
		return $own + array(
			'charged' => (int) ( $result['creditsCharged'] ?? 0 ),
			'others'  => $this->site_languages->others( $all, (array) ( $result['texts'] ?? array() ) ),
		);
	}

	/**
	 * Saves a description in the attachment of each language, as save() does for one.
	 *
	 * @param int   $id    Attachment that was described.
	 * @param array $found Of of().
	 * @return bool True if its own text was written.
	 */
	public function save_all( $id, $found ) {
		foreach ( $found['others'] as $other => $text ) {
			$this->save( (int) $other, $text['alt'], $text['by'] );
		}
		return $this->save( $id, $found['alt'], $found['by'] );
	}

	/**
	 * Describes the image if a text is missing.
	 *
	 * @param int   $id   Attachment.
	 * @param array $checkpoint Of Imagewright_Checkpoint::of().
	 * @return array{alt?:string,title?:string}|WP_Error
	 */
	public function of_run( $id, $checkpoint ) {
		if ( ! $this->eligibility->lacks_text( $id ) || ! $this->service->has_model() ) {
			return array();
		}
		$all       = $this->site_languages->all( $id );
		$languages = array_keys( $all );
		$answer    = $this->sessions->run_job(
			"/v1/sessions/{$checkpoint['session']}/analyze",
			array(
				'images'  => array( array( 'id' => $checkpoint['image'] ) ),
				'options' => array_filter(
					array(
						'language'  => count( $all ) > 1 ? null : $languages[0],
						'languages' => count( $all ) > 1 ? $languages : null,
						'context'   => $this->context( $id ),
					)
				),
			),
			"wp-analyze-{$checkpoint['mark']}{$checkpoint['image']}" . implode( ',', $languages )
		);
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$analysis = $this->service->json( 'GET', "/v1/sessions/{$checkpoint['session']}/analysis" );
		if ( is_wp_error( $analysis ) ) {
			return $analysis;
		}
		$found = (array) ( $analysis['images'][0]['metadata'] ?? array() );
		$this->site_languages->fill_others( $all, (array) ( $analysis['images'][0]['texts'] ?? array() ) );
		return array_filter(
			array(
				'alt'   => $found['alt'] ?? null,
				'title' => $found['title'] ?? null,
			),
			'is_string'
		);
	}
}
