<?php
/**
 * Texts of the block editor's panels.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Returns translated texts for the panels of the block editor. The script replaces placeholders such as {n}.
 */
class Imagewright_Editor_Strings {

	/**
	 * Returns the texts by key.
	 *
	 * @return array<string,string>
	 */
	public static function all() {
		return array(
			'optimize'          => __( 'Optimize (1 credit)', 'imagewright' ),
			'restore'           => __( 'Restore the original', 'imagewright' ),
			'describe'          => __( 'Describe', 'imagewright' ),
			/* translators: {n}: credits */
			'describeFor'       => __( 'Describe (credits: {n})', 'imagewright' ),
			'confirm'           => __( 'Confirm the text', 'imagewright' ),
			'noDescribe'        => Imagewright_Vision::refusal()->get_error_message(),
			'notYours'          => __( 'This image was deleted, has a format that is not optimized, or you may not change it.', 'imagewright' ),
			'textNone'          => __( 'No alternative text.', 'imagewright' ),
			'textDecorative'    => __( 'Decorative here: screen readers skip it.', 'imagewright' ),
			'textLibrary'       => __( 'From the media library.', 'imagewright' ),
			'textPost'          => __( 'Written in this post.', 'imagewright' ),
			/* translators: {user}: name of a person */
			'textUser'          => __( 'Written by {user}.', 'imagewright' ),
			'textAi'            => __( 'Written by AI, not confirmed yet.', 'imagewright' ),
			/* translators: {user}: name of a person */
			'textAiConfirmed'   => __( 'Written by AI, confirmed by {user}.', 'imagewright' ),
			'textFile'          => __( 'From the file, not confirmed yet.', 'imagewright' ),
			/* translators: {user}: name of a person */
			'textFileConfirmed' => __( 'From the file, confirmed by {user}.', 'imagewright' ),
			'decorative'        => __( 'Decorative here', 'imagewright' ),
			'decorativeHelp'    => __( 'The image says nothing that the text around it does not say. Screen readers skip it.', 'imagewright' ),
			'decorativeLinked'  => __( 'An image with a link needs a text: it says where the link leads.', 'imagewright' ),
			/* translators: {n}: number of images */
			'missingTitle'      => __( 'Images without alternative text: {n}', 'imagewright' ),
			'missingNone'       => __( 'Every image has an alternative text', 'imagewright' ),
			'missingHelp'       => __( 'Describe these images, or mark those that are only decoration here.', 'imagewright' ),
			'goTo'              => __( 'Show', 'imagewright' ),
			'markDecorative'    => __( 'Decorative', 'imagewright' ),
		);
	}
}
