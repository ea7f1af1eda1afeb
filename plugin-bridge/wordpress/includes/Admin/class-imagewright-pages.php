<?php
/**
 * Pages below Media.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Page with the bulk run over the library and the widget for chosen images.
 */
class Imagewright_Pages {

	/** Most chosen images that are added to the widget; more are offered as a run. */
	const MOST_IN_REVIEW = 30;

	const TEXTS = 'imagewright-texts';

	/**
	 * Hook of the page.
	 *
	 * @var string
	 */
	private $hook = '';

	/**
	 * Hook of the page.
	 *
	 * @var string
	 */
	private $texts_hook = '';

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Bulk runs. */
	private Imagewright_Runs $runs;
	/** Settings. */
	private Imagewright_Options $options;
	/** Report of the library. */
	private Imagewright_Statistics $statistics;
	/** List of the media library. */
	private Imagewright_Media_List $media_list;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access     $access     Permissions of users.
	 * @param Imagewright_Runs       $runs       Bulk runs.
	 * @param Imagewright_Options    $options    Settings.
	 * @param Imagewright_Statistics $statistics Report of the library.
	 * @param Imagewright_Media_List $media_list List of the media library.
	 */
	public function __construct(
		Imagewright_Access $access,
		Imagewright_Runs $runs,
		Imagewright_Options $options,
		Imagewright_Statistics $statistics,
		Imagewright_Media_List $media_list
	) {
		$this->access     = $access;
		$this->runs       = $runs;
		$this->options    = $options;
		$this->statistics = $statistics;
		$this->media_list = $media_list;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->action( 'admin_menu', array( __CLASS__, 'menu' ) );
		$hooks->action( 'admin_menu', array( __CLASS__, 'texts_menu' ) );
	}

	/** Adds the page. */
	public function menu() {
		$this->hook = (string) add_media_page( __( 'Optimize images', 'imagewright' ), __( 'Optimize', 'imagewright' ), $this->access->capability( 'use' ), Imagewright_Media_List::SLUG, array( $this, 'render' ) );
	}

	/**
	 * Returns the hook of the page.
	 *
	 * @return string
	 */
	public function hook() {
		return $this->hook;
	}

	/**
	 * Returns the titles of the tabs by name. Without a service, images can be restored.
	 *
	 * @return array<string,string>
	 */
	private function tabs() {
		$all = array(
			'review'  => __( 'Review', 'imagewright' ),
			'library' => __( 'Whole library', 'imagewright' ),
			'weigh'   => __( 'Weigh a page', 'imagewright' ),
			'report'  => __( 'Report', 'imagewright' ),
		);
		return $this->options->is_ready() ? $all : array_intersect_key( $all, array_flip( array( 'library', 'report' ) ) );
	}

	/**
	 * Returns the tab to show: that of the address, else the one where something waits.
	 *
	 * @param int[] $ids Chosen attachments.
	 * @return string
	 */
	private function shown_tab( $ids ) {
		// Only what is shown. Reading needs no nonce.
		$given = isset( $_GET[ Imagewright_Media_List::TAB ] ) ? sanitize_key( wp_unslash( $_GET[ Imagewright_Media_List::TAB ] ) ) : '';
		if ( isset( $this->tabs()[ $given ] ) ) {
			return $given;
		}
		if ( ! isset( $this->tabs()['review'] ) ) {
			return 'library';
		}
		$run = $this->runs->current();
		return count( $ids ) > self::MOST_IN_REVIEW || ( ! $ids && $run && 'done' !== $run['state'] ) ? 'library' : 'review';
	}

	/** Renders the page. The scripts fill it. */
	public function render() {
		if ( ! $this->access->may_use() ) {
			return;
		}
		// Only ids to display. Every change checks nonce and permission itself.
		$given = isset( $_GET[ Imagewright_Media_List::IDS ] ) ? sanitize_text_field( wp_unslash( $_GET[ Imagewright_Media_List::IDS ] ) ) : '';
		$ids   = array_values( array_filter( array_map( 'intval', explode( ',', $given ) ), array( $this->access, 'may_change' ) ) );
		?>
		<div class="wrap imagewright">
			<h1><?php esc_html_e( 'Optimize images', 'imagewright' ); ?></h1>
			<?php if ( ! $this->options->is_ready() ) : ?>
				<div class="notice notice-warning inline"><p>
					<?php echo esc_html( $this->options->not_ready() ); ?>
					<?php if ( current_user_can( 'manage_options' ) ) : ?>
						<a href="<?php echo esc_url( admin_url( 'options-general.php?page=' . Imagewright_Settings_Page::SLUG ) ); ?>"><?php esc_html_e( 'Settings', 'imagewright' ); ?></a>
					<?php endif; ?>
				</p></div>
				<?php
			endif;
			$shown = $this->shown_tab( $ids );
			$this->render_tabs( $ids, $shown );
			foreach ( array_keys( $this->tabs() ) as $tab ) {
				$this->render_section( $tab, $ids, $tab === $shown );
			}
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
	private function render_tabs( $ids, $shown ) {
		?>
		<nav class="nav-tab-wrapper wp-clearfix" aria-label="<?php esc_attr_e( 'Optimize images', 'imagewright' ); ?>">
			<?php foreach ( $this->tabs() as $tab => $title ) : ?>
				<a class="nav-tab <?php echo esc_attr( $tab === $shown ? 'nav-tab-active' : '' ); ?>" data-imagewright-tab="<?php echo esc_attr( $tab ); ?>" href="<?php echo esc_url( add_query_arg( Imagewright_Media_List::TAB, $tab, $this->media_list->optimize_url( $ids ) ) ); ?>"
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
	private function render_section( $tab, $ids, $is_shown ) {
		$in_review = count( $ids ) > self::MOST_IN_REVIEW ? array() : $ids;
		?>
		<section id="imagewright-tab-<?php echo esc_attr( $tab ); ?>" aria-label="<?php echo esc_attr( $this->tabs()[ $tab ] ); ?>"
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
				$this->statistics->render();
			endif;
			?>
		</section>
		<?php
	}

	/** Adds the page. */
	public function texts_menu() {
		$this->texts_hook = (string) add_media_page( __( 'Image texts', 'imagewright' ), __( 'Image texts', 'imagewright' ), $this->access->capability( 'use' ), self::TEXTS, array( $this, 'render_texts' ) );
	}

	/**
	 * Returns the hook of the page.
	 *
	 * @return string
	 */
	public function texts_hook() {
		return $this->texts_hook;
	}

	/** Renders the page. The script fills it. */
	public function render_texts() {
		?>
		<div class="wrap imagewright">
			<h1><?php esc_html_e( 'Image texts', 'imagewright' ); ?></h1>
			<div id="imagewright-texts"></div>
			<noscript><?php esc_html_e( 'This page needs JavaScript.', 'imagewright' ); ?></noscript>
		</div>
		<?php
	}
}
