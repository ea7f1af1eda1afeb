<?php
/**
 * Optimization of one attachment.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Sends, exports and replaces in one request, so that closing the tab does not interrupt an image. Stores a checkpoint first:
 * a repeated request resumes the same export instead of paying for another.
 */
class Imagewright_Optimization {

	/** Errors that do not change with another attempt on the same result. */
	const VERDICTS = array( 'source_changed', 'other_image', 'no_result', 'unknown_type', 'not_an_export' );

	/**
	 * Optimizes an attachment. The caller holds its lock.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options `format`, `preset`, `fill_text`, `allow_larger`, `again` (true to optimize an optimized image again), `free` (true
	 *                       to only put right what needs no export).
	 * @return array|WP_Error The record, or array( 'skipped' => reason ).
	 */
	public static function run( $id, $options ) {
		ignore_user_abort( true );
		$state = Imagewright_State::get( $id );
		if ( $state && 'optimized' === $state['status'] ) {
			$gap = Imagewright_Truth::gap( $id, $state );
			if ( 'outdated' === $gap && empty( $options['again'] ) && Imagewright_Truth::repair( $id, $state ) ) {
				return array( 'skipped' => 'repaired' );
			}
			if ( ! empty( $options['free'] ) && 'offloaded' !== $gap && '' !== $gap ) {
				// Nobody was told that it costs a credit.
				Imagewright_Index::put( Imagewright_Shared::lead( $id ), array( 'status' => 'stale' ) );
				return Imagewright_Rest_Errors::make( 'stale', __( 'The files have changed since this image was optimized. The next run optimizes it again, for one credit.', 'imagewright' ), 409 );
			}
			if ( '' === $gap && empty( $options['again'] ) && ! Imagewright_State::is_edited( $id, $state ) ) {
				return array( 'skipped' => 'already_optimized' );
			}
			$obstacle = Imagewright_Eligibility::obstacle( $id );
			if ( $obstacle ) {
				return $obstacle;
			}
		} elseif ( $state ) {
			$undone = Imagewright_Restoration::put_back( $id, $state, true );
			if ( is_wp_error( $undone ) ) {
				return $undone;
			}
		}
		$refusal = empty( $options['again'] ) && empty( $options['allow_larger'] ) ? Imagewright_Eligibility::refusal( $id, $options ) : Imagewright_Snapshot::fault( $id );
		$done    = $refusal ? $refusal : self::replace( $id, $options );
		if ( is_wp_error( $done ) && 'imagewright_not_smaller' === $done->get_error_code() && 'replace' === Imagewright_Options::all()['delivery'] ) {
			// The user may accept the larger file. It is free as long as the service keeps the result.
			$data            = (array) $done->get_error_data();
			$data['details'] = array(
				'needs' => 'allowLarger',
				'paid'  => (bool) Imagewright_Checkpoint::known( $id, $options ),
			) + (array) ( $data['details'] ?? array() );
			$done->add_data( $data );
		}
		return $done;
	}

	/**
	 * Exports an attachment and replaces its files.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options Of run().
	 * @return array|WP_Error The record.
	 */
	private static function replace( $id, $options ) {
		$export = self::exported( $id, $options );
		if ( is_wp_error( $export ) && self::is_gone( $export ) ) {
			// The upload of an earlier attempt has expired or belongs to another account.
			Imagewright_Checkpoint::forget( $id );
			$export = self::exported( $id, $options );
		}
		if ( is_wp_error( $export ) ) {
			return $export;
		}
		list( $checkpoint, $job ) = $export;

		$done = Imagewright_Replacement::run(
			$id,
			$job,
			$checkpoint['image'],
			array(
				'job'          => $job,
				'carries'      => $checkpoint['carries'] ?? array(),
				'allow_larger' => ! empty( $options['allow_larger'] ),
				// A description may cost as much as the export, so only images that become smaller are described.
				'texts'        => static function () use ( $id, $checkpoint, $options ) {
					return empty( $options['fill_text'] ) ? array() : self::describe( $id, $checkpoint );
				},
			)
		);
		// After any other error the next attempt can use the paid export.
		if ( ! is_wp_error( $done ) || self::is_final( $done ) || self::is_free( $done ) ) {
			Imagewright_Checkpoint::finish( $id, $checkpoint );
		}
		return $done;
	}

	/**
	 * Returns true if the export was not charged, since nothing would get smaller.
	 *
	 * @param WP_Error $error Error of the replacement.
	 * @return bool
	 */
	private static function is_free( $error ) {
		return 'imagewright_not_smaller' === $error->get_error_code() && 0 === ( (array) $error->get_error_data() )['details']['charged'];
	}

