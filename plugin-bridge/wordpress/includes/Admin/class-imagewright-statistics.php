<?php
/**
 * Statistics by month.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Counts the images that were optimized in each of the last twelve months and still are, and what pages show of them.
 */
class Imagewright_Statistics {

	const MONTHS = 12;

	/**
	 * Returns the months with optimized images, newest first.
	 *
	 * @return array<int,array{month:string,images:int,before:int,after:int}> `month` is `2026-01`, in the time zone of the site.
	 */
	public static function months() {
		$cases  = '';
		$months = array();
		for ( $back = 0; $back < self::MONTHS; $back++ ) {
			$first            = ( new DateTimeImmutable( 'first day of this month 00:00', wp_timezone() ) )->modify( "-$back months" );
			$months[ $back ]  = $first->format( 'Y-m' );
			$cases           .= ' WHEN updated >= ' . $first->getTimestamp() . " THEN $back";
		}
		$found = array();
		foreach ( Imagewright_Index::counts( "CASE$cases ELSE -1 END", "status = 'done'" ) as $back => $sum ) {
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

	/** Renders the table. Nothing without optimized images. */
	public static function render() {
		$months = self::months();
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
				<th scope="col"><?php esc_html_e( 'Saved', 'imagewright' ); ?></th>
			</tr></thead>
			<tbody>
				<?php foreach ( $months as $one ) : ?>
					<tr>
						<th scope="row"><?php echo esc_html( wp_date( 'F Y', strtotime( $one['month'] . '-15' ) ) ); ?></th>
						<td><?php echo esc_html( number_format_i18n( $one['images'] ) ); ?></td>
						<td><?php echo esc_html( size_format( $one['before'], 1 ) ); ?></td>
						<td><?php echo esc_html( size_format( $one['after'], 1 ) ); ?></td>
						<td><?php echo esc_html( number_format_i18n( $one['before'] > 0 ? 100 * ( 1 - $one['after'] / $one['before'] ) : 0 ) . ' %' ); ?></td>
					</tr>
				<?php endforeach; ?>
			</tbody>
		</table>
		<?php
	}
}
