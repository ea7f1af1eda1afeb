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
	/** Query parameter of the shown tab. */
	const TAB = 'tab';
	/** Most chosen images that are added to the widget; more are offered as a run. */
	const MOST_IN_REVIEW = 30;

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

	/**
	 * Returns the titles of the tabs by name.
	 *
	 * @return array<string,string>
	 */
	private static function tabs() {
		return array(
			'review'  => __( 'Review', 'imagewright' ),
			'library' => __( 'Whole library', 'imagewright' ),
			'weigh'   => __( 'Weigh a page', 'imagewright' ),
			'report'  => __( 'Report', 'imagewright' ),
		);
	}

	/**
	 * Returns the tab to show: that of the address, else the one where something waits.
	 *
	 * @param int[] $ids Chosen attachments.
	 * @return string
	 */
	private static function shown_tab( $ids ) {
		// Only what is shown. Reading needs no nonce.
		$given = isset( $_GET[ self::TAB ] ) ? sanitize_key( wp_unslash( $_GET[ self::TAB ] ) ) : '';
		if ( isset( self::tabs()[ $given ] ) ) {
			return $given;
		}
		$run = Imagewright_Runs::current();
		return count( $ids ) > self::MOST_IN_REVIEW || ( ! $ids && $run && 'done' !== $run['state'] ) ? 'library' : 'review';
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
				<?php
			else :
				$shown = self::shown_tab( $ids );
				self::render_tabs( $ids, $shown );
				foreach ( array_keys( self::tabs() ) as $tab ) {
					self::render_section( $tab, $ids, $tab === $shown );
				}
			endif;
			?>
			<noscript><?php esc_html_e( 'This page needs JavaScript.', 'imagewright' ); ?></noscript>
		</div>
		<?php
	}

	/**
	 * Renders the links of the tabs, which also work without a script.
	 *
	 * @param int[]  $ids   Chosen attachments.
	 * @param string $shown Tab.
	 */
	private static function render_tabs( $ids, $shown ) {
		?>
		<nav class="nav-tab-wrapper wp-clearfix" aria-label="<?php esc_attr_e( 'Optimize images', 'imagewright' ); ?>">
			<?php foreach ( self::tabs() as $tab => $title ) : ?>
				<a class="nav-tab <?php echo esc_attr( $tab === $shown ? 'nav-tab-active' : '' ); ?>" data-imagewright-tab="<?php echo esc_attr( $tab ); ?>" href="<?php echo esc_url( add_query_arg( self::TAB, $tab, self::url( $ids ) ) ); ?>"
					<?php if ( $tab === $shown ) : ?>
						aria-current="page"
					<?php endif; ?>
				><?php echo esc_html( $title ); ?></a>
			<?php endforeach; ?>
		</nav>
		<?php
	}

	/**
	 * Renders the section of a tab.
	 *
	 * @param string $tab      Tab.
	 * @param int[]  $ids      Chosen attachments.
	 * @param bool   $is_shown True for the tab that is shown.
	 */
	private static function render_section( $tab, $ids, $is_shown ) {
		$in_review = count( $ids ) > self::MOST_IN_REVIEW ? array() : $ids;
		?>
		<section id="imagewright-tab-<?php echo esc_attr( $tab ); ?>" aria-label="<?php echo esc_attr( self::tabs()[ $tab ] ); ?>"
			<?php if ( ! $is_shown ) : ?>
				hidden
			<?php endif; ?>
		>
			<?php if ( 'review' === $tab ) : ?>
				<p><?php esc_html_e( 'Look at samples and texts before anything is replaced. One credit per image, whatever the number of its sizes.', 'imagewright' ); ?></p>
				<div id="imagewright-review" data-ids="<?php echo esc_attr( implode( ',', $in_review ) ); ?>"></div>
			<?php elseif ( 'library' === $tab ) : ?>
				<div id="imagewright-bulk" data-ids="<?php echo esc_attr( implode( ',', $ids ) ); ?>"></div>
			<?php elseif ( 'weigh' === $tab ) : ?>
				<div id="imagewright-weigh"></div>
				<?php
			elseif ( $is_shown ) :
				// Otherwise the script reads it when it is shown.
				Imagewright_Statistics::render();
			endif;
			?>
		</section>
		<?php
	}
}
