<?php
/**
 * Status field of an attachment.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Adds a field with status and buttons to the attachment's details and the media modal.
 */
class Imagewright_Attachment_Field {

	/** Permissions of users. */
	private Imagewright_Access $access;
	/** Lists of the media library. */
	private Imagewright_Library $library;
	/** Settings. */
	private Imagewright_Options $options;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access  $access  Permissions of users.
	 * @param Imagewright_Library $library Lists of the media library.
	 * @param Imagewright_Options $options Settings.
	 */
	public function __construct(
		Imagewright_Access $access,
		Imagewright_Library $library,
		Imagewright_Options $options
	) {
		$this->access  = $access;
		$this->library = $library;
		$this->options = $options;
	}

	/**
	 * Registers the hooks.
	 *
	 * @param Imagewright_Hooks $hooks Hooks of WordPress.
	 */
	public static function register( $hooks ) {
		$hooks->filter( 'attachment_fields_to_edit', array( __CLASS__, 'add' ), 10, 2 );
	}

	/**
	 * Adds the field.
	 *
	 * @param array   $fields Fields.
	 * @param WP_Post $post   Attachment.
	 * @return array
	 */
	public function add( $fields, $post ) {
		if ( in_array( get_post_mime_type( $post ), Imagewright_Contract::INPUT_TYPES, true ) && $this->access->may_change( $post->ID ) ) {
			$fields['imagewright'] = array(
				'label' => __( 'Optimization', 'imagewright' ),
				'input' => 'html',
				'html'  => $this->html( $this->library->describe( $post->ID ) ),
			);
		}
		return $fields;
	}

	/**
	 * Renders the status with its buttons. The status also shows without JavaScript.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	public function html( $item ) {
		$carries = '' === $item['carries'] ? '' : '<p class="imagewright-carries description">' . esc_html( $item['carries'] ) . '</p>';
		return $this->open( $item, 'field' ) . $this->inside( $item ) . $carries . '</div>';
	}

	/**
	 * Renders the status for the media list: a pill, and a menu with the rest.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	public function cell( $item ) {
		/* translators: %s: file name */
		$name = sprintf( __( 'State and actions: %s', 'imagewright' ), $item['filename'] );
		return $this->open( $item, 'cell' ) . '<details class="imagewright-menu"><summary><span class="imagewright-pill">' . esc_html( Imagewright_Status_Text::pill( $item ) )
			. '</span> <span class="screen-reader-text">' . esc_html( $name ) . '</span><span aria-hidden="true">⋯</span></summary><div class="imagewright-menu-body">' . $this->inside( $item ) . '</div></details>' . ( 'shared' === $item['status'] ? '<span class="imagewright-shared">' . esc_html__( 'Shared file', 'imagewright' ) . '</span>' : '' ) . '</div>';
	}

	/**
	 * Renders the beginning of a status, by which scripts find it.
	 *
	 * @param array  $item Of Imagewright_Library::describe().
	 * @param string $form `field` or `cell`.
	 * @return string
	 */
	private function open( $item, $form ) {
		return '<div class="imagewright-status" data-imagewright-id="' . esc_attr( (string) $item['id'] ) . '" data-imagewright-form="' . esc_attr( $form ) . '" data-status="' . esc_attr( $item['picture'] ) . '">';
	}

	/**
	 * Renders the status in words, with its buttons.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	private function inside( $item ) {
		$may     = $this->access->may_change( $item['id'] ) && in_array( $item['mime'], Imagewright_Contract::INPUT_TYPES, true );
		$buttons = '';
		if ( $may && $this->access->may_spend() && in_array( $item['picture'], array( 'none', 'failed', 'interrupted', 'outdated' ), true ) && '' === $item['obstacle'] && $this->options->is_ready() ) {
			$buttons .= $this->button( 'optimize', 'outdated' === $item['gap'] ? __( 'Put right (free)', 'imagewright' ) : __( 'Optimize (1 credit)', 'imagewright' ), $item );
		}
		if ( $may && ( 'offloaded' !== $item['picture'] || null !== $item['bytes'] ) && in_array( $item['picture'], array( 'optimized', 'edited', 'interrupted', 'outdated', 'offloaded' ), true ) ) {
			$buttons .= $this->button( 'restore', __( 'Restore the original', 'imagewright' ), $item );
		}
		if ( '' !== $buttons ) {
			$buttons .= '<span class="hide-if-js">' . esc_html__( 'This needs JavaScript.', 'imagewright' ) . '</span>';
		}
		return '<span class="imagewright-status-text" role="status">' . esc_html( Imagewright_Status_Text::status( $item ) ) . '</span> ' . $this->difference( $item ) . $buttons;
	}

	/**
	 * Renders the visible difference in words, with the score as a tooltip.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	private function difference( $item ) {
		if ( 'optimized' !== $item['picture'] || ! is_numeric( $item['score'] ) ) {
			return '';
		}
		return '<span class="imagewright-difference" title="SSIMULACRA2: ' . esc_attr( number_format_i18n( $item['score'] ) ) . '">' . esc_html( Imagewright_Status_Text::difference( $item['score'] ) ) . '</span> ';
	}

	/**
	 * Renders a button. It is disabled until the script has loaded.
	 *
	 * @param string $action `optimize` or `restore`.
	 * @param string $text   Text.
	 * @param array  $item   Of Imagewright_Library::describe().
	 * @return string
	 */
	private function button( $action, $text, $item ) {
		return '<button type="button" disabled="disabled" class="button button-small hide-if-no-js" data-imagewright-waits="1" data-imagewright-action="' . esc_attr( $action ) . '" aria-label="'
			. esc_attr( $text . ': ' . $item['filename'] ) . '">' . esc_html( $text ) . '</button> ';
	}

	/**
	 * Describes an attachment, with the HTML of its status.
	 *
	 * @param int $id Attachment.
	 * @return array
	 */
	public function shown( $id ) {
		$item = $this->library->describe( $id );
		return $item + array(
			'html' => $this->html( $item ),
			'cell' => $this->cell( $item ),
		);
	}
}
