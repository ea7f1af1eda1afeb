<?php
/**
 * Budget of a user.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Limits the credits that a user spends in 30 days. Credits are reserved before a request, and corrected when its job is known.
 */
class Imagewright_Budget {

	/** Prefix of the options, one a user: `{"v":unique,"entries":{id:[time,credits,job]}}`. */
	const PREFIX = 'imagewright_budget_';

	/** Period of the limit, in seconds. */
	const SECONDS = 30 * DAY_IN_SECONDS;

	/** Seconds within which the service recognises a repeated request. */
	const REPEATABLE = 20 * HOUR_IN_SECONDS;

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
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Service $service
	) {
		$this->options = $options;
		$this->service = $service;
	}

	/**
	 * Returns the limit of the current user in credits, or 0. Administrators have none.
	 *
	 * @return int
	 */
	public function limit() {
		return current_user_can( 'manage_options' ) ? 0 : max( 0, (int) $this->options->all()['user_credits'] );
	}

	/**
	 * Reserves the price of a request.
	 *
	 * @param string $operation `export` or `analyze`.
	 * @param int    $count     Images.
	 * @param string $request   Path and idempotency key; an empty string for a request that cannot be repeated.
	 * @return array{id:string,isNew:bool}|WP_Error|null Null without a limit.
	 */
	public function reserve( $operation, $count, $request ) {
		$limit = $this->limit();
		if ( 0 === $limit ) {
			return null;
		}
		$price = $this->service->json(
			'POST',
			'/v1/credits/check',
			array(
				'imageCount' => $count,
				'operation'  => $operation,
			)
		);
		if ( is_wp_error( $price ) ) {
			return $price;
		}
		$cost = (int) $price['cost'];
		$slip = array(
			'id'    => '' === $request ? wp_generate_uuid4() : md5( $request ),
			'isNew' => true,
		);
		return $this->change(
			function ( &$entries ) use ( $limit, $cost, &$slip ) {
				$open          = $entries[ $slip['id'] ] ?? null;
				$is_repeated   = $open && '' === $open[2] && $open[0] > time() - self::REPEATABLE;
				$slip['isNew'] = ! $is_repeated;
				if ( $open && ! $is_repeated ) {
					$slip['id'] = wp_generate_uuid4();
				}
				$reserved = $is_repeated ? $open[1] : 0;
				$used     = array_sum( array_column( $entries, 1 ) ) - $reserved;
				$needed   = max( $cost, $reserved );
				if ( $needed > 0 && $used + $needed > $limit ) {
					return $this->exceeded( $limit, $used, $needed );
				}
				$entries[ $slip['id'] ] = array( time(), $needed, '' );
				return $slip;
			}
		);
	}

	/**
	 * Corrects a reservation by the response. A request whose outcome is unknown stays counted.
	 *
	 * @param array|null     $slip   Of reserve().
	 * @param array|WP_Error $answer Response of the service.
	 */
	public function settle( $slip, $answer ) {
		if ( null === $slip || is_wp_error( $answer ) || $answer['status'] >= 500 ) {
			return;
		}
		$id  = (string) ( $answer['headers']['x-job-id'] ?? '' );
		$job = '' === $id || $answer['status'] >= 400 ? null : $this->service->json( 'GET', '/v1/jobs/' . rawurlencode( $id ) );
		if ( $answer['status'] < 400 && ( null === $job || is_wp_error( $job ) ) ) {
			return;
		}
		$this->change(
			static function ( &$entries ) use ( $slip, $id, $job ) {
				if ( null === $job ) {
					// Refused. The entry of an earlier request with the same key may have been charged.
					if ( $slip['isNew'] ) {
						unset( $entries[ $slip['id'] ] );
					}
					return true;
				}
				$others = array_diff_key( $entries, array( $slip['id'] => 1 ) );
				$is_end = in_array( $job['status'] ?? '', array( 'completed', 'partial', 'failed', 'cancelled' ), true );
				if ( in_array( $id, array_column( $others, 2 ), true ) ) {
					// A repeated request: the job was paid for once.
					unset( $entries[ $slip['id'] ] );
				} elseif ( isset( $entries[ $slip['id'] ] ) ) {
					$charged = (int) ( $job['credits']['charged'] ?? 0 ) - (int) ( $job['credits']['refunded'] ?? 0 );

					$entries[ $slip['id'] ][1] = $is_end ? max( 0, $charged ) : $entries[ $slip['id'] ][1];
					$entries[ $slip['id'] ][2] = $id;
				}
				return true;
			}
		);
	}

	/**
	 * Deletes the budget of a user.
	 *
	 * @param int $user User.
	 */
	public function forget( $user ) {
		delete_option( self::PREFIX . (int) $user );
	}

	/**
	 * Changes the entries of the current user. Repeats if another request changed them meanwhile.
	 *
	 * @param callable $callback Receives the entries by reference. Nothing is stored if it returns an error.
	 * @return mixed Result of the callback, or WP_Error.
	 */
	private function change( $callback ) {
		global $wpdb;
		$name  = self::PREFIX . get_current_user_id();
		$until = microtime( true ) + 20;
		$wpdb->query( $wpdb->prepare( "INSERT IGNORE INTO $wpdb->options ( option_name, option_value, autoload ) VALUES ( %s, '{}', 'no' )", $name ) );
		do {
			// Bypasses the cache of options, which may be stale.
			$old     = (string) $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM $wpdb->options WHERE option_name = %s", $name ) );
			$entries = $this->recent( (array) ( json_decode( $old, true )['entries'] ?? array() ) );
			$result  = $callback( $entries );
			if ( is_wp_error( $result ) ) {
				return $result;
			}
			// Unique: databases compare texts without regard to case.
			$new = wp_json_encode( array( 'v' => wp_generate_uuid4() ) + compact( 'entries' ) );
			if ( $wpdb->query( $wpdb->prepare( "UPDATE $wpdb->options SET option_value = %s WHERE option_name = %s AND option_value = %s", $new, $name, $old ) ) ) {
				return $result;
			}
			usleep( wp_rand( 5000, 50000 ) );
		} while ( microtime( true ) < $until );
		return Imagewright_Rest_Errors::make( 'busy', __( 'Another image is being saved. Try again in a moment.', 'imagewright' ), 409 );
	}

	/**
	 * Removes entries older than the period and sums up those older than two days by day.
	 *
	 * @param array<string,array{0:int,1:int,2:string}> $entries Entries.
	 * @return array<string,array{0:int,1:int,2:string}>
	 */
	private function recent( $entries ) {
		$recent = array();
		foreach ( $entries as $id => $entry ) {
			if ( $entry[0] <= time() - self::SECONDS ) {
				continue;
			}
			if ( $entry[0] < time() - 2 * DAY_IN_SECONDS ) {
				$id    = 'day-' . intdiv( $entry[0], DAY_IN_SECONDS );
				$sum   = $recent[ $id ] ?? array( 0, 0, '' );
				$entry = array( max( $sum[0], $entry[0] ), $sum[1] + $entry[1], '' );
			}
			$recent[ $id ] = $entry;
		}
		return $recent;
	}

	/**
	 * Creates the error for a request above the limit.
	 *
	 * @param int $limit  Limit.
	 * @param int $used   Spent or reserved credits.
	 * @param int $needed Price of the request.
	 * @return WP_Error
	 */
	private function exceeded( $limit, $used, $needed ) {
		/* translators: 1: limit, 2: credits spent or reserved, 3: credits that the request needs */
		$text = __( 'Your limit on this site is %1$s credits in 30 days. Used: %2$s, needed now: %3$s. An administrator can raise the limit.', 'imagewright' );
		return Imagewright_Rest_Errors::make(
			'budget_exceeded',
			sprintf( $text, number_format_i18n( $limit ), number_format_i18n( $used ), number_format_i18n( $needed ) ),
			403,
			array(
				'limit'    => $limit,
				'used'     => $used,
				'required' => $needed,
			)
		);
	}
}
