<?php
/**
 * Permissions of users.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Decides which users may use the plugin and which may spend credits, by a capability of roles. The filter `imagewright_capability`
 * changes both.
 */
class Imagewright_Access {

	/** Capabilities that are required without a filter, by purpose. */
	const CAPABILITIES = array(
		'use'   => 'upload_files',
		'spend' => Imagewright_Roles::SPEND,
	);

	/**
	 * Returns true if the current user may see the plugin and use what is free.
	 *
	 * @return bool
	 */
	public function may_use() {
		return current_user_can( $this->capability( 'use' ) );
	}

	/**
	 * Returns true if the current user may also start work that costs credits.
	 *
	 * @return bool
	 */
	public function may_spend() {
		return $this->may_use() && current_user_can( $this->capability( 'spend' ) );
	}

	/**
	 * Returns the required capability.
	 *
	 * @param string $purpose `use` or `spend`.
	 * @return string
	 */
	public function capability( $purpose ) {
		/**
		 * Filters the capability that is required to use the plugin (`use`) and to spend credits with it (`spend`).
		 *
		 * @param string $capability Capability. Default: `upload_files` or `imagewright_spend`.
		 * @param string $purpose    `use` or `spend`.
		 */
		$capability = apply_filters( 'imagewright_capability', self::CAPABILITIES[ $purpose ], $purpose );
		// Without a capability from the filter, no user is allowed.
		return is_string( $capability ) && '' !== $capability ? $capability : 'do_not_allow';
	}

	/**
	 * Returns the administrator for work without a user: WP-CLI, and importers in the background.
	 *
	 * @return int User; 0 if there is none.
	 */
	public function administrator() {
		$found = get_users(
			array(
				'role'   => 'administrator',
				'number' => 1,
				'fields' => 'ID',
			)
		);
		return $found ? (int) $found[0] : 0;
	}

	/**
	 * Creates the error for a user who may not spend credits.
	 *
	 * @return WP_Error
	 */
	public function refusal() {
		return Imagewright_Rest_Errors::make( 'may_not_spend', __( 'Your role on this site does not allow you to spend credits. An administrator can change that.', 'imagewright' ), 403 );
	}

	/**
	 * Returns true if the current user may change an attachment.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function may_change( $id ) {
		return 'attachment' === get_post_type( $id ) && $this->may_use() && current_user_can( 'edit_post', $id );
	}
}
