<?php
/**
 * Roles that may spend credits.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Gives roles the capability to spend credits and takes it from them. Any plugin for roles may do the same.
 */
class Imagewright_Roles {

	/** Capability of users who may start what costs credits. */
	const SPEND = 'imagewright_spend';

	/** Gives the capability to all roles that may upload files. */
	public function grant() {
		foreach ( $this->uploaders() as $name => $label ) {
			get_role( $name )->add_cap( self::SPEND );
		}
	}

	/** Takes the capability from all roles. */
	public function revoke() {
		foreach ( array_keys( wp_roles()->roles ) as $name ) {
			get_role( $name )->remove_cap( self::SPEND );
		}
	}

	/**
	 * Gives the capability to these roles and to administrators, and takes it from all others that may upload files.
	 *
	 * @param string[] $chosen Names of roles.
	 */
	public function choose( $chosen ) {
		foreach ( $this->uploaders() as $name => $label ) {
			if ( 'administrator' === $name || in_array( $name, $chosen, true ) ) {
				get_role( $name )->add_cap( self::SPEND );
			} else {
				get_role( $name )->remove_cap( self::SPEND );
			}
		}
	}

	/** Renders the row of the settings. */
	public function render() {
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
