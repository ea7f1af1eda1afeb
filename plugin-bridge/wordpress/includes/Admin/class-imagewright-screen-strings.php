<?php
/**
 * Translated texts.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Returns the labels of settings and the texts of scripts, for all screens and for some. The scripts replace placeholders such as {n}.
 */
class Imagewright_Screen_Strings {

	/** One number for each plural category of CLDR, valid in every language that has the category. */
	const NUMBERS = array(
		'zero'  => 0,
		'one'   => 1,
		'two'   => 2,
		'few'   => 3,
		'many'  => 11,
		'other' => 100,
	);

	/** Settings. */
	private Imagewright_Options $options;
	/** Images that are left out, and failures. */
	private Imagewright_Exclusions $exclusions;
	/** Service. */
	private Imagewright_Service $service;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options    $options    Settings.
	 * @param Imagewright_Exclusions $exclusions Images that are left out, and failures.
	 * @param Imagewright_Service    $service    Service.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Exclusions $exclusions,
		Imagewright_Service $service
	) {
		$this->options    = $options;
		$this->exclusions = $exclusions;
		$this->service    = $service;
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
			'bulkSettings'    => sprintf( __( 'Format: %1$s. Quality: %2$s. They can be changed in the settings.', 'imagewright' ), $this->formats()[ $all['format'] ] ?? '', $this->presets()[ $all['preset'] ] ?? '' ),
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
			'noDescribe'        => $this->service->no_model()->get_error_message(),
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

	/**
	 * Returns the ways of delivery: label and explanation by name.
	 *
	 * @return array<string,array{0:string,1:string}>
	 */
	public function ways() {
		return array(
			'beside'  => array( __( 'Beside the originals', 'imagewright' ), __( 'Pages offer them to browsers that know the format, and fall back to the original.', 'imagewright' ) ),
			'replace' => array( __( 'In the place of the originals', 'imagewright' ), __( 'The media library shows the optimized files. The originals are kept.', 'imagewright' ) ),
		);
	}

	/**
	 * Returns the labels of the formats.
	 *
	 * @return array<string,string>
	 */
	public function formats() {
		return Imagewright_Contract::FORMAT_LABELS + array( 'original' => __( 'As uploaded', 'imagewright' ) );
	}

	/**
	 * Returns the labels of the presets.
	 *
	 * @return array<string,string>
	 */
	public function presets() {
		return array(
			'maximum'   => __( 'Maximum', 'imagewright' ),
			'very_high' => __( 'Very high', 'imagewright' ),
			'high'      => __( 'High', 'imagewright' ),
			'medium'    => __( 'Medium', 'imagewright' ),
			'low'       => __( 'Low', 'imagewright' ),
			'minimum'   => __( 'Minimum', 'imagewright' ),
		);
	}

	/**
	 * Returns the texts of the scripts. The scripts replace placeholders such as {n}.
	 *
	 * @return array<string,string>
	 */
	public function all() {
		return array(
			'restoreForce'    => __( 'This image was edited after it was optimized. Restoring it discards these edits. Continue?', 'imagewright' ),
			'restoreLost'     => __( 'The original file exists. Restore it and let WordPress create the missing sizes again?', 'imagewright' ),
			'largerPaid'      => __( 'Use the larger file anyway? It is already paid for.', 'imagewright' ),
			'largerCosts'     => __( 'Export it again for 1 credit and use the larger file anyway?', 'imagewright' ),
			'working'         => __( 'Working …', 'imagewright' ),
			'cancel'          => __( 'Cancel', 'imagewright' ),
			'continue'        => __( 'Continue', 'imagewright' ),
			'choose'          => __( 'Choose from the media library', 'imagewright' ),
			'chooseTitle'     => __( 'Choose images to optimize', 'imagewright' ),
			'chooseButton'    => __( 'Use these images', 'imagewright' ),
			'replaced'        => __( 'Replaced', 'imagewright' ),
			'restored'        => __( 'The original was restored.', 'imagewright' ),
			'dropHint'        => __( 'JPEG, PNG, WebP, AVIF or GIF. Dropped files are added to the media library.', 'imagewright' ),
			'saveFirst'       => __( 'Save the changes first: the test uses the saved settings.', 'imagewright' ),
			'testing'         => __( 'Testing …', 'imagewright' ),
			'noModel'         => __( 'The image service has no model that describes images. "Describe images" finds only texts that are within the files.', 'imagewright' ),
			'loggedOut'       => __( 'You are logged out. Log in again in another tab, then resume.', 'imagewright' ),
			'unreachable'     => __( 'The site does not respond. Check the connection, then resume.', 'imagewright' ),
		);
	}

	/**
	 * Returns the plural forms that the scripts insert for {images} and {credits}.
	 *
	 * @return array<string,array<string,string>>
	 */
	public function nouns() {
		return array(
			'images'  => $this->forms( _n_noop( '{n} image', '{n} images', 'imagewright' ) ),
			'credits' => $this->forms( _n_noop( '{n} credit', '{n} credits', 'imagewright' ) ),
		);
	}

	/**
	 * Returns the forms of a noun by plural category.
	 *
	 * @param array $noun Of _n_noop().
	 * @return array<string,string>
	 */
	private function forms( $noun ) {
		return array_map( static fn( $number ) => translate_nooped_plural( $noun, $number ), self::NUMBERS );
	}

	/**
	 * Returns the widget's texts that WordPress has a translation for, by the widget's keys. The widget translates the others.
	 *
	 * @return array<string,string|array<string,string>>
	 */
	public function widget() {
		$texts = 0 === strpos( get_user_locale(), 'en' ) ? array() : array_merge( require IMAGEWRIGHT_DIR . 'build/widget-strings.php', require IMAGEWRIGHT_DIR . 'build/host-strings.php' );
		$known = array();
		foreach ( $texts as $key => $text ) {
			$forms = isset( $text[0] ) ? array( $text ) : $text;
			$given = array_filter( $forms, static fn( $pair ) => $pair[0] !== $pair[1] );
			if ( $given ) {
				$known[ $key ] = isset( $text[0] ) ? $text[1] : wp_list_pluck( $forms, 1 );
			}
		}
		return $known;
	}

	/**
	 * Returns what can stay in the files: label and explanation by name.
	 *
	 * @return array<string,array{0:string,1:string}>
	 */
	public function levels() {
		return array(
			'rights'          => array( __( 'Rights', 'imagewright' ), __( 'Author, copyright, licence and AI marks. Place, camera and other private data are removed.', 'imagewright' ) ),
			'all-but-private' => array( __( 'All but private', 'imagewright' ), __( 'Also camera, lens, exposure, date, rating and keywords. Place and names are removed.', 'imagewright' ) ),
			'none'            => array( __( 'Nothing', 'imagewright' ), __( 'Everything is removed, the copyright too.', 'imagewright' ) ),
		);
	}
}
