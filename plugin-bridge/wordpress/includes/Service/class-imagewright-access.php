<?php
/**
 * Permissions of users.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Decides which users may use the plugin and which may spend credits, by a capability that the settings give to roles. Any plugin for
 * roles may do the same. The filter `imagewright_capability` changes both.
 */
class Imagewright_Access {

	/** Capabilities that are required without a filter, by purpose. */
	const CAPABILITIES = array(
		'use'   => 'upload_files',
		'spend' => self::SPEND,
	);

	/** Capability of users who may start what costs credits. */
	const SPEND = 'imagewright_spend';

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

	/** Gives the capability to all roles that may upload files. */
	public function grant_spending() {
		foreach ( $this->uploaders() as $name => $label ) {
			get_role( $name )->add_cap( self::SPEND );
		}
	}

	/** Takes the capability from all roles. */
	public function revoke_spending() {
		foreach ( array_keys( wp_roles()->roles ) as $name ) {
			get_role( $name )->remove_cap( self::SPEND );
		}
	}

	/**
	 * Gives the capability to these roles and to administrators, and takes it from all others that may upload files.
	 *
	 * @param string[] $chosen Names of roles.
	 */
	public function choose_spenders( $chosen ) {
		foreach ( $this->uploaders() as $name => $label ) {
			if ( 'administrator' === $name || in_array( $name, $chosen, true ) ) {
				get_role( $name )->add_cap( self::SPEND );
			} else {
				get_role( $name )->remove_cap( self::SPEND );
			}
		}
	}

	/** Renders the row of the settings. */
	public function render_spenders() {
		?>
		<tr>
			<th scope="row"><?php esc_html_e( 'Roles that may spend credits', 'imagewright' ); ?></th>
			<td>
				<fieldset>
					<legend class="screen-reader-text"><?php esc_html_e( 'Roles that may spend credits', 'imagewright' ); ?></legend>
					<input type="hidden" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[spenders][]" value="administrator">
					<?php foreach ( $this->uploaders() as $name => $label ) : ?>
						<label><input type="checkbox" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[spenders][]" value="<?php echo esc_attr( $name ); ?>"
							<?php checked( get_role( $name )->has_cap( self::SPEND ) ); ?> <?php disabled( 'administrator', $name ); ?>> <?php echo esc_html( translate_user_role( $label ) ); ?></label><br>
					<?php endforeach; ?>
				</fieldset>
			</td>
		</tr>
		<?php
	}

	/**
	 * Returns the roles that may upload files: labels by name.
	 *
	 * @return array<string,string>
	 */
	private function uploaders() {
		$found = array();
		foreach ( wp_roles()->roles as $name => $role ) {
			if ( ! empty( $role['capabilities']['upload_files'] ) ) {
				$found[ $name ] = $role['name'];
			}
		}
		return $found;
	}
}
