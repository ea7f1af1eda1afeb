<?php
/**
 * Texts in runs.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Describes an image that is optimized.
 */
class Imagewright_Run_Texts {

	/** Eligibility for an export. */
	private Imagewright_Eligibility $eligibility;
	/** Model of the service. */
	private Imagewright_Vision $vision;
	/** Languages of a site. */
	private Imagewright_Site_Languages $site_languages;
	/** Jobs of the service. */
	private Imagewright_Jobs $jobs;
	/** Description of one image. */
	private Imagewright_Description $description;
	/** Service. */
	private Imagewright_Service $service;
	/** Texts in an answer. */
	private Imagewright_Answer $answer;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Eligibility    $eligibility    Eligibility for an export.
	 * @param Imagewright_Vision         $vision         Model of the service.
	 * @param Imagewright_Site_Languages $site_languages Languages of a site.
	 * @param Imagewright_Jobs           $jobs           Jobs of the service.
	 * @param Imagewright_Description    $description    Description of one image.
	 * @param Imagewright_Service        $service        Service.
	 * @param Imagewright_Answer         $answer         Texts in an answer.
	 */
	public function __construct(
		Imagewright_Eligibility $eligibility,
		Imagewright_Vision $vision,
		Imagewright_Site_Languages $site_languages,
		Imagewright_Jobs $jobs,
		Imagewright_Description $description,
		Imagewright_Service $service,
		Imagewright_Answer $answer
	) {
		$this->eligibility    = $eligibility;
		$this->vision         = $vision;
		$this->site_languages = $site_languages;
		$this->jobs           = $jobs;
		$this->description    = $description;
		$this->service        = $service;
		$this->answer         = $answer;
	}

	/**
	 * Describes the image if a text is missing.
	 *
	 * @param int   $id   Attachment.
	 * @param array $checkpoint Of Imagewright_Checkpoint::of().
	 * @return array{alt?:string,title?:string}|WP_Error
	 */
	public function of( $id, $checkpoint ) {
		if ( ! $this->eligibility->lacks_text( $id ) || ! $this->vision->exists() ) {
			return array();
		}
		$all       = $this->site_languages->all( $id );
		$languages = array_keys( $all );
		$answer    = $this->jobs->run(
			"/v1/sessions/{$checkpoint['session']}/analyze",
			array(
				'images'  => array( array( 'id' => $checkpoint['image'] ) ),
				'options' => array_filter(
					array(
						'language'  => count( $all ) > 1 ? null : $languages[0],
						'languages' => count( $all ) > 1 ? $languages : null,
						'context'   => $this->description->context( $id ),
					)
				),
			),
			"wp-analyze-{$checkpoint['mark']}{$checkpoint['image']}" . implode( ',', $languages )
		);
		if ( is_wp_error( $answer ) ) {
			return $answer;
		}
		$analysis = $this->service->json( 'GET', "/v1/sessions/{$checkpoint['session']}/analysis" );
		if ( is_wp_error( $analysis ) ) {
			return $analysis;
		}
		$found = (array) ( $analysis['images'][0]['metadata'] ?? array() );
		$this->answer->fill_others( $all, (array) ( $analysis['images'][0]['texts'] ?? array() ) );
		return array_filter(
			array(
				'alt'   => $found['alt'] ?? null,
				'title' => $found['title'] ?? null,
			),
			'is_string'
		);
	}
}
