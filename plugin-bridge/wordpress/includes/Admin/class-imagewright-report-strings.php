<?php
/**
 * Translated texts of reports.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Returns the texts of the scripts that weigh pages and list alternative texts.
 */
class Imagewright_Report_Strings {

	/**
	 * Returns the texts. The scripts replace placeholders such as {n}.
	 *
	 * @return array<string,string>
	 */
	public static function all() {
		return array(
			'weighTitle'         => __( 'Weigh a page', 'imagewright' ),
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
}
