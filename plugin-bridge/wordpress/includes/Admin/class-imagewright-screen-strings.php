<?php
/**
 * Translated texts of single screens.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Returns the texts of scripts that run on some screens only. The scripts replace placeholders such as {n}.
 */
class Imagewright_Screen_Strings {

	/** Settings. */
	private Imagewright_Options $options;
	/** Images that the settings exclude. */
	private Imagewright_Exclusions $exclusions;
	/** Model of the service. */
	private Imagewright_Vision $vision;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options    $options    Settings.
	 * @param Imagewright_Exclusions $exclusions Images that the settings exclude.
	 * @param Imagewright_Vision     $vision     Model of the service.
	 */
	public function __construct( Imagewright_Options $options, Imagewright_Exclusions $exclusions, Imagewright_Vision $vision ) {
		$this->options    = $options;
		$this->exclusions = $exclusions;
		$this->vision     = $vision;
	}

	/**
	 * Returns the texts of Media > Optimize and Media > Image texts.
	 *
	 * @return array<string,string>
	 */
	public function reports() {
		return $this->bulk() + array(
			'weighHelp'          => __( 'Opens a page of this site as visitors get it, and compares what a phone and a desktop load of its images with WordPress\'s own files.', 'imagewright' ),
			'weighAddress'       => __( 'Address of the page', 'imagewright' ),
			'weigh'              => __( 'Weigh this page', 'imagewright' ),
			'weighPhone'         => __( 'Phone: {before} became {after}.', 'imagewright' ),
			'weighDesktop'       => __( 'Desktop: {before} became {after}.', 'imagewright' ),
			'weighNone'          => __( 'This page has no images.', 'imagewright' ),
			'weighForeign'       => __( '{images}, none of the media library.', 'imagewright' ),
			'weighOthers'        => __( 'The page shows other images each time, so lines may not belong together.', 'imagewright' ),
			'weighImage'         => __( 'Image', 'imagewright' ),
			'weighPhoneHead'     => __( 'Phone', 'imagewright' ),
			'weighDesktopHead'   => __( 'Desktop', 'imagewright' ),
			'weighAttributes'    => __( 'Attributes', 'imagewright' ),
			'weighLazy'          => __( 'lazy loading', 'imagewright' ),
			'weighElsewhere'     => __( 'not in the uploads folder', 'imagewright' ),
			'queueTitle'         => __( 'Texts of AI that nobody has confirmed', 'imagewright' ),
			'queueEmpty'         => __( 'There are no such texts.', 'imagewright' ),
			'queueText'          => __( 'Alternative text of {name}', 'imagewright' ),
			'queueAccept'        => __( 'Accept', 'imagewright' ),
			'queueChange'        => __( 'Save the change', 'imagewright' ),
			'queueReject'        => __( 'Reject', 'imagewright' ),
			'queueLater'         => __( 'Later', 'imagewright' ),
			'queueKeys'          => __( 'Enter accepts the text, or saves the change. Ctrl + Delete rejects it. Ctrl + ↓ goes on to the next. Esc undoes the change.', 'imagewright' ),
			'queueAccepted'      => __( 'Accepted.', 'imagewright' ),
			'queueChanged'       => __( 'Changed.', 'imagewright' ),
			'queueRejected'      => __( 'Rejected: the image has no text now.', 'imagewright' ),
			'queueLeft'          => __( '{n} left.', 'imagewright' ),
			'auditTitle'         => __( 'All texts of the site', 'imagewright' ),
			'auditHelp'          => __( 'Looks for images without a text, texts that look like file names, texts that several images share, and links that contain nothing but an image without a text.', 'imagewright' ),
			'auditStart'         => __( 'Check all texts', 'imagewright' ),
			'auditRunning'       => __( '{n} images and posts checked …', 'imagewright' ),
			'auditDone'          => __( 'Found: {n}', 'imagewright' ),
			'auditExport'        => __( 'Download as CSV', 'imagewright' ),
			'audit_missing'      => __( 'No text', 'imagewright' ),
			'audit_file_name'    => __( 'Looks like a file name', 'imagewright' ),
			'audit_duplicate'    => __( 'Same text as other images', 'imagewright' ),
			'audit_linked_empty' => __( 'Link without any text', 'imagewright' ),
		);
	}

