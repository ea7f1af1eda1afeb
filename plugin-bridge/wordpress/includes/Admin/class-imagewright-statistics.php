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
	/** Overview of the library. */
	private Imagewright_Overview $overview;
	/** List of the media library. */
	private Imagewright_Media_List $media_list;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Index      $index      Rows of images.
	 * @param Imagewright_Overview   $overview   Overview of the library.
	 * @param Imagewright_Media_List $media_list List of the media library.
	 */
	public function __construct( Imagewright_Index $index, Imagewright_Overview $overview, Imagewright_Media_List $media_list ) {
		$this->index      = $index;
		$this->overview   = $overview;
		$this->media_list = $media_list;
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
		$sum     = $this->overview->of_library();
		$library = add_query_arg( Imagewright_Links::TAB, 'library', Imagewright_Links::optimize() );
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
			<a class="button" data-imagewright-tab="weigh" href="<?php echo esc_url( add_query_arg( Imagewright_Links::TAB, 'weigh', Imagewright_Links::optimize() ) ); ?>"><?php esc_html_e( 'Weigh a page', 'imagewright' ); ?></a>
		</p>
		<?php
	}

	/**
	 * Renders the number of images by state, each with the way to them.
	 *
	 * @param array $sum Of Imagewright_Overview::of_library().
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
						<th scope="row"><a href="<?php echo esc_url( Imagewright_Links::list_of( $state ) ); ?>"><?php echo esc_html( $this->media_list->states()[ $state ] ); ?></a></th>
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
}
