<?php
/**
 * Source files of attachments.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Finds the uploaded file of an attachment instead of a scaled or optimized copy, and sends it to the service.
 */
class Imagewright_Source {

	/** Lifetime in seconds. The service removes a session 24 hours after its last use. */
	const USABLE = 20 * HOUR_IN_SECONDS;

	/** Records of images. */
	private Imagewright_State $state;
	/** Files below the uploads folder. */
	private Imagewright_Files $files;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** Service. */
	private Imagewright_Service $service;
	/** Ownership of sessions and jobs. */
	private Imagewright_Sessions $sessions;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_State    $state    Records of images.
	 * @param Imagewright_Files    $files    Files below the uploads folder.
	 * @param Imagewright_Texts    $texts    Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Service  $service  Service.
	 * @param Imagewright_Sessions $sessions Ownership of sessions and jobs.
	 */
	public function __construct(
		Imagewright_State $state,
		Imagewright_Files $files,
		Imagewright_Texts $texts,
		Imagewright_Service $service,
		Imagewright_Sessions $sessions
	) {
		$this->state    = $state;
		$this->files    = $files;
		$this->texts    = $texts;
		$this->service  = $service;
		$this->sessions = $sessions;
	}

	/**
	 * Returns path, name and type of the source file.
	 *
	 * @param int $id Attachment.
	 * @return array{path:string,name:string,type:string}|WP_Error
	 */
	public function of( $id ) {
		$state    = $this->state->get( $id );
		$is_ours  = $state && 'beside' !== ( $state['way'] ?? '' ) && ! $this->state->is_edited( $id, $state );
		$relative = $is_ours ? $state['snapshot']['attached_file'] : get_post_meta( $id, '_wp_attached_file', true );
		$metadata = $is_ours ? $state['snapshot']['metadata'] : wp_get_attachment_metadata( $id, true );
		$attached = $is_ours ? path_join( wp_get_upload_dir()['basedir'], $relative ) : get_attached_file( $id );
		$path     = $this->choose( $id, $attached, is_array( $metadata ) ? $metadata : array(), $is_ours );
		$name     = wp_basename( $path );
		if ( $is_ours && isset( $state['copies'][ $name ] ) ) {
			$path = path_join( dirname( $path ), $state['copies'][ $name ] );
		}
		if ( ! $this->files->is_local( $path ) ) {
			return Imagewright_Rest_Errors::make( 'not_local', __( 'The file is not on this server, so it cannot be replaced here.', 'imagewright' ), 422 );
		}
		$type = wp_get_image_mime( $path );
		if ( ! in_array( $type, Imagewright_Contract::INPUT_TYPES, true ) ) {
			return Imagewright_Rest_Errors::make( 'not_an_image', __( 'The file is not an image that can be optimized.', 'imagewright' ), 415 );
		}
		return array(
			'path' => $path,
			'name' => $name,
			'type' => $type,
		);
	}

	/**
	 * Returns the path of the uploaded file, or of the edited file if the image was edited.
	 *
	 * @param int    $id       Attachment.
	 * @param string $attached Path of the attached file.
	 * @param array  $metadata Attachment metadata.
	 * @param bool   $is_ours  True if path and metadata come from a snapshot.
	 * @return string
	 */
	private function choose( $id, $attached, $metadata, $is_ours ) {
		// After an edit `original_image` still names the file before the edit.
		$is_edited = preg_match( '/-e\d{13}\.\w+$/', $attached );
		if ( $is_edited || empty( $metadata['original_image'] ) ) {
			return $attached;
		}
		return $is_ours ? path_join( dirname( $attached ), $metadata['original_image'] ) : (string) wp_get_original_image_path( $id );
	}

	/**
	 * Returns the metadata sent with the file: the attachment id and texts that a person wrote.
	 *
	 * @param int $id Attachment.
	 * @return array
	 */
	public function metadata( $id ) {
		$post     = get_post( $id );
		$file     = wp_basename( (string) get_post_meta( $id, '_wp_attached_file', true ) );
		$metadata = array( 'clientRef' => (string) $id );
		$alt      = (string) get_post_meta( $id, '_wp_attachment_image_alt', true );
		if ( '' !== $alt ) {
			$metadata['alt'] = mb_substr( $alt, 0, Imagewright_Contract::MAX_ALT_LENGTH );
		}
		if ( ! $this->texts->is_automatic_title( $post->post_title, $file ) ) {
			$metadata['title'] = mb_substr( $post->post_title, 0, Imagewright_Contract::MAX_TITLE_LENGTH );
		}
		return $metadata;
	}

	/**
	 * Sends an attachment's file to the service.
	 *
	 * @param int    $id      Attachment.
	 * @param string $session Session to add it to, or an empty string for a new one.
	 * @param string $key     Idempotency key, or an empty string.
	 * @return array{sessionId:string,image:array}|WP_Error
	 */
	public function send( $id, $session, $key = '' ) {
		$source = $this->of( $id );
		if ( is_wp_error( $source ) ) {
			return $source;
		}
		$upload = $this->sessions->multipart( array( $source ), wp_json_encode( array( $this->metadata( $id ) ) ) );
		if ( is_wp_error( $upload ) ) {
			return $upload;
		}
		if ( '' !== $key ) {
			$upload['headers']['Idempotency-Key'] = $key;
		}
		$answer = $this->service->request( 'POST', '' === $session ? '/v1/sessions' : "/v1/sessions/$session/images", $upload );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$body = json_decode( $answer['body'], true );
		if ( $answer['status'] >= 400 || empty( $body['images'][0]['id'] ) ) {
			$rejected = is_array( $body['rejected'][0] ?? null ) ? $body['rejected'][0] : (array) $body;
			return Imagewright_Rest_Errors::from_service( $answer['status'] >= 400 ? $answer['status'] : (int) ( $rejected['status'] ?? 502 ), $rejected, $answer['headers'] );
		}
		$this->sessions->remember( $body['sessionId'] );
		return array(
			'sessionId' => $body['sessionId'],
			'image'     => $body['images'][0],
		);
	}

	/**
	 * Returns size and time of the source file of an attachment as one text, for which a verdict is valid.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public function mark( $id ) {
		$source = $this->of( $id );
		return is_wp_error( $source ) ? '' : filesize( $source['path'] ) . ' ' . filemtime( $source['path'] );
	}
}
