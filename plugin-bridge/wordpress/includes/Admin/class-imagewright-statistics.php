<?php
/**
 * Report of the library.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Shows how many images have each state, and those that were optimized in each of the last twelve months and still are, with what pages
 * show of them.
 */
class Imagewright_Statistics {

	const MONTHS = 12;

	/** Rows of images. */
	private Imagewright_Index $index;
	/** Lists of the media library. */
	private Imagewright_Library $library;
	/** List of the media library. */
	private Imagewright_Media_List $media_list;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Index      $index      Rows of images.
	 * @param Imagewright_Library    $library    Lists of the media library.
	 * @param Imagewright_Media_List $media_list List of the media library.
	 */
	public function __construct(
		Imagewright_Index $index,
		Imagewright_Library $library,
		Imagewright_Media_List $media_list
	) {
		$this->index      = $index;
		$this->library    = $library;
		$this->media_list = $media_list;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->filter( 'site_status_tests', array( __CLASS__, 'tests' ) );
	}

	/**
	 * Returns the months with optimized images, newest first.
	 *
	 * @return array<int,array{month:string,images:int,before:int,after:int}> `month` is `2026-01`, in the time zone of the site.
	 */
	public function months() {
		$starts = array();
		$months = array();
		for ( $back = 0; $back < self::MONTHS; $back++ ) {
			$first           = ( new DateTimeImmutable( 'first day of this month 00:00', wp_timezone() ) )->modify( "-$back months" );
			$months[ $back ] = $first->format( 'Y-m' );
			$starts[ $back ] = $first->getTimestamp();
		}
		$found = array();
		foreach ( $this->index->since( $starts ) as $back => $sum ) {
			if ( isset( $months[ $back ] ) ) {
				$found[ $back ] = array(
					'month'  => $months[ $back ],
					'images' => $sum['n'],
					'before' => $sum['before'],
					'after'  => $sum['after'],
				);
			}
		}
		ksort( $found );
		return array_values( $found );
	}

	/** Renders the report, with the ways on from it. */
	public function render() {
		$sum     = $this->library->of_library();
		$library = add_query_arg( Imagewright_Media_List::TAB, 'library', $this->media_list->optimize_url() );
		?>
		<p>
			<?php
			if ( $sum['before'] > 0 ) {
				/* translators: 1: number of optimized images, 2: number of all images, 3: size before, 4: size after, 5: change in percent */
				echo esc_html( sprintf( __( '%1$s of %2$s images are optimized: %3$s became %4$s (%5$s).', 'imagewright' ), number_format_i18n( $sum['optimized'] ), number_format_i18n( $sum['total'] ), size_format( $sum['before'], 1 ), size_format( $sum['after'], 1 ), Imagewright_Status_Text::change( $sum['before'], $sum['after'] ) ) );
			} else {
				esc_html_e( 'No image has been optimized yet.', 'imagewright' );
			}
			?>
		</p>
		<?php
		$this->render_states( $sum );
		$this->render_months();
		?>
		<p class="imagewright-ways">
			<a class="button button-primary" data-imagewright-tab="library" href="<?php echo esc_url( $library ); ?>"><?php esc_html_e( 'Optimize or restore the whole library', 'imagewright' ); ?></a>
			<a class="button" data-imagewright-tab="weigh" href="<?php echo esc_url( add_query_arg( Imagewright_Media_List::TAB, 'weigh', $this->media_list->optimize_url() ) ); ?>"><?php esc_html_e( 'Weigh a page', 'imagewright' ); ?></a>
		</p>
		<?php
	}

	/**
	 * Renders the number of images by state, each with the way to them.
	 *
	 * @param array $sum Of Imagewright_Library::of_library().
	 */
	private function render_states( $sum ) {
		$numbers = array(
			'optimized' => $sum['optimized'],
			'none'      => max( 0, $sum['total'] - $sum['optimized'] - $sum['outdated'] ),
		) + array_filter( array_intersect_key( $sum, array_flip( array( 'waiting', 'outdated', 'offloaded', 'shared' ) ) ) );
		?>
		<table class="widefat striped imagewright-months">
			<thead><tr>
				<th scope="col"><?php esc_html_e( 'State', 'imagewright' ); ?></th>
				<th scope="col"><?php esc_html_e( 'Images', 'imagewright' ); ?></th>
			</tr></thead>
			<tbody>
				<?php foreach ( $numbers as $state => $number ) : ?>
					<tr>
						<th scope="row"><a href="<?php echo esc_url( $this->media_list->list_of( $state ) ); ?>"><?php echo esc_html( $this->media_list->states()[ $state ] ); ?></a></th>
						<td><?php echo esc_html( number_format_i18n( $number ) ); ?></td>
					</tr>
				<?php endforeach; ?>
			</tbody>
		</table>
		<?php
	}

