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

	/** Least value of the largest edge, in pixels. */
	const LEAST_EDGE = 320;

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
		self::render_number( 'skip_below', __( 'Leave out files smaller than this (KB; 0: none)', 'imagewright' ), __( 'Applies to new uploads and runs over the library, not to chosen images.', 'imagewright' ), $all['skip_below'] );
		self::render_patterns( $all['skip_names'] );
		self::render_number( 'max_edge', __( 'Largest width or height (pixels; 0: that of WordPress, 2560)', 'imagewright' ), __( 'Pages show a copy of this size of larger uploads. With files in the place of the originals it applies to existing images too.', 'imagewright' ), $all['max_edge'] );
		self::render_texts( $all );
		Imagewright_Roles::render();
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
		if ( is_array( $input['spenders'] ?? null ) ) {
			Imagewright_Roles::choose( array_filter( $input['spenders'], 'is_string' ) );
		}
		return array(
			'format'        => $pick( 'format', Imagewright_Options::formats() ),
			'preset'        => $pick( 'preset', Imagewright_Contract::PRESETS ),
			'delivery'      => $pick( 'delivery', Imagewright_Options::WAYS ),
			'auto'          => ! empty( $input['auto'] ),
			'daily_credits' => $number( 'daily_credits' ),
			'fill_text'     => ! empty( $input['fill_text'] ),
			'user_credits'  => $number( 'user_credits' ),
			'skip_below'    => $number( 'skip_below' ),
			'skip_names'    => is_string( $input['skip_names'] ?? null ) ? Imagewright_Exclusions::sanitize( $input['skip_names'] ) : $old['skip_names'],
			'max_edge'      => self::edge( $number( 'max_edge' ), (int) $old['max_edge'] ),
			'delete_files'  => ! empty( $input['delete_files'] ),
		);
	}

	/**
	 * Checks the largest edge.
	 *
	 * @param int $edge Submitted pixels.
	 * @param int $old  Stored pixels.
	 * @return int
	 */
	private static function edge( $edge, $old ) {
		if ( 0 === $edge || ( $edge >= self::LEAST_EDGE && $edge <= Imagewright_Contract::MAX_EDGE ) ) {
			return $edge;
		}
		/* translators: 1: least number of pixels, 2: largest number of pixels */
		add_settings_error( Imagewright_Options::SETTINGS, 'imagewright_edge', sprintf( __( 'The largest width or height must be 0, or from %1$s to %2$s pixels.', 'imagewright' ), number_format_i18n( self::LEAST_EDGE ), number_format_i18n( Imagewright_Contract::MAX_EDGE ) ) );
		return $old;
	}

	/**
	 * Renders the row of the names and folders that are left out.
	 *
	 * @param string $value Patterns.
	 */
	private static function render_patterns( $value ) {
		?>
		<tr>
			<th scope="row"><label for="imagewright-skip-names"><?php esc_html_e( 'Leave out names and folders', 'imagewright' ); ?></label></th>
			<td>
				<textarea id="imagewright-skip-names" class="code" rows="4" cols="40" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[skip_names]" placeholder="logo*.png&#10;2019/"><?php echo esc_textarea( $value ); ?></textarea>
				<p class="description"><?php esc_html_e( 'One a line, in the uploads folder: a file name, a path, or a folder that ends with a slash. * stands for any characters.', 'imagewright' ); ?></p>
			</td>
		</tr>
		<?php
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