	/**
	 * Returns true if no further attempt can use the result.
	 *
	 * @param WP_Error $error Error of the replacement.
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
	 * Uploads and exports an attachment.
	 *
	 * @param int   $id      Attachment.
	 * @param array $options Of run().
	 * @return array{0:array,1:string}|WP_Error Checkpoint, job id.
	 */
	private static function exported( $id, $options ) {
		$checkpoint = Imagewright_Checkpoint::of( $id, $options );
		if ( is_wp_error( $checkpoint ) ) {
			return $checkpoint;
		}
		// The file may have been replaced during the upload. Such an upload is not exported.
		if ( ! Imagewright_Checkpoint::known( $id, $options ) ) {
			return Imagewright_Result::changed();
		}
		$job = $checkpoint['job'] ?? self::export( $id, $checkpoint, $options );
		return is_wp_error( $job ) ? $job : array( $checkpoint, $job );
	}

	/**
	 * Returns true if the service no longer has the upload, or its idempotency key belongs to another request.
	 *
	 * @param WP_Error $error Error of the service.
	 * @return bool
	 */
	public static function is_gone( $error ) {
		return in_array( $error->get_error_code(), array( 'session_not_found', 'image_not_found', 'idempotency_mismatch' ), true );
	}

	/**
	 * Describes the image if a text is missing.
	 *
	 * @param int   $id   Attachment.
	 * @param array $checkpoint Of Imagewright_Checkpoint::of().
	 * @return array{alt?:string,title?:string}|WP_Error
	 */
	private static function describe( $id, $checkpoint ) {
		if ( ! Imagewright_Eligibility::lacks_text( $id ) || ! Imagewright_Vision::exists() ) {
			return array();
		}
		$all       = Imagewright_Site_Languages::all( $id );
		$languages = array_keys( $all );
		$answer    = self::stream(
			"/v1/sessions/{$checkpoint['session']}/analyze",
			array(
				'images'  => array( array( 'id' => $checkpoint['image'] ) ),
				'options' => array_filter(
					array(
						'language'  => count( $all ) > 1 ? null : $languages[0],
						'languages' => count( $all ) > 1 ? $languages : null,
						'context'   => Imagewright_Description::context( $id ),
					)
				),
			),
			"wp-analyze-{$checkpoint['mark']}{$checkpoint['image']}" . implode( ',', $languages )
		);
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$analysis = Imagewright_Service::json( 'GET', "/v1/sessions/{$checkpoint['session']}/analysis" );
		if ( is_wp_error( $analysis ) ) {
			return $analysis;
		}
		$found = (array) ( $analysis['images'][0]['metadata'] ?? array() );
		Imagewright_Description::fill_others( $all, (array) ( $analysis['images'][0]['texts'] ?? array() ) );
		return array_filter(
			array(
				'alt'   => $found['alt'] ?? null,
				'title' => $found['title'] ?? null,
			),
			'is_string'
		);
	}

	/**
	 * Exports the image, or joins the export of an earlier attempt by its idempotency key.
	 *
	 * @param int   $id         Attachment.
	 * @param array $checkpoint Of Imagewright_Checkpoint::of().
	 * @param array $options    Of run().
	 * @return string|WP_Error Id of the job.
	 */
	private static function export( $id, $checkpoint, $options ) {
		$larger = ! empty( $options['allow_larger'] );
		$image  = array( 'id' => $checkpoint['image'] );
		return self::stream(
			"/v1/sessions/{$checkpoint['session']}/export",
			array(
				'images'   => array( $larger ? $image : $image + array( 'replaces' => Imagewright_Shown::replaces( $id, $checkpoint['size'] ) ) ),
				'settings' => array( 'onlySmaller' => ! $larger ) + Imagewright_Sizes::settings( $options['format'], $options['preset'], array( $checkpoint['size'] ) ),
			),
			( $larger ? 'wp-larger-' : 'wp-export-' ) . $checkpoint['mark'] . $checkpoint['image']
		);
	}

	/**
	 * Sends a request and reads its event stream to the end.
	 *
	 * @param string $path Path.
	 * @param array  $body Body.
	 * @param string $key  Idempotency key.
	 * @return string|WP_Error Id of the job. Its images may have failed.
	 */
	public static function stream( $path, $body, $key ) {
		$slip = Imagewright_Budget::reserve( Imagewright_Proxy_Rules::paid_operation( 'POST', $path ), count( $body['images'] ), "$path $key" );
		if ( is_wp_error( $slip ) ) {
			return $slip;
		}
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
		Imagewright_Budget::settle( $slip, $answer );
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		if ( $answer['status'] >= 400 ) {
			return Imagewright_Rest_Errors::from_service( $answer['status'], (array) json_decode( $answer['body'], true ), $answer['headers'] );
		}
		if ( ! preg_match( '/^event: (complete|error)\r?$/m', $answer['body'] ) || empty( $answer['headers']['x-job-id'] ) ) {
			return Imagewright_Rest_Errors::make( 'interrupted', __( 'The connection to the image service was interrupted. Nothing is lost: trying again continues the same work.', 'imagewright' ), 502 );
		}
		return (string) $answer['headers']['x-job-id'];
	}
}
