<?php
/**
 * One attachment from end to end.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Sends, exports and replaces in one request, so that a bulk run needs no open tab for the image at hand. What was paid for
 * is noted first: a repeated request goes on with the same export instead of paying for another.
 */
class Imagewright_Optimization {

	const WORK = '_imagewright_work';
	/** Errors that stay the same with the same result, so that the result is of no more use. */
	const VERDICTS = array( 'not_smaller', 'source_changed', 'other_image', 'no_result', 'unknown_type', 'not_an_export' );

	/**
	 * Optimizes an attachment. The caller holds its lock.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`, `fill_text`, `allow_larger`, `again` (although it is optimized already).
	 * @return array|WP_Error The record, or array( 'skipped' => reason ).
	 */
	public static function run( $id, $options ) {
		ignore_user_abort( true );
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' === $state['status'] ) {
			if ( Imagewright_State::is_edited( $id, $state ) ) {
				return Imagewright_Rest_Errors::make( 'edited', __( 'The image was edited after it was optimized. Restore it first.', 'imagewright' ), 409 );
			}
			if ( empty( $options['again'] ) ) {
				return array( 'skipped' => 'already_optimized' );
			}
		} elseif ( $state ) {
			$undone = Imagewright_Restoration::put_back( $id, $state, true );
			if ( is_wp_error( $undone ) ) {
				return $undone;
			}
		}
		$refusal = empty( $options['again'] ) && empty( $options['allow_larger'] ) ? Imagewright_Due::refusal( $id, $options ) : Imagewright_Snapshot::fault( $id );
		if ( $refusal ) {
			return $refusal;
		}
		$export = self::exported( $id, $options );
		if ( is_wp_error( $export ) && self::is_gone( $export ) ) {
			// What an earlier try uploaded has expired, or belongs to another account: from the beginning.
			delete_post_meta( $id, self::WORK );
			$export = self::exported( $id, $options );
		}
		if ( is_wp_error( $export ) ) {
			return $export;
		}
		list( $work, $texts, $job ) = $export;

