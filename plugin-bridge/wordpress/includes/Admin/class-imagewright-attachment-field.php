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

	/** Registers the hooks. */
	public static function register() {
		add_filter( 'attachment_fields_to_edit', array( __CLASS__, 'add' ), 10, 2 );
	}

	/**
	 * Adds the field.
	 *
	 * @param array   $fields Fields.
	 * @param WP_Post $post   Attachment.
	 * @return array
	 */
	public static function add( $fields, $post ) {
		if ( in_array( get_post_mime_type( $post ), Imagewright_Contract::INPUT_TYPES, true ) && Imagewright_Library::may_change( $post->ID ) ) {
			$fields['imagewright'] = array(
				'label' => __( 'Optimization', 'imagewright' ),
				'input' => 'html',
				'html'  => self::html( $post->ID ),
			);
		}
		return $fields;
	}

	/**
	 * Renders the status with its buttons. The status also shows without JavaScript.
	 *
	 * @param int $id Attachment.
	 * @return string
	 */
	public static function html( $id ) {
		$item    = Imagewright_Library::describe( $id );
		$may     = Imagewright_Library::may_change( $id ) && in_array( $item['mime'], Imagewright_Contract::INPUT_TYPES, true );
		$buttons = '';
		if ( $may && Imagewright_Access::may_spend() && in_array( $item['status'], array( 'none', 'queued', 'failed', 'interrupted', 'outdated' ), true ) && '' === $item['obstacle'] && Imagewright_Options::is_ready() ) {
			$buttons .= self::button( 'optimize', 'outdated' === $item['gap'] ? __( 'Put right (free)', 'imagewright' ) : __( 'Optimize (1 credit)', 'imagewright' ), $item );
		}
		if ( $may && ( 'offloaded' !== $item['status'] || null !== $item['bytes'] ) && in_array( $item['status'], array( 'optimized', 'edited', 'interrupted', 'outdated', 'offloaded' ), true ) ) {
			$buttons .= self::button( 'restore', __( 'Restore the original', 'imagewright' ), $item );
		}
		if ( '' !== $buttons ) {
			$buttons .= '<span class="hide-if-js">' . esc_html__( 'This needs JavaScript.', 'imagewright' ) . '</span>';
		}
		return '<div class="imagewright-status" data-imagewright-id="' . esc_attr( (string) $id ) . '" data-status="' . esc_attr( $item['status'] ) . '"><span class="imagewright-status-text" role="status">'
			. esc_html( Imagewright_Strings::status( $item ) ) . '</span> ' . self::difference( $item ) . $buttons . '</div>';
	}

	/**
	 * Renders the visible difference in words, with the score as a tooltip.
	 *
	 * @param array $item Of Imagewright_Library::describe().
	 * @return string
	 */
	private static function difference( $item ) {
		if ( 'optimized' !== $item['status'] || ! is_numeric( $item['score'] ) ) {
			return '';
		}
		return '<span class="imagewright-difference" title="SSIMULACRA2: ' . esc_attr( number_format_i18n( $item['score'] ) ) . '">' . esc_html( Imagewright_Strings::difference( $item['score'] ) ) . '</span> ';
	}

	/**
	 * Renders a button. It is disabled until the script has loaded.
	 *
	 * @param string $action `optimize` or `restore`.
	 * @param string $text   Text.
	 * @param array  $item   Of Imagewright_Library::describe().
	 * @return string
	 */
	private static function button( $action, $text, $item ) {
		return '<button type="button" disabled="disabled" class="button button-small hide-if-no-js" data-imagewright-waits="1" data-imagewright-action="' . esc_attr( $action ) . '" aria-label="'
			. esc_attr( $text . ': ' . $item['filename'] ) . '">' . esc_html( $text ) . '</button> ';
	}
}
