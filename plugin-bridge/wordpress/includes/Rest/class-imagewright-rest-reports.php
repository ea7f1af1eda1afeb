<?php
/**
 * Routes for reports.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Weighs pages, lists unconfirmed texts, and audits the texts of the site.
 */
class Imagewright_Rest_Reports {

	/** Most images of a part. */
	const BATCH = 20;

	/** Images are counted up to this number: to count all of a large library would take longer than to show the part. */
	const COUNTED = 1000;

	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Weight of a page. */
	private Imagewright_Page_Weight $page_weight;
	/** Audit of the texts of a site. */
	private Imagewright_Audit $audit;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Lists of the media library. */
	private Imagewright_Library $library;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Rest_Rules  $rest_rules  Rules of routes.
	 * @param Imagewright_Page_Weight $page_weight Weight of a page.
	 * @param Imagewright_Audit       $audit       Audit of the texts of a site.
	 * @param Imagewright_Texts       $texts       Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Access      $access      Permissions of users.
	 * @param Imagewright_Library     $library     Lists of the media library.
	 */
	public function __construct(
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Page_Weight $page_weight,
		Imagewright_Audit $audit,
		Imagewright_Texts $texts,
		Imagewright_Access $access,
		Imagewright_Library $library
	) {
		$this->rest_rules  = $rest_rules;
		$this->page_weight = $page_weight;
		$this->audit       = $audit;
		$this->texts       = $texts;
		$this->access      = $access;
		$this->library     = $library;
	}

	/** Registers the routes in the REST API. */
	public function routes() {
		$route = function ( $method, $path, $callback, $args ) {
			register_rest_route(
				'imagewright/v1',
				$path,
				array(
					'methods'             => $method,
					'callback'            => array( $this, $callback ),
					'permission_callback' => array( $this->rest_rules, 'may_list' ),
					'args'                => $args,
				)
			);
		};
		$cursor = array(
			'cursor' => array(
				'type'    => 'string',
				'default' => '',
			),
		);
		$route(
			'POST',
			'/weigh',
			'weigh',
			array(
				'url' => array(
					'type'     => 'string',
					'required' => true,
				),
			)
		);
		$route( 'GET', '/texts/unconfirmed', 'unconfirmed', $cursor );
		$route( 'GET', '/texts/audit', 'audit', $cursor );
	}

	/**
	 * Weighs a page.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array|WP_Error
	 */
	public function weigh( $request ) {
		return $this->page_weight->of( (string) $request['url'] );
	}

	/**
	 * Lists unconfirmed texts of AI.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public function unconfirmed( $request ) {
		return $this->batch( (int) $request['cursor'] );
	}

	/**
	 * Audits the next part of the site.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return array
	 */
	public function audit( $request ) {
		return $this->audit->batch( (string) $request['cursor'] );
	}

	/**
	 * Returns the next images with such a text.
	 *
	 * @param int $cursor Of the part before; 0 for the first.
	 * @return array{items:array<int,array>,cursor:string,total:int|null,more:bool} `cursor` is empty after the last part; `total` of the
	 *     first part, `more` if there are more than `total`.
	 */
	public function batch( $cursor ) {
		global $wpdb;
		$rows  = $wpdb->get_results( 'SELECT m.meta_id AS meta, m.post_id AS id ' . $this->from_unconfirmed() . ' AND m.meta_id > ' . (int) $cursor . ' ORDER BY m.meta_id LIMIT ' . self::BATCH, ARRAY_A ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by from().
		$items = array();
		_prime_post_caches( array_map( 'intval', array_column( $rows, 'id' ) ), false, true );
		foreach ( $rows as $row ) {
			$id     = (int) $row['id'];
			$record = $this->texts->record( $id, $this->texts->alt( $id ) );
			if ( $record && 'ai' === $record['by'] && ! $record['confirmed'] && $this->access->may_change( $id ) ) {
				$items[] = $this->library->describe( $id ) + array( 'large' => (string) wp_get_attachment_image_url( $id, 'medium_large' ) );
			}
		}
		$total = $cursor > 0 ? null : (int) $wpdb->get_var( 'SELECT COUNT(*) FROM ( SELECT 1 ' . $this->from_unconfirmed() . ' LIMIT ' . ( self::COUNTED + 1 ) . ' ) AS found' ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- prepared by from().
		return array(
			'items'  => $items,
			'cursor' => count( $rows ) < self::BATCH ? '' : (string) max( array_map( 'intval', array_column( $rows, 'meta' ) ) ),
			'total'  => null === $total ? null : min( $total, self::COUNTED ),
			'more'   => $total > self::COUNTED,
		);
	}

	/**
	 * Selects the records whose text is that of the library.
	 *
	 * @return string
	 */
	private function from_unconfirmed() {
		global $wpdb;
		return $wpdb->prepare(
			"FROM $wpdb->postmeta m JOIN $wpdb->postmeta a ON a.post_id = m.post_id AND a.meta_key = %s AND a.meta_value <> '' AND INSTR( m.meta_value, a.meta_value ) > 0
			WHERE m.meta_key = %s AND m.meta_value LIKE %s",
			Imagewright_Texts::ALT,
			Imagewright_Texts::META,
			'%"by";s:2:"ai";%"confirmed";i:0;%'
		);
	}
}