		$done = Imagewright_Replacement::run(
			$id,
			$job,
			$work['image'],
			array(
				'job'          => $job,
				'alt'          => $texts['alt'] ?? null,
				'title'        => $texts['title'] ?? null,
				'allow_larger' => ! empty( $options['allow_larger'] ),
			)
		);
		if ( is_wp_error( $done ) && 'imagewright_not_smaller' === $done->get_error_code() ) {
			Imagewright_Due::marked( $done, (string) Imagewright_Due::mark( $id, $options ) );
		}
		// Whatever else went wrong, here, at the service or between, can be tried again with what was paid for.
		if ( ! is_wp_error( $done ) || self::is_final( $done ) ) {
			self::finish( $id, $work );
		}
		return $done;
	}

	/**
	 * Whether no further try can make something of the result: its verdict stands, it failed, or the service has removed it.
	 *
	 * @param WP_Error $error What came of it.
	 * @return bool
	 */
	private static function is_final( $error ) {
		$code = (string) $error->get_error_code();
		if ( 0 === strpos( $code, 'imagewright_' ) ) {
			return in_array( substr( $code, strlen( 'imagewright_' ) ), self::VERDICTS, true );
		}
		$data = (array) $error->get_error_data();
		return in_array( (int) ( $data['status'] ?? 500 ), array( 404, 422 ), true );
	}

	/**
	 * Uploads, describes and exports.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options Of run().
	 * @return array{0:array,1:array,2:string}|WP_Error Upload, texts, job.
	 */
	private static function exported( $id, $options ) {
		$work = self::work( $id, $options );
		if ( is_wp_error( $work ) ) {
			return $work;
		}
		$texts = empty( $options['fill_text'] ) ? array() : self::describe( $id, $work );
		if ( is_wp_error( $texts ) ) {
			return $texts;
		}
		$job = self::export( $work, $options );
		return is_wp_error( $job ) ? $job : array( $work, $texts, $job );
	}

	/**
	 * Whether the service no longer knows what was uploaded before, or takes the same request for another.
	 *
	 * @param WP_Error $error What it answered.
	 * @return bool
	 */
	private static function is_gone( $error ) {
		return in_array( $error->get_error_code(), array( 'session_not_found', 'image_not_found', 'idempotency_mismatch' ), true );
	}

	/**
	 * The upload that an export is made of: the one of an earlier try if file and settings are the same.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options Of run().
	 * @return array{session:string,image:string,size:array,mark:string}|WP_Error
	 */
	private static function work( $id, $options ) {
		$mark = Imagewright_Due::mark( $id, $options );
		if ( is_wp_error( $mark ) ) {
			return $mark;
		}
		$mark = md5( get_current_user_id() . ' ' . $mark );
		$work = get_post_meta( $id, self::WORK, true );
		if ( is_array( $work ) && $work['mark'] === $mark && $work['at'] > time() - 20 * HOUR_IN_SECONDS && Imagewright_Sessions::is_own( $work['session'] ) ) {
			return $work;
		}
		$sent = Imagewright_Source::send( $id, '' );
		if ( is_wp_error( $sent ) ) {
			return $sent;
		}
		$work = array(
			'session' => $sent['sessionId'],
			'image'   => $sent['image']['id'],
			'size'    => array(
				'width'  => (int) $sent['image']['width'],
				'height' => (int) $sent['image']['height'],
			),
			'mark'    => $mark,
			'at'      => time(),
		);
		update_post_meta( $id, self::WORK, $work );
		return $work;
	}

	/**
	 * Has the image described, when a text is missing.
	 *
	 * @param int   $id   Attachment.
	 * @param array $work Of work().
	 * @return array{alt?:string,title?:string}|WP_Error
	 */
	private static function describe( $id, $work ) {
		if ( ! Imagewright_Due::lacks_text( $id ) ) {
			return array();
		}
		$answer = self::stream(
			"/v1/sessions/{$work['session']}/analyze",
			array(
				'images'  => array( array( 'id' => $work['image'] ) ),
				'options' => array( 'language' => Imagewright_Options::language() ),
			),
			'wp-analyze-' . $work['mark'] . $work['image']
		);
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$analysis = Imagewright_Service::json( 'GET', "/v1/sessions/{$work['session']}/analysis" );
		if ( is_wp_error( $analysis ) ) {
			return $analysis;
		}
		$found = (array) ( $analysis['images'][0]['metadata'] ?? array() );
		return array_filter(
			array(
				'alt'   => $found['alt'] ?? null,
				'title' => $found['title'] ?? null,
			),
			'is_string'
		);
	}

	/**
	 * Exports, or joins the export of an earlier try.
	 *
	 * @param array $work    Of work().
	 * @param array $options Of run().
	 * @return string|WP_Error The job.
	 */
	private static function export( $work, $options ) {
		return self::stream(
			"/v1/sessions/{$work['session']}/export",
			array(
				'images'   => array( array( 'id' => $work['image'] ) ),
				'settings' => Imagewright_Sizes::settings( $options['format'], $options['preset'], array( $work['size'] ) ),
			),
			'wp-export-' . $work['mark'] . $work['image']
		);
	}

	/**
	 * Sends a request whose answer is a stream and reads that to its end.
	 *
	 * @param string $path Path.
	 * @param array  $body Body.
	 * @param string $key  Idempotency key.
	 * @return string|WP_Error The job. Whether its images succeeded stands in its results.
	 */
	private static function stream( $path, $body, $key ) {
		$answer = Imagewright_Service::request(
			'POST',
			$path,
			array(
				'body'    => wp_json_encode( $body ),
				'headers' => array(
					'Content-Type'    => 'application/json',
					'Idempotency-Key' => $key,
				),
			)
		);
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		if ( $answer['status'] >= 400 ) {
			return Imagewright_Rest_Errors::from_service( $answer['status'], (array) json_decode( $answer['body'], true ), $answer['headers'] );
		}
		if ( ! preg_match( '/^event: (complete|error)\r?$/m', $answer['body'] ) || empty( $answer['headers']['x-job-id'] ) ) {
			return Imagewright_Rest_Errors::make( 'interrupted', __( 'The connection to the image service broke off. Nothing is lost: trying again goes on with the same work.', 'imagewright' ), 502 );
		}
		return (string) $answer['headers']['x-job-id'];
	}

	/**
	 * Removes the upload from the service: it has done its work.
	 *
	 * @param int   $id   Attachment.
	 * @param array $work Of work().
	 */
	private static function finish( $id, $work ) {
		delete_post_meta( $id, self::WORK );
		Imagewright_Service::request( 'DELETE', '/v1/sessions/' . $work['session'], array( 'timeout' => 15 ) );
		Imagewright_Sessions::forget( $work['session'] );
	}
}
