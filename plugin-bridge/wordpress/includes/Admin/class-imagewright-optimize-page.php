<?php
/**
 * Media > Optimize.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Page with the bulk run over the library and the widget for chosen images.
 */
class Imagewright_Optimize_Page {

	const SLUG = 'imagewright-optimize';
	/** Query parameter of the chosen images. Core removes `ids` from URLs. */
	const IDS = 'imagewright_ids';

	/**
	 * Hook of the page.
	 *
	 * @var string
	 */
	private static $hook = '';

	/** Registers the hooks. */
	public static function register() {
		add_action( 'admin_menu', array( __CLASS__, 'menu' ) );
	}

	/** Adds the page. */
	public static function menu() {
		self::$hook = (string) add_media_page( __( 'Optimize images', 'imagewright' ), __( 'Optimize', 'imagewright' ), Imagewright_Access::capability( 'use' ), self::SLUG, array( __CLASS__, 'render' ) );
	}

	/**
	 * Returns the hook of the page.
	 *
	 * @return string
	 */
	public static function hook() {
		return self::$hook;
	}

	/**
	 * Returns the URL of the page.
	 *
	 * @param int[] $ids Chosen attachments.
	 * @return string
	 */
	public static function url( $ids = array() ) {
		$url = admin_url( 'upload.php?page=' . self::SLUG );
		return $ids ? add_query_arg( self::IDS, implode( ',', array_map( 'intval', $ids ) ), $url ) : $url;
	}

	/** Renders the page. The scripts fill it. */
	public static function render() {
		if ( ! Imagewright_Access::may_use() ) {
			return;
		}
		// Only ids to display. Every change checks nonce and permission itself.
		$given = isset( $_GET[ self::IDS ] ) ? sanitize_text_field( wp_unslash( $_GET[ self::IDS ] ) ) : '';
		$ids   = array_values( array_filter( array_map( 'intval', explode( ',', $given ) ), array( 'Imagewright_Library', 'may_change' ) ) );
		?>
		<div class="wrap imagewright">
			<h1><?php esc_html_e( 'Optimize images', 'imagewright' ); ?></h1>
			<?php if ( ! Imagewright_Options::is_ready() ) : ?>
				<div class="notice notice-warning inline"><p>
					<?php echo esc_html( Imagewright_Strings::not_ready() ); ?>
					<?php if ( current_user_can( 'manage_options' ) ) : ?>
						<a href="<?php echo esc_url( admin_url( 'options-general.php?page=' . Imagewright_Settings_Page::SLUG ) ); ?>"><?php esc_html_e( 'Settings', 'imagewright' ); ?></a>
					<?php endif; ?>
				</p></div>
			<?php else : ?>
				<div id="imagewright-bulk"></div>
				<div id="imagewright-weigh"></div>
				<?php Imagewright_Statistics::render(); ?>
				<h2><?php esc_html_e( 'Review chosen images', 'imagewright' ); ?></h2>
				<p><?php esc_html_e( 'Look at samples and texts before anything is replaced. One credit per image, whatever the number of its sizes.', 'imagewright' ); ?></p>
				<div id="imagewright-review" data-ids="<?php echo esc_attr( implode( ',', $ids ) ); ?>"></div>
			<?php endif; ?>
			<noscript><?php esc_html_e( 'This page needs JavaScript.', 'imagewright' ); ?></noscript>
		</div>
		<?php
	}
}
