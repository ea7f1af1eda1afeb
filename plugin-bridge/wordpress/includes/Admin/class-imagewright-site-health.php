<?php
/**
 * Site Health.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Says on Tools > Site Health whether pages get the optimized images.
 */
class Imagewright_Site_Health {

	/** Overview of the library. */
	private Imagewright_Overview $overview;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Overview $overview Overview of the library.
	 */
	public function __construct( Imagewright_Overview $overview ) {
		$this->overview = $overview;
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
	 * Adds the test to Site Health.
	 *
	 * @param array $tests Tests.
	 * @return array
	 */
	public function tests( $tests ) {
		$tests['direct']['imagewright'] = array(
			'label' => __( 'Optimized images', 'imagewright' ),
			'test'  => array( $this, 'report' ),
		);
		return $tests;
	}

	/**
	 * Tells Site Health whether pages get the optimized files.
	 *
	 * @return array
	 */
	public function report() {
		$last     = (array) get_option( Imagewright_Nightly::OPTION, array() ) + array(
			'at'      => 0,
			'checked' => 0,
			'wrong'   => 0,
		);
		$overview = $this->overview->of_library();
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
			$lines[] = sprintf( __( 'Offloaded: %s. Pages get these images from another host, and they are left out.', 'imagewright' ), number_format_i18n( $overview['offloaded'] ) );
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
			'actions'     => $is_good ? '' : '<p><a href="' . esc_url( Imagewright_Links::optimize() ) . '">' . esc_html__( 'Optimize images', 'imagewright' ) . '</a></p>',
			'test'        => 'imagewright',
		);
	}
}
