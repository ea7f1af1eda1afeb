<?php
/**
 * Default settings of optimizations.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Renders and sanitizes the fields below "Defaults" on Settings > Imagewright.
 */
class Imagewright_Default_Fields {

	/**
	 * Renders the rows.
	 *
	 * @param array $all Settings.
	 */
	public static function render( $all ) {
		self::render_select( 'format', __( 'Format', 'imagewright' ), array_intersect_key( Imagewright_Strings::formats(), array_flip( Imagewright_Options::formats() ) ), $all['format'] );
		self::render_select( 'preset', __( 'Quality', 'imagewright' ), Imagewright_Strings::presets(), $all['preset'] );
		self::render_select( 'delivery', __( 'Optimized files', 'imagewright' ), Imagewright_Strings::ways(), $all['delivery'] );
		self::render_check( 'auto', __( 'New uploads', 'imagewright' ), __( 'Optimize new uploads by themselves, for one credit an image', 'imagewright' ), $all );
		self::render_number( 'daily_credits', __( 'Credits that new uploads may spend a day (0: no limit)', 'imagewright' ), __( 'Uploads above it wait for the next day (UTC).', 'imagewright' ), $all['daily_credits'] );
		self::render_texts( $all );
		self::render_number( 'user_credits', __( 'Credits a user may spend in 30 days (0: no limit)', 'imagewright' ), __( 'Administrators have no limit.', 'imagewright' ), $all['user_credits'] );
		self::render_check( 'delete_files', __( 'Deleting the plugin', 'imagewright' ), __( 'Also delete the optimized files beside the originals. Files that took the place of originals always stay.', 'imagewright' ), $all );
	}

	/**
	 * Sanitizes the fields.
	 *
	 * @param array $input Submitted settings.
	 * @param array $old   Stored settings, kept where the submitted value is invalid.
	 * @return array
	 */
	public static function sanitize( $input, $old ) {
		$pick   = static function ( $name, $allowed ) use ( $input, $old ) {
			return in_array( $input[ $name ] ?? null, $allowed, true ) ? $input[ $name ] : $old[ $name ];
		};
		$number = static function ( $name ) use ( $input, $old ) {
			$value = $input[ $name ] ?? null;
			return is_scalar( $value ) && preg_match( '/^\d{1,9}$/D', trim( (string) $value ) ) ? (int) $value : (int) $old[ $name ];
		};
		return array(
			'format'        => $pick( 'format', Imagewright_Options::formats() ),
			'preset'        => $pick( 'preset', Imagewright_Contract::PRESETS ),
			'delivery'      => $pick( 'delivery', Imagewright_Options::WAYS ),
			'auto'          => ! empty( $input['auto'] ),
			'daily_credits' => $number( 'daily_credits' ),
			'fill_text'     => ! empty( $input['fill_text'] ),
			'user_credits'  => $number( 'user_credits' ),
			'delete_files'  => ! empty( $input['delete_files'] ),
		);
	}

	/**
	 * Renders a row with a checkbox.
	 *
	 * @param string $name  Setting.
	 * @param string $title Title of the row.
	 * @param string $label Label.
	 * @param array  $all   Settings.
	 */
	private static function render_check( $name, $title, $label, $all ) {
		?>
		<tr>
			<th scope="row"><?php echo esc_html( $title ); ?></th>
			<td>
				<label><input type="checkbox" name="<?php echo esc_attr( Imagewright_Options::SETTINGS . "[$name]" ); ?>" value="1" <?php checked( $all[ $name ] ); ?>>
					<?php echo esc_html( $label ); ?></label>
			</td>
		</tr>
		<?php
	}

	/**
	 * Renders a row with a number.
	 *
	 * @param string $name  Setting.
	 * @param string $label Label.
	 * @param string $hint  Description.
	 * @param int    $value Current value.
	 */
	private static function render_number( $name, $label, $hint, $value ) {
		$id = 'imagewright-' . str_replace( '_', '-', $name );
		?>
		<tr>
			<th scope="row"><label for="<?php echo esc_attr( $id ); ?>"><?php echo esc_html( $label ); ?></label></th>
			<td>
				<input type="number" min="0" step="1" class="small-text" id="<?php echo esc_attr( $id ); ?>" name="<?php echo esc_attr( Imagewright_Options::SETTINGS . "[$name]" ); ?>" value="<?php echo esc_attr( (string) $value ); ?>">
				<p class="description"><?php echo esc_html( $hint ); ?></p>
			</td>
		</tr>
		<?php
	}

	/**
	 * Renders a row with a select element.
	 *
	 * @param string               $name    Setting.
	 * @param string               $label   Label.
	 * @param array<string,string> $choices Labels by value.
	 * @param string               $value   Current value.
	 */
	private static function render_select( $name, $label, $choices, $value ) {
		?>
		<tr>
			<th scope="row"><label for="imagewright-<?php echo esc_attr( $name ); ?>"><?php echo esc_html( $label ); ?></label></th>
			<td>
				<select id="imagewright-<?php echo esc_attr( $name ); ?>" name="<?php echo esc_attr( Imagewright_Options::SETTINGS . "[$name]" ); ?>">
					<?php foreach ( $choices as $choice => $text ) : ?>
						<option value="<?php echo esc_attr( $choice ); ?>" <?php selected( $choice, $value ); ?>><?php echo esc_html( $text ); ?></option>
					<?php endforeach; ?>
				</select>
			</td>
		</tr>
		<?php
	}

	/**
	 * Renders the rows of descriptions.
	 *
	 * @param array $all Settings.
	 */
	private static function render_texts( $all ) {
		?>
		<tr>
			<th scope="row"><?php esc_html_e( 'Texts', 'imagewright' ); ?></th>
			<td>
				<label><input type="checkbox" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[fill_text]" value="1" <?php checked( $all['fill_text'] ); ?>>
					<?php esc_html_e( 'In bulk runs, describe images and fill in alternative text and title where there are none', 'imagewright' ); ?></label>
				<p class="description"><?php esc_html_e( 'The price of descriptions is shown before a run begins.', 'imagewright' ); ?></p>
				<?php if ( ! Imagewright_Vision::exists() ) : ?>
					<p class="description"><?php echo esc_html( Imagewright_Vision::refusal()->get_error_message() ); ?></p>
				<?php endif; ?>
			</td>
		</tr>
		<tr>
			<th scope="row"><label for="imagewright-language"><?php esc_html_e( 'Language of descriptions', 'imagewright' ); ?></label></th>
			<td>
				<input type="text" id="imagewright-language" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[language]" value="<?php echo esc_attr( $all['language'] ); ?>" placeholder="<?php echo esc_attr( str_replace( '_', '-', get_locale() ) ); ?>">
			</td>
		</tr>
		<?php
	}
}
