<?php
/**
 * Rules of routes.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Arguments and permissions that several routes have.
 */
class Imagewright_Rest_Rules {

	/** Settings. */
	private Imagewright_Options $options;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Attachments of a picture. */
	private Imagewright_Shared $shared;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Access  $access  Permissions of users.
	 * @param Imagewright_Shared  $shared  Attachments of a picture.
	 */
	public function __construct( Imagewright_Options $options, Imagewright_Access $access, Imagewright_Shared $shared ) {
		$this->options = $options;
		$this->access  = $access;
		$this->shared  = $shared;
	}

	/**
	 * Returns the schema of the export settings. The defaults are the settings of the site.
	 *
	 * @return array
	 */
	public function settings_args() {
		$all     = $this->options->all();
		$formats = $this->options->formats();
		return array(
			'format'   => array(
				'type'    => 'string',
				'enum'    => $formats,
				// The stored format may come from a server that supported more formats.
				'default' => in_array( $all['format'], $formats, true ) ? $all['format'] : $formats[0],
			),
			'preset'   => array(
				'type'    => 'string',
				'enum'    => Imagewright_Contract::PRESETS,
				'default' => $all['preset'],
			),
			'fillText' => array(
				'type'    => 'boolean',
				'default' => (bool) $all['fill_text'],
			),
		);
	}

	/**
	 * Returns the schema of a list of ids.
	 *
	 * @return array
	 */
	public function ids_arg() {
		return array(
			'type'    => 'array',
			'items'   => array( 'type' => 'integer' ),
			'default' => array(),
		);
	}

	/**
	 * Requires the permission to use the plugin.
	 *
	 * @return bool
	 */
	public function may_list() {
		return $this->access->may_use();
	}

	/**
	 * Requires the permission to change the attachment.
	 *
	 * @param WP_REST_Request $request Request.
	 * @return bool
	 */
	public function may_change( $request ) {
		return $this->access->may_change( (int) $request['id'] ) && $this->shared->may_change( (int) $request['id'] );
	}

	/**
	 * Makes the idempotency key of a request one of its user and site: another user's equal key must not be answered with this one's
	 * session.
	 *
	 * @param WP_REST_Request $request The browser's request.
	 * @return string An empty string without a key.
	 */
	public function own_key( $request ) {
		$key = (string) $request->get_header( 'idempotency_key' );
		return '' === $key ? '' : hash( 'sha256', get_current_blog_id() . ' ' . get_current_user_id() . ' ' . $key );
	}
}
