<?php
/**
 * Setting of the budget.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Renders and sanitizes the limit of credits a user.
 */
class Imagewright_Budget_Field {

	/**
	 * Renders the row.
	 *
	 * @param array $all Settings.
	 */
	public static function render( $all ) {
		?>
		<tr>
			<th scope="row"><label for="imagewright-user-credits"><?php esc_html_e( 'Credits a user may spend in 30 days (0: no limit)', 'imagewright' ); ?></label></th>
			<td>
				<input type="number" min="0" step="1" class="small-text" id="imagewright-user-credits" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[user_credits]" value="<?php echo esc_attr( (string) $all['user_credits'] ); ?>">
				<p class="description"><?php esc_html_e( 'Administrators have no limit.', 'imagewright' ); ?></p>
			</td>
		</tr>
		<?php
	}

	/**
	 * Sanitizes the limit.
	 *
	 * @param mixed $input Submitted limit.
	 * @param int   $old   Stored limit, kept if the submitted one is no whole number.
	 * @return int
	 */
	public static function sanitize( $input, $old ) {
		return is_scalar( $input ) && preg_match( '/^\d{1,9}$/D', trim( (string) $input ) ) ? (int) $input : (int) $old;
	}
}
