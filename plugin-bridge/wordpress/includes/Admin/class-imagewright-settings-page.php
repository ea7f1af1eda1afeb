<?php
/**
 * Settings > Imagewright.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Form for address, key and defaults, and the connection test.
 */
class Imagewright_Settings_Page {

	const SLUG = 'imagewright';

	/** Lifecycle of the plugin. */
	private Imagewright_Lifecycle $lifecycle;
	/** Settings. */
	private Imagewright_Options $options;
	/** Settings of optimizations. */
	private Imagewright_Default_Fields $default_fields;
	/** Service. */
	private Imagewright_Service $service;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Lifecycle      $lifecycle      Lifecycle of the plugin.
	 * @param Imagewright_Options        $options        Settings.
	 * @param Imagewright_Default_Fields $default_fields Settings of optimizations.
	 * @param Imagewright_Service        $service        Service.
	 */
	public function __construct(
		Imagewright_Lifecycle $lifecycle,
		Imagewright_Options $options,
		Imagewright_Default_Fields $default_fields,
		Imagewright_Service $service
	) {
		$this->lifecycle      = $lifecycle;
		$this->options        = $options;
		$this->default_fields = $default_fields;
		$this->service        = $service;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'admin_menu', array( __CLASS__, 'menu' ) );
		$hooks->action( 'admin_init', array( __CLASS__, 'settings' ) );
		$hooks->filter( 'plugin_action_links_' . plugin_basename( IMAGEWRIGHT_FILE ), array( __CLASS__, 'link' ) );
	}

	/** Adds the page. */
	public function menu() {
		$hook = add_options_page( __( 'Imagewright', 'imagewright' ), __( 'Imagewright', 'imagewright' ), 'manage_options', self::SLUG, array( $this, 'render' ) );
		// A network activates the plugin only on its main site. The other sites need the defaults too.
		add_action( "load-$hook", array( $this->lifecycle, 'activate' ) );
	}

	/** Registers the options, without the settings route of WordPress. */
	public function settings() {
		register_setting(
			self::SLUG,
			Imagewright_Options::SETTINGS,
			array(
				'type'              => 'array',
				'show_in_rest'      => false,
				'sanitize_callback' => array( $this, 'sanitize_settings' ),
			)
		);
		register_setting(
			self::SLUG,
			Imagewright_Options::KEY,
			array(
				'type'              => 'string',
				'show_in_rest'      => false,
				'sanitize_callback' => array( $this, 'sanitize_key' ),
			)
		);
		add_action( 'update_option_' . Imagewright_Options::SETTINGS, array( $this->options, 'drop_key' ), 10, 2 );
	}

	/** Registers the route of the connection test. */
	public function routes() {
		register_rest_route(
			'imagewright/v1',
			'/connection',
			array(
				'methods'             => 'POST',
				'callback'            => array( $this, 'test' ),
				'permission_callback' => static function () {
					return current_user_can( 'manage_options' );
				},
			)
		);
	}

	/**
	 * Adds a link to the list of plugins.
	 *
	 * @param string[] $links Links.
	 * @return string[]
	 */
	public function link( $links ) {
		array_unshift( $links, '<a href="' . esc_url( admin_url( 'options-general.php?page=' . self::SLUG ) ) . '">' . esc_html__( 'Settings', 'imagewright' ) . '</a>' );
		return $links;
	}

	/**
	 * Sanitizes the settings.
	 *
	 * @param mixed $input Submitted settings.
	 * @return array
	 */
	public function sanitize_settings( $input ) {
		$old   = $this->options->all();
		$input = is_array( $input ) ? $input : array();
		$url   = isset( $input['url'] ) && is_string( $input['url'] ) ? esc_url_raw( trim( $input['url'] ), array( 'http', 'https' ) ) : $old['url'];
		if ( isset( $input['url'] ) && '' !== trim( (string) $input['url'] ) && ( '' === $url || ! wp_parse_url( $url, PHP_URL_HOST ) ) ) {
			add_settings_error( Imagewright_Options::SETTINGS, 'imagewright_url', __( 'The address of the service must begin with http:// or https://.', 'imagewright' ) );
			$url = $old['url'];
		} elseif ( untrailingslashit( $url ) !== $old['url'] && ! $this->service->is_safe_address( $url ) ) {
			add_settings_error( Imagewright_Options::SETTINGS, 'imagewright_http', $this->service->unencrypted() );
			$url = $old['url'];
		} elseif ( '' !== $url && ! $this->options->url_is_fixed() && ! $this->service->may_open( $url ) ) {
			// Saved all the same: its host may be set up later. The page does not say that all is well.
			add_settings_error( Imagewright_Options::SETTINGS, 'imagewright_refused', $this->service->may_not_open(), 'warning' );
		}
		$language = trim( (string) ( $input['language'] ?? '' ) );
		if ( '' !== $language && ! preg_match( '/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/D', $language ) ) {
			add_settings_error( Imagewright_Options::SETTINGS, 'imagewright_language', __( 'The language must be a tag such as en, de or pt-BR.', 'imagewright' ) );
			$language = $old['language'];
		}
		return array(
			'url'      => untrailingslashit( $url ),
			'language' => $language,
		) + $this->default_fields->sanitize( $input, $old );
	}

	/**
	 * Sanitizes the key. An empty field keeps the stored key.
	 *
	 * @param mixed $input Submitted key.
	 * @return string
	 */
	public function sanitize_key( $input ) {
		// A field of the settings form. options.php has checked the nonce.
		if ( ! empty( $_POST['imagewright_remove_key'] ) ) {
			return '';
		}
		$key = is_string( $input ) ? trim( sanitize_text_field( $input ) ) : '';
		if ( '' === $key || $this->options->key_is_fixed() ) {
			return (string) get_option( Imagewright_Options::KEY, '' );
		}
		if ( ! $this->options->is_key( $key ) ) {
			add_settings_error( Imagewright_Options::KEY, 'imagewright_key', __( 'This is not an API key: it begins with iw_ and has 39 characters.', 'imagewright' ) );
			return (string) get_option( Imagewright_Options::KEY, '' );
		}
		return $key;
	}

	/**
	 * Tests the connection by reading balance and plan of the account.
	 *
	 * @return array|WP_Error
	 */
	public function test() {
		$balance = $this->service->json( 'GET', '/v1/credits/balance' );
		if ( is_wp_error( $balance ) ) {
			return $balance;
		}
		return array(
			'balance' => (int) $balance['balance'],
			'plan'    => (string) $balance['plan'],
			/* translators: 1: number of credits, 2: name of the plan */
			'message' => sprintf( __( 'Connected. %1$s credits left, plan: %2$s.', 'imagewright' ), number_format_i18n( (int) $balance['balance'] ), (string) $balance['plan'] ),
		);
	}

	/** Renders the page. */
	public function render() {
		if ( ! current_user_can( 'manage_options' ) ) {
			return;
		}
		$all = $this->options->all();
		?>
		<div class="wrap imagewright-settings">
			<h1><?php esc_html_e( 'Imagewright', 'imagewright' ); ?></h1>
			<form action="options.php" method="post" autocomplete="off">
				<?php settings_fields( self::SLUG ); ?>
				<h2><?php esc_html_e( 'Connection', 'imagewright' ); ?></h2>
				<table class="form-table" role="presentation">
					<?php
					$this->render_url( $all );
					$this->render_key();
					?>
				</table>
				<p>
					<button type="button" class="button" id="imagewright-test"><?php esc_html_e( 'Test the connection', 'imagewright' ); ?></button>
					<span id="imagewright-test-result" role="status"></span>
				</p>
				<h2><?php esc_html_e( 'New uploads', 'imagewright' ); ?></h2>
				<table class="form-table" role="presentation">
					<?php $this->default_fields->render( $all ); ?>
				</table>
				<details id="imagewright-advanced">
					<summary class="imagewright-advanced"><h2><?php esc_html_e( 'Advanced', 'imagewright' ); ?></h2></summary>
					<table class="form-table" role="presentation">
						<?php $this->default_fields->render_advanced( $all ); ?>
					</table>
				</details>
				<?php submit_button(); ?>
			</form>
		</div>
		<?php
	}

	/**
	 * Renders the row of the address.
	 *
	 * @param array $all Settings.
	 */
	private function render_url( $all ) {
		$fixed = $this->options->url_is_fixed();
		$lacks = $this->options->lacks_fixed_url();
		?>
		<tr>
			<th scope="row"><label for="imagewright-url"><?php esc_html_e( 'Address of the service', 'imagewright' ); ?></label></th>
			<td>
				<input type="url" class="regular-text code" id="imagewright-url" name="<?php echo esc_attr( Imagewright_Options::SETTINGS ); ?>[url]"
					value="<?php echo esc_attr( $fixed ? $this->options->url() : $all['url'] ); ?>" placeholder="https://images.example.com" <?php disabled( $fixed || $lacks ); ?>>
				<p class="description">
					<?php
					if ( $lacks ) {
						echo esc_html( $this->options->not_ready() );
					} else {
						echo $fixed ? esc_html__( 'Set by IMAGEWRIGHT_URL in the configuration of the server.', 'imagewright' ) : esc_html__( 'For a service on the server\'s own network, define IMAGEWRIGHT_URL in wp-config.php instead.', 'imagewright' );
					}
					echo esc_html( $this->service->is_safe_address( $this->options->url() ) ? '' : ' ' . $this->service->unencrypted() );
					?>
				</p>
			</td>
		</tr>
		<?php
	}

	/** Renders the row of the key. Shows only its last 4 characters. */
	private function render_key() {
		$fixed = $this->options->key_is_fixed();
		$hint  = $this->options->key_hint();
		?>
		<tr>
			<th scope="row"><label for="imagewright-key"><?php esc_html_e( 'API key', 'imagewright' ); ?></label></th>
			<td>
				<input type="password" class="regular-text code" id="imagewright-key" name="<?php echo esc_attr( Imagewright_Options::KEY ); ?>" value="" autocomplete="new-password"
					placeholder="<?php echo esc_attr( '' === $hint ? 'iw_…' : '••••••••' . $hint ); ?>" <?php disabled( $fixed ); ?>>
				<p class="description">
					<?php
					if ( $fixed ) {
						esc_html_e( 'Set by IMAGEWRIGHT_API_KEY in the configuration of the server.', 'imagewright' );
					} elseif ( '' !== $hint ) {
						/* translators: %s: last 4 characters of the key */
						echo esc_html( sprintf( __( 'A key that ends in %s is stored. Leave the field empty to keep it.', 'imagewright' ), $hint ) );
					} else {
						esc_html_e( 'Created in the account of the service. It stays on this server and is never sent to a browser.', 'imagewright' );
					}
					?>
				</p>
				<?php if ( ! $fixed && '' !== $hint ) : ?>
					<label><input type="checkbox" name="imagewright_remove_key" value="1"> <?php esc_html_e( 'Remove the stored key', 'imagewright' ); ?></label>
				<?php endif; ?>
			</td>
		</tr>
		<?php
	}
}