	/**
	 * Returns the texts of runs.
	 *
	 * @return array<string,string>
	 */
	private function bulk() {
		$all = $this->options->all();
		return array(
			'bulkTitle'       => __( 'The whole library', 'imagewright' ),
			'bulkCounts'      => __( '{optimized} of {total} images are optimized.', 'imagewright' ),
			'bulkCost'        => __( 'Optimizing {images} costs {credits}, one for each image whatever the number of its sizes. You have {balance}.', 'imagewright' ),
			'bulkCostTexts'   => __( 'Optimizing {images} costs {credits}: one for each image whatever the number of its sizes, and {textCost} to describe those without a text: {described}. You have {balance}.', 'imagewright' ),
			'bulkRepairs'     => __( 'Without an export, and free of charge, this puts right: {images}.', 'imagewright' ),
			'bulkNothing'     => __( 'There is nothing to optimize.', 'imagewright' ),
			'bulkLeftOut'     => __( 'Left out of this run: {n}', 'imagewright' ),
			'bulkShort'       => __( 'You have fewer credits than that: the run stops when they are used up and can be resumed.', 'imagewright' ),
			'bulkStart'       => __( 'Optimize {images} for {credits}', 'imagewright' ),
			'bulkAsk'         => __( 'Optimize {images} for {credits}?', 'imagewright' ),
			'bulkAskLeft'     => __( 'You have {balance}. What gains nothing costs nothing, so at least {left} are left afterwards.', 'imagewright' ),
			'bulkSee'         => __( 'See the {images}', 'imagewright' ),
			'bulkUndo'        => __( 'Restore these originals', 'imagewright' ),
			'bulkSelected'    => __( 'Chosen: {images}', 'imagewright' ),
			'bulkStop'        => __( 'Stop', 'imagewright' ),
			'bulkResume'      => __( 'Resume', 'imagewright' ),
			'bulkForget'      => __( 'Close', 'imagewright' ),
			'bulkRunning'     => __( '{done} of {total} done', 'imagewright' ),
			'bulkStopping'    => __( 'Stopping after the images in progress …', 'imagewright' ),
			'bulkStopped'     => __( 'Stopped: {done} of {total} done.', 'imagewright' ),
			'bulkDone'        => __( 'Done: {done} of {total}.', 'imagewright' ),
			'bulkSaved'       => __( '{before} became {after}.', 'imagewright' ),
			'bulkFailed'      => __( '{images} could not be processed:', 'imagewright' ),
			'bulkBackground'  => __( 'You can close this page. The run goes on in the background, faster while this page is open.', 'imagewright' ),
			'bulkNoGain'      => __( 'Unchanged, free of charge: {images}.', 'imagewright' ),
			/* translators: 1: format, 2: quality */
			'bulkSettings'    => sprintf( __( 'Format: %1$s. Quality: %2$s. They can be changed in the settings.', 'imagewright' ), Imagewright_Strings::formats()[ $all['format'] ] ?? '', Imagewright_Strings::presets()[ $all['preset'] ] ?? '' ),
			'restoreAll'      => __( 'Restore all originals', 'imagewright' ),
			'restoreConfirm'  => __( 'Restore the original files of {images}? The optimized files are removed. This costs nothing.', 'imagewright' ),
			'discardAll'      => __( 'Delete the originals', 'imagewright' ),
			'discardConfirm'  => __( 'Delete the originals of {images}? They cannot be restored afterwards. Files that a post still names are kept.', 'imagewright' ),
			/* translators: %s: size of a file */
			'bulkSkips'       => $this->exclusions->least_bytes() > 0 ? sprintf( __( 'Files smaller than %s are found during the run, left out, and cost nothing.', 'imagewright' ), size_format( $this->exclusions->least_bytes() ) ) : '',
		);
	}

	/**
	 * Returns the texts of the block editor's panels.
	 *
	 * @return array<string,string>
	 */
	public function editor() {
		return array(
			'optimize'          => __( 'Optimize (1 credit)', 'imagewright' ),
			'restore'           => __( 'Restore the original', 'imagewright' ),
			'describe'          => __( 'Describe', 'imagewright' ),
			/* translators: {n}: credits */
			'describeFor'       => __( 'Describe (credits: {n})', 'imagewright' ),
			'confirm'           => __( 'Confirm the text', 'imagewright' ),
			'noDescribe'        => $this->vision->refusal()->get_error_message(),
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
