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

	/** Rules of routes. */
	private Imagewright_Rest_Rules $rest_rules;
	/** Weight of a page. */
	private Imagewright_Page_Weight $page_weight;
	/** Unconfirmed texts of AI. */
	private Imagewright_Unconfirmed $unconfirmed;
	/** Audit of the texts of a site. */
	private Imagewright_Audit $audit;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Rest_Rules  $rest_rules  Rules of routes.
	 * @param Imagewright_Page_Weight $page_weight Weight of a page.
	 * @param Imagewright_Unconfirmed $unconfirmed Unconfirmed texts of AI.
	 * @param Imagewright_Audit       $audit       Audit of the texts of a site.
	 */
	public function __construct(
		Imagewright_Rest_Rules $rest_rules,
		Imagewright_Page_Weight $page_weight,
		Imagewright_Unconfirmed $unconfirmed,
		Imagewright_Audit $audit
	) {
		$this->rest_rules  = $rest_rules;
		$this->page_weight = $page_weight;
		$this->unconfirmed = $unconfirmed;
		$this->audit       = $audit;
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
		return $this->unconfirmed->batch( (int) $request['cursor'] );
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
}
