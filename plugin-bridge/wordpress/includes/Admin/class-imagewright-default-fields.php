<?php
/**
 * Settings of optimizations.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Renders and sanitizes the fields below "New uploads" and "Advanced" on Settings > Imagewright.
 */
class Imagewright_Default_Fields {

	/** Least value of the largest edge, in pixels. */
	const LEAST_EDGE = 320;

	/** Settings. */
	private Imagewright_Options $options;
	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Service. */
	private Imagewright_Service $service;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Translated texts of single screens. */
	private Imagewright_Screen_Strings $screen_strings;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options        $options        Settings.
	 * @param Imagewright_Access         $access         Permissions of users.
	 * @param Imagewright_Service        $service        Service.
	 * @param Imagewright_Exclusions     $exclusions     Images that are left out, and failures.
	 * @param Imagewright_Screen_Strings $screen_strings Translated texts of single screens.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Access $access,
		Imagewright_Service $service,
		Imagewright_Exclusions $exclusions,
		Imagewright_Screen_Strings $screen_strings
	) {
		$this->options        = $options;
		$this->access         = $access;
		$this->service        = $service;
		$this->exclusions     = $exclusions;
		$this->screen_strings = $screen_strings;
	}

	/**
	 * Renders the rows of what happens to images.
	 *
	 * @param array $all Settings.
	 */
	public function render( $all ) {
		$this->render_check( 'auto', __( 'New uploads', 'imagewright' ), __( 'Optimize new uploads by themselves, for one credit an image', 'imagewright' ), $all );
		$this->render_select( 'format', __( 'Format', 'imagewright' ), array_intersect_key( $this->screen_strings->formats(), array_flip( $this->options->formats() ) ), $all['format'] );
		$this->render_select( 'preset', __( 'Quality', 'imagewright' ), $this->screen_strings->presets(), $all['preset'] );
		$this->render_choice( 'delivery', __( 'Optimized files', 'imagewright' ), $this->screen_strings->ways(), $all['delivery'] );
		$this->render_check( 'fill_text', __( 'Texts', 'imagewright' ), __( 'In bulk runs, describe images and fill in alternative text and title where there are none', 'imagewright' ), $all, $this->about_texts() );
	}

	/**
	 * Renders the rows that most sites leave as they are.
	 *
	 * @param array $all Settings.
	 */
	public function render_advanced( $all ) {
		$this->render_choice( 'metadata', __( 'What stays in the files', 'imagewright' ), $this->screen_strings->levels(), $all['metadata'] );
		$this->render_check( 'flatten_hdr', __( 'HDR photographs', 'imagewright' ), __( 'Show them without HDR, in the format above', 'imagewright' ), $all, array( __( 'Otherwise they stay HDR: a smaller JPEG with its gain map is shown, or WordPress\'s own file.', 'imagewright' ) ) );
		$this->render_number( 'max_edge', __( 'Largest width or height', 'imagewright' ), __( 'In pixels. Pages show a copy of this size of larger uploads. With files in the place of the originals it applies to existing images too.', 'imagewright' ), $all['max_edge'], '2560' );
		$this->render_number( 'skip_below', __( 'Leave out small files', 'imagewright' ), __( 'Those below this size, in KB. Applies to new uploads and runs over the library, not to chosen images.', 'imagewright' ), $all['skip_below'], __( 'none', 'imagewright' ) );
		$this->render_patterns( $all['skip_names'] );
		$this->render_language( $all['language'] );
		$this->render_number( 'daily_credits', __( 'Credits a day for new uploads', 'imagewright' ), __( 'Uploads above it wait for the next day (UTC).', 'imagewright' ), $all['daily_credits'], __( 'no limit', 'imagewright' ) );
		$this->access->render_spenders();
		$this->render_number( 'user_credits', __( 'Credits of a user in 30 days', 'imagewright' ), __( 'Administrators have no limit.', 'imagewright' ), $all['user_credits'], __( 'no limit', 'imagewright' ) );
		$this->render_check( 'delete_files', __( 'Deleting the plugin', 'imagewright' ), __( 'Also delete the optimized files beside the originals. Files that took the place of originals always stay.', 'imagewright' ), $all );
	}

	/**
	 * Returns what is to be known before texts are switched on.
	 *
	 * @return string[]
	 */
	private function about_texts() {
		$about = array( __( 'The price of descriptions is shown before a run begins.', 'imagewright' ) );
		return $this->service->has_model() ? $about : array_merge( $about, array( $this->service->no_model()->get_error_message() ) );
	}

	/**
	 * Sanitizes the fields.
	 *
	 * @param array $input Submitted settings.
	 * @param array $old   Stored settings, kept where the submitted value is invalid.
	 * @return array
	 */
	public function sanitize( $input, $old ) {
		$pick   = static function ( $name, $allowed ) use ( $input, $old ) {
			return in_array( $input[ $name ] ?? null, $allowed, true ) ? $input[ $name ] : $old[ $name ];
		};
		$number = function ( $name ) use ( $input, $old ) {
			return $this->number( $input[ $name ] ?? null, (int) $old[ $name ] );
		};
		if ( is_array( $input['spenders'] ?? null ) ) {
			$this->access->choose_spenders( array_filter( $input['spenders'], 'is_string' ) );
		}
		return array(
			'format'        => $pick( 'format', $this->options->formats() ),
			'preset'        => $pick( 'preset', Imagewright_Contract::PRESETS ),
			'delivery'      => $pick( 'delivery', Imagewright_Options::WAYS ),
			'metadata'      => $pick( 'metadata', Imagewright_Contract::METADATA_LEVELS ),
			'flatten_hdr'   => ! empty( $input['flatten_hdr'] ),
			'auto'          => ! empty( $input['auto'] ),
			'daily_credits' => $number( 'daily_credits' ),
			'fill_text'     => ! empty( $input['fill_text'] ),
			'user_credits'  => $number( 'user_credits' ),
			'skip_below'    => $number( 'skip_below' ),
			'skip_names'    => is_string( $input['skip_names'] ?? null ) ? $this->exclusions->sanitize( $input['skip_names'] ) : $old['skip_names'],
			'max_edge'      => $this->edge( $number( 'max_edge' ), (int) $old['max_edge'] ),
			'delete_files'  => ! empty( $input['delete_files'] ),
		);
	}

	/**
	 * Reads a number whose field is empty where there is no limit.
	 *
	 * @param mixed $value Submitted value.
	 * @param int   $old   Stored number.
	 * @return int 0 for no limit.
	 */
	private function number( $value, $old ) {
		$text = is_scalar( $value ) ? trim( (string) $value ) : null;
		if ( null === $text || ( '' !== $text && ! preg_match( '/^\d{1,9}$/D', $text ) ) ) {
			return $old;
		}
		if ( '0' === $text && 0 !== $old ) {
			// "No credits a day" and "no limit" would both be 0.
			add_settings_error( Imagewright_Options::SETTINGS, 'imagewright_zero', __( 'Numbers begin at 1. Leave a field empty for no limit.', 'imagewright' ) );
			return $old;
		}
		return (int) $text;
	}

	/**
	 * Checks the largest edge.
	 *
	 * @param int $edge Submitted pixels.
	 * @param int $old  Stored pixels.
	 * @return int
	 */
	private function edge( $edge, $old ) {
		if ( 0 === $edge || ( $edge >= self::LEAST_EDGE && $edge <= Imagewright_Contract::MAX_EDGE ) ) {
			return $edge;
		}
		/* translators: 1: least number of pixels, 2: largest number of pixels */
		add_settings_error( Imagewright_Options::SETTINGS, 'imagewright_edge', sprintf( __( 'The largest width or height must be from %1$s to %2$s pixels, or empty for that of WordPress.', 'imagewright' ), number_format_i18n( self::LEAST_EDGE ), number_format_i18n( Imagewright_Contract::MAX_EDGE ) ) );
		return $old;
	}

	/**
	 * Renders the row of the names and folders that are left out.
	 *
	 * @param string $value Patterns.
	 */
	private function render_patterns( $value ) {
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
	 * @param string   $name  Setting.
	 * @param string   $title Title of the row.
	 * @param string   $label Label.
	 * @param array    $all   Settings.
	 * @param string[] $hints Descriptions.
	 */
	private function render_check( $name, $title, $label, $all, $hints = array() ) {
		?>
		<tr>
			<th scope="row"><?php echo esc_html( $title ); ?></th>
			<td>
				<label><input type="checkbox" name="<?php echo esc_attr( Imagewright_Options::SETTINGS . "[$name]" ); ?>" value="1" <?php checked( $all[ $name ] ); ?>>
					<?php echo esc_html( $label ); ?></label>
				<?php foreach ( $hints as $hint ) : ?>
					<p class="description"><?php echo esc_html( $hint ); ?></p>
				<?php endforeach; ?>
			</td>
		</tr>
		<?php
	}

	/**
	 * Renders a row with a number. Its field is empty where there is no limit.
	 *
	 * @param string $name  Setting.
	 * @param string $label Label.
	 * @param string $hint  Description.
	 * @param int    $value Current value; 0 for no limit.
	 * @param string $empty What holds if the field is empty.
	 */
	private function render_number( $name, $label, $hint, $value, $empty ) {
		$id = 'imagewright-' . str_replace( '_', '-', $name );
		?>
		<tr>
			<th scope="row"><label for="<?php echo esc_attr( $id ); ?>"><?php echo esc_html( $label ); ?></label></th>
			<td>
				<input type="number" min="1" step="1" class="imagewright-number" id="<?php echo esc_attr( $id ); ?>" name="<?php echo esc_attr( Imagewright_Options::SETTINGS . "[$name]" ); ?>"
					value="<?php echo esc_attr( $value > 0 ? (string) $value : '' ); ?>" placeholder="<?php echo esc_attr( $empty ); ?>" aria-describedby="<?php echo esc_attr( $id ); ?>-hint">
				<p class="description" id="<?php echo esc_attr( $id ); ?>-hint">
					<?php
					/* translators: %s: what holds if the field is empty, such as "no limit" */
					echo esc_html( $hint . ' ' . sprintf( __( 'Empty: %s.', 'imagewright' ), $empty ) );
					?>
				</p>
			</td>
		</tr>
		<?php
	}

	/**
	 * Renders a row with a choice of few values, each with its explanation.
	 *
	 * @param string                                 $name    Setting.
	 * @param string                                 $title   Title of the row.
	 * @param array<string,array{0:string,1:string}> $choices Label and explanation by value.
	 * @param string                                 $value   Current value.
	 */
	private function render_choice( $name, $title, $choices, $value ) {
		?>
		<tr>
			<th scope="row"><?php echo esc_html( $title ); ?></th>
			<td>
				<fieldset>
					<legend class="screen-reader-text"><?php echo esc_html( $title ); ?></legend>
					<?php foreach ( $choices as $choice => list( $label, $hint ) ) : ?>
						<label><input type="radio" name="<?php echo esc_attr( Imagewright_Options::SETTINGS . "[$name]" ); ?>" value="<?php echo esc_attr( $choice ); ?>" <?php checked( $choice, $value ); ?>>
							<?php echo esc_html( $label ); ?></label>
						<p class="description"><?php echo esc_html( $hint ); ?></p>
					<?php endforeach; ?>
				</fieldset>
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
	private function render_select( $name, $label, $choices, $value ) {
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
	 * Renders the row of the language.
	 *
	 * @param string $value Current value.
	 */
	private function render_language( $value ) {
		?>
		<tr>
			<th scope="row"><label for="imagewright-language"><?php esc_html_e( 'Language of descriptions', 'imagewright' ); ?></label></th>
			<td>
				<input type="text" id="imagewright-language" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[language]" value="<?php echo esc_attr( $value ); ?>" placeholder="<?php echo esc_attr( str_replace( '_', '-', get_locale() ) ); ?>">
			</td>
		</tr>
		<?php
	}
}
