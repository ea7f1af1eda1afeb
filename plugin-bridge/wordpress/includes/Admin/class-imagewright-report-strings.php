<?php
/**
 * Translated texts of the plugin's own pages.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Returns the texts of the scripts on the pages Media > Optimize and Media > Image texts.
 */
class Imagewright_Report_Strings {

	/**
	 * Returns the texts. The scripts replace placeholders such as {n}.
	 *
	 * @return array<string,string>
	 */
	public static function all() {
		return self::bulk() + array(
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
	private static function bulk() {
		$all = Imagewright_Options::all();
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
			'bulkSkips'       => Imagewright_Exclusions::least_bytes() > 0 ? sprintf( __( 'Files smaller than %s are found during the run, left out, and cost nothing.', 'imagewright' ), size_format( Imagewright_Exclusions::least_bytes() ) ) : '',
		);
	}
}
