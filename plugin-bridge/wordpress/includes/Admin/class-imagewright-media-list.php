<?php
/**
 * List of the media library.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Adds the status column, the row action and the bulk action.
 */
class Imagewright_Media_List {

	/** Query parameter of the filter by state. */
	const FILTER = 'imagewright_state';

	/** Query parameter of a run, of whose images the filter then selects. */
	const RUN = 'imagewright_run';

	/** Registers the hooks. */
	public static function register() {
		add_filter( 'manage_media_columns', array( __CLASS__, 'column' ) );
		add_action( 'manage_media_custom_column', array( __CLASS__, 'render' ), 10, 2 );
		add_filter( 'media_row_actions', array( __CLASS__, 'row_actions' ), 10, 2 );
		add_filter( 'bulk_actions-upload', array( __CLASS__, 'bulk_actions' ) );
		add_filter( 'handle_bulk_actions-upload', array( __CLASS__, 'handle' ), 10, 3 );
		add_action( 'restrict_manage_posts', array( __CLASS__, 'choices' ) );
		add_filter( 'posts_clauses', array( __CLASS__, 'clauses' ), 10, 2 );
		add_filter( 'ajax_query_attachments_args', array( __CLASS__, 'grid_query' ) );
	}

	/**
	 * Returns the states by which the list and the grid can be filtered: labels by name.
	 *
	 * @return array<string,string>
	 */
	public static function states() {
		return array(
			'optimized' => __( 'Optimized', 'imagewright' ),
			'none'      => __( 'Not optimized', 'imagewright' ),
			'waiting'   => __( 'Waiting to be optimized', 'imagewright' ),
			'outdated'  => __( 'Outdated', 'imagewright' ),
			'offloaded' => __( 'Offloaded', 'imagewright' ),
			'shared'    => __( 'Shared file', 'imagewright' ),
			'failed'    => __( 'Failed or left out', 'imagewright' ),
		);
	}

	/**
	 * Returns the address of the list with the images of a state.
	 *
	 * @param string $state Of states().
	 * @return string
	 */
	public static function url( $state ) {
		return add_query_arg( self::FILTER, $state, admin_url( 'upload.php?mode=list' ) );
	}

	/**
	 * Renders the filter by state.
	 *
	 * @param string $type Post type of the list.
	 */
	public static function choices( $type ) {
		if ( 'attachment' !== $type || ! Imagewright_Access::may_use() ) {
			return;
		}
		$choices = array( '' => __( 'Optimized or not', 'imagewright' ) ) + self::states();
		?>
		<label class="screen-reader-text" for="imagewright-filter"><?php esc_html_e( 'Optimization', 'imagewright' ); ?></label>
		<select id="imagewright-filter" name="<?php echo esc_attr( self::FILTER ); ?>">
			<?php foreach ( $choices as $value => $label ) : ?>
				<option value="<?php echo esc_attr( $value ); ?>" <?php selected( $value, self::wanted() ); ?>><?php echo esc_html( $label ); ?></option>
			<?php endforeach; ?>
		</select>
		<?php
	}

	/**
	 * Returns the chosen state.
	 *
	 * @return string
	 */
	private static function wanted() {
		// Only what a list shows. Reading needs no nonce.
		return isset( $_GET[ self::FILTER ] ) ? sanitize_key( wp_unslash( $_GET[ self::FILTER ] ) ) : '';
	}

	/**
	 * Returns the run whose images are shown; empty for those of the whole library.
	 *
	 * @return string
	 */
	private static function wanted_run() {
		// Only what a list shows. Reading needs no nonce.
		return isset( $_GET[ self::RUN ] ) ? sanitize_key( wp_unslash( $_GET[ self::RUN ] ) ) : '';
	}

	/**
	 * Adds the state that was chosen in the grid to its query.
	 *
	 * @param array $query Arguments, to which WordPress admits only those that it knows.
	 * @return array
	 */
	public static function grid_query( $query ) {
		// WordPress has checked that the user may see the library. Reading needs no nonce.
		$state = isset( $_REQUEST['query'][ self::FILTER ] ) ? sanitize_key( wp_unslash( $_REQUEST['query'][ self::FILTER ] ) ) : '';
		return '' !== $state && Imagewright_Access::may_use() ? array( self::FILTER => $state ) + $query : $query;
	}

	/**
	 * Restricts the list to the chosen state.
	 *
	 * @param string[] $clauses Parts of the query.
	 * @param WP_Query $query   Query.
	 * @return string[]
	 */
	public static function clauses( $clauses, $query ) {
		global $pagenow;
		$of_grid = (string) $query->get( self::FILTER );
		if ( '' !== $of_grid ) {
			return Imagewright_Library::restrict( $clauses, $of_grid );
		}
		$is_list = 'upload.php' === $pagenow && $query->is_main_query();
		return $is_list && '' !== self::wanted() ? Imagewright_Library::restrict( $clauses, self::wanted(), self::wanted_run() ) : $clauses;
	}

	/**
	 * Adds the column.
	 *
	 * @param string[] $columns Columns.
	 * @return string[]
	 */
	public static function column( $columns ) {
		if ( Imagewright_Access::may_use() ) {
			$columns['imagewright'] = __( 'Optimization', 'imagewright' );
		}
		return $columns;
	}

	/**
	 * Renders the column.
	 *
	 * @param string $column Column.
	 * @param int    $id     Attachment.
	 */
	public static function render( $column, $id ) {
		if ( 'imagewright' === $column && wp_attachment_is_image( $id ) ) {
			echo wp_kses_post( Imagewright_Attachment_Field::cell( Imagewright_Library::describe( $id ) ) );
		}
	}

	/**
	 * Adds the row action.
	 *
	 * @param string[] $actions Actions.
	 * @param WP_Post  $post    Attachment.
	 * @return string[]
	 */
	public static function row_actions( $actions, $post ) {
		if ( in_array( get_post_mime_type( $post ), Imagewright_Contract::INPUT_TYPES, true ) && Imagewright_Library::may_change( $post->ID ) ) {
			$actions['imagewright'] = '<a href="' . esc_url( Imagewright_Optimize_Page::url( array( $post->ID ) ) ) . '">' . esc_html__( 'Optimize', 'imagewright' ) . '</a>';
		}
		return $actions;
	}

	/**
	 * Adds the bulk action.
	 *
	 * @param string[] $actions Actions.
	 * @return string[]
	 */
	public static function bulk_actions( $actions ) {
		if ( Imagewright_Access::may_use() ) {
			$actions['imagewright_optimize'] = __( 'Optimize with Imagewright', 'imagewright' );
		}
		return $actions;
	}

	/**
	 * Redirects the bulk action to the page with the selected images. Core has checked the nonce.
	 *
	 * @param string $url    Default redirect.
	 * @param string $action Action.
	 * @param int[]  $ids    Attachments.
	 * @return string
	 */
	public static function handle( $url, $action, $ids ) {
		return 'imagewright_optimize' === $action ? Imagewright_Optimize_Page::url( (array) $ids ) : $url;
	}
}
