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

	const SLUG = 'imagewright-optimize';

	/** Query parameter of the chosen images. Core removes `ids` from URLs. */
	const IDS = 'imagewright_ids';

	/** Query parameter of the shown tab. */
	const TAB = 'tab';

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Rows of images. */
	private Imagewright_Index $index;
	/** Status field of an attachment. */
	private Imagewright_Attachment_Field $attachment_field;
	/** Lists of the media library. */
	private Imagewright_Library $library;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access           $access           Permissions of users.
	 * @param Imagewright_Index            $index            Rows of images.
	 * @param Imagewright_Attachment_Field $attachment_field Status field of an attachment.
	 * @param Imagewright_Library          $library          Lists of the media library.
	 */
	public function __construct(
		Imagewright_Access $access,
		Imagewright_Index $index,
		Imagewright_Attachment_Field $attachment_field,
		Imagewright_Library $library
	) {
		$this->access           = $access;
		$this->index            = $index;
		$this->attachment_field = $attachment_field;
		$this->library          = $library;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->filter( 'manage_media_columns', array( __CLASS__, 'column' ) );
		$hooks->action( 'manage_media_custom_column', array( __CLASS__, 'render' ), 10, 2 );
		$hooks->filter( 'media_row_actions', array( __CLASS__, 'row_actions' ), 10, 2 );
		$hooks->filter( 'bulk_actions-upload', array( __CLASS__, 'bulk_actions' ) );
		$hooks->filter( 'handle_bulk_actions-upload', array( __CLASS__, 'handle' ), 10, 3 );
		$hooks->action( 'restrict_manage_posts', array( __CLASS__, 'choices' ) );
		$hooks->filter( 'posts_clauses', array( __CLASS__, 'clauses' ), 10, 2 );
		$hooks->filter( 'ajax_query_attachments_args', array( __CLASS__, 'grid_query' ) );
	}

	/**
	 * Returns the states by which the list and the grid can be filtered: labels by name.
	 *
	 * @return array<string,string>
	 */
	public function states() {
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
	 * Renders the filter by state.
	 *
	 * @param string $type Post type of the list.
	 */
	public function choices( $type ) {
		if ( 'attachment' !== $type || ! $this->access->may_use() ) {
			return;
		}
		$choices = array( '' => __( 'Optimized or not', 'imagewright' ) ) + $this->states();
		?>
		<label class="screen-reader-text" for="imagewright-filter"><?php esc_html_e( 'Optimization', 'imagewright' ); ?></label>
		<select id="imagewright-filter" name="<?php echo esc_attr( self::FILTER ); ?>">
			<?php foreach ( $choices as $value => $label ) : ?>
				<option value="<?php echo esc_attr( $value ); ?>" <?php selected( $value, $this->wanted() ); ?>><?php echo esc_html( $label ); ?></option>
			<?php endforeach; ?>
		</select>
		<?php
	}

	/**
	 * Returns the chosen state.
	 *
	 * @return string
	 */
	private function wanted() {
		// Only what a list shows. Reading needs no nonce.
		return isset( $_GET[ self::FILTER ] ) ? sanitize_key( wp_unslash( $_GET[ self::FILTER ] ) ) : '';
	}

	/**
	 * Returns the run whose images are shown; empty for those of the whole library.
	 *
	 * @return string
	 */
	private function wanted_run() {
		// Only what a list shows. Reading needs no nonce.
		return isset( $_GET[ self::RUN ] ) ? sanitize_key( wp_unslash( $_GET[ self::RUN ] ) ) : '';
	}

	/**
	 * Adds the state that was chosen in the grid to its query.
	 *
	 * @param array $query Arguments; WordPress drops unknown ones.
	 * @return array
	 */
	public function grid_query( $query ) {
		// WordPress has checked that the user may see the library. Reading needs no nonce.
		$state = isset( $_REQUEST['query'][ self::FILTER ] ) ? sanitize_key( wp_unslash( $_REQUEST['query'][ self::FILTER ] ) ) : '';
		return '' !== $state && $this->access->may_use() ? array( self::FILTER => $state ) + $query : $query;
	}

	/**
	 * Restricts the list to the chosen state.
	 *
	 * @param string[] $clauses Parts of the query.
	 * @param WP_Query $query   Query.
	 * @return string[]
	 */
	public function clauses( $clauses, $query ) {
		global $pagenow;
		$of_grid = (string) $query->get( self::FILTER );
		if ( '' !== $of_grid ) {
			return $this->index->restrict( $clauses, $of_grid );
		}
		$is_list = 'upload.php' === $pagenow && $query->is_main_query();
		return $is_list && '' !== $this->wanted() ? $this->index->restrict( $clauses, $this->wanted(), $this->wanted_run() ) : $clauses;
	}

	/**
	 * Adds the column.
	 *
	 * @param string[] $columns Columns.
	 * @return string[]
	 */
	public function column( $columns ) {
		if ( $this->access->may_use() ) {
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
	public function render( $column, $id ) {
		if ( 'imagewright' === $column && wp_attachment_is_image( $id ) ) {
			echo wp_kses_post( $this->attachment_field->cell( $this->library->describe( $id ) ) );
		}
	}

	/**
	 * Adds the row action.
	 *
	 * @param string[] $actions Actions.
	 * @param WP_Post  $post    Attachment.
	 * @return string[]
	 */
	public function row_actions( $actions, $post ) {
		if ( in_array( get_post_mime_type( $post ), Imagewright_Contract::INPUT_TYPES, true ) && $this->access->may_change( $post->ID ) ) {
			$actions['imagewright'] = '<a href="' . esc_url( $this->optimize_url( array( $post->ID ) ) ) . '">' . esc_html__( 'Optimize', 'imagewright' ) . '</a>';
		}
		return $actions;
	}

	/**
	 * Adds the bulk action.
	 *
	 * @param string[] $actions Actions.
	 * @return string[]
	 */
	public function bulk_actions( $actions ) {
		if ( $this->access->may_use() ) {
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
	public function handle( $url, $action, $ids ) {
		return 'imagewright_optimize' === $action ? $this->optimize_url( (array) $ids ) : $url;
	}

	/**
	 * Returns the address of Media > Optimize.
	 *
	 * @param int[] $ids Chosen attachments.
	 * @return string
	 */
	public function optimize_url( $ids = array() ) {
		$url = admin_url( 'upload.php?page=' . self::SLUG );
		return $ids ? add_query_arg( self::IDS, implode( ',', array_map( 'intval', $ids ) ), $url ) : $url;
	}

	/**
	 * Returns the address of the list with the images of a state.
	 *
	 * @param string $state Of states().
	 * @return string
	 */
	public function list_of( $state ) {
		return add_query_arg( self::FILTER, $state, admin_url( 'upload.php?mode=list' ) );
	}
}