	/** Renders the table of months. Nothing without optimized images. */
	private function render_months() {
		$months = $this->months();
		if ( ! $months ) {
			return;
		}
		?>
		<h2><?php esc_html_e( 'By month', 'imagewright' ); ?></h2>
		<table class="widefat striped imagewright-months">
			<thead><tr>
				<th scope="col"><?php esc_html_e( 'Month', 'imagewright' ); ?></th>
				<th scope="col"><?php esc_html_e( 'Optimized', 'imagewright' ); ?></th>
				<th scope="col"><?php esc_html_e( 'Before', 'imagewright' ); ?></th>
				<th scope="col"><?php esc_html_e( 'After', 'imagewright' ); ?></th>
				<th scope="col"><?php esc_html_e( 'Change', 'imagewright' ); ?></th>
			</tr></thead>
			<tbody>
				<?php foreach ( $months as $one ) : ?>
					<tr>
						<th scope="row"><?php echo esc_html( wp_date( 'F Y', strtotime( $one['month'] . '-15' ) ) ); ?></th>
						<td><?php echo esc_html( number_format_i18n( $one['images'] ) ); ?></td>
						<td><?php echo esc_html( size_format( $one['before'], 1 ) ); ?></td>
						<td><?php echo esc_html( size_format( $one['after'], 1 ) ); ?></td>
						<td><?php echo esc_html( Imagewright_Status_Text::change( $one['before'], $one['after'] ) ); ?></td>
					</tr>
				<?php endforeach; ?>
			</tbody>
		</table>
		<?php
	}

	/**
	 * Adds the test to Site Health.
	 *
	 * @param array $tests Tests.
	 * @return array
	 */
	public function tests( $tests ) {
		$tests['direct']['imagewright'] = array(
			'label' => __( 'Optimized images', 'imagewright' ),
			'test'  => array( $this, 'site_health' ),
		);
		return $tests;
	}

	/**
	 * Reports to Site Health if pages get the optimized files.
	 *
	 * @return array
	 */
	public function site_health() {
		$last     = (array) get_option( Imagewright_Schedule::OPTION, array() ) + array(
			'at'      => 0,
			'checked' => 0,
			'wrong'   => 0,
		);
		$overview = $this->library->of_library();
		$lines    = array();
		if ( $last['at'] > 0 ) {
			/* translators: 1: date, 2: number of images, 3: number of images */
			$lines[] = sprintf( __( 'Last check: %1$s. Compared with their files: %2$s. Corrected: %3$s.', 'imagewright' ), wp_date( get_option( 'date_format' ), $last['at'] ), number_format_i18n( $last['checked'] ), number_format_i18n( $last['wrong'] ) );
		}
		if ( $overview['outdated'] > 0 ) {
			/* translators: %s: number of images */
			$lines[] = sprintf( __( 'Outdated: %s. Pages show WordPress\'s own files of these images, since thumbnails were made again or files were copied. A run over the library puts them right.', 'imagewright' ), number_format_i18n( $overview['outdated'] ) );
		}
		if ( $overview['offloaded'] > 0 ) {
			/* translators: %s: number of images */
			$lines[] = sprintf( __( 'Offloaded: %s. Pages get these images from another host or by another plugin, and they are left out.', 'imagewright' ), number_format_i18n( $overview['offloaded'] ) );
		}
		$is_good = 0 === $overview['outdated'];
		return array(
			'label'       => $is_good ? __( 'Pages get the optimized images', 'imagewright' ) : __( 'Pages do not get all optimized images', 'imagewright' ),
			'status'      => $is_good ? 'good' : 'recommended',
			'badge'       => array(
				'label' => __( 'Performance', 'imagewright' ),
				'color' => 'blue',
			),
			'description' => '<p>' . implode( '</p><p>', array_map( 'esc_html', $lines ) ) . '</p>',
			'actions'     => $is_good ? '' : '<p><a href="' . esc_url( $this->media_list->optimize_url() ) . '">' . esc_html__( 'Optimize images', 'imagewright' ) . '</a></p>',
			'test'        => 'imagewright',
		);
	}
}
