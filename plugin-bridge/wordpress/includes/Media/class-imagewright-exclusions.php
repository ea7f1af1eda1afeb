<?php
/**
 * Images that are left out, and failures.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Leaves images out of what happens to many at once, new uploads and runs over the library: by size of the file, name or folder.
 * Images that a user chooses are not excluded. Records why others were not optimized.
 */
class Imagewright_Exclusions {

	/** Most patterns. */
	const MAX = 50;

	/** Reasons that no setting changes. Runs leave such images out until they are changed. */
	const UNFIT = array( 'imagewright_no_sizes', 'imagewright_not_local', 'imagewright_not_an_image', ...Imagewright_Contract::FILE_ERRORS );

	/**
	 * Lines of the setting that `$patterns` are made of; null before the first.
	 *
	 * @var string|null
	 */
	private $of = null;

	/**
	 * Regular expressions.
	 *
	 * @var string[]
	 */
	private $patterns = array();

	/** Settings. */
	private Imagewright_Options $options;
	/** Source files of attachments. */
	private Imagewright_Source $source;
	/** Records of images. */
	private Imagewright_State $state;
	/** Rows of images. */
	private Imagewright_Index $index;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Source  $source  Source files of attachments.
	 * @param Imagewright_State   $state   Records of images.
	 * @param Imagewright_Index   $index   Rows of images.
	 */
	public function __construct(
		Imagewright_Options $options,
		Imagewright_Source $source,
		Imagewright_State $state,
		Imagewright_Index $index
	) {
		$this->options = $options;
		$this->source  = $source;
		$this->state   = $state;
		$this->index   = $index;
	}

	/**
	 * Returns the size below which files are left out.
	 *
	 * @return int Bytes; 0 for no limit.
	 */
	public function least_bytes() {
		return 1024 * max( 0, (int) $this->options->all()['skip_below'] );
	}

	/**
	 * Returns true if the settings name files or folders.
	 *
	 * @return bool
	 */
	public function exist() {
		return array() !== $this->patterns();
	}

	/**
	 * Returns true if a file is excluded. Names are compared without `-scaled`, upper and lower case alike.
	 *
	 * @param string $file Path of a file, relative to the uploads folder.
	 * @return bool
	 */
	public function cover_file( $file ) {
		foreach ( $this->patterns() as $pattern ) {
			if ( 1 === preg_match( $pattern, str_replace( '-scaled.', '.', $file ) ) ) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns true if the name or folder of an attachment is excluded.
	 *
	 * @param int $id Attachment.
	 * @return bool
	 */
	public function covers( $id ) {
		return $this->cover_file( (string) get_post_meta( $id, '_wp_attached_file', true ) );
	}

	/**
	 * Returns the reason why a task of many is not done, or null: the file is too small.
	 *
	 * @param int $id Attachment.
	 * @return WP_Error|null
	 */
	public function refusal( $id ) {
		$least  = $this->least_bytes();
		$source = $least > 0 ? $this->source->of( $id ) : null;
		if ( null === $source || is_wp_error( $source ) || filesize( $source['path'] ) >= $least ) {
			return null;
		}
		/* translators: %s: size of a file */
		return Imagewright_Rest_Errors::make( 'excluded', sprintf( __( 'The file is smaller than %s, and the settings leave such files out.', 'imagewright' ), size_format( $least ) ), 409 );
	}

	/**
	 * Cleans submitted patterns: one a line, slashes as on the web, relative to the uploads folder.
	 *
	 * @param string $text Patterns.
	 * @return string
	 */
	public function sanitize( $text ) {
		$lines = array();
		foreach ( preg_split( '/[\r\n]+/', sanitize_textarea_field( $text ) ) as $line ) {
			$lines[] = mb_substr( ltrim( str_replace( '\\', '/', trim( $line ) ), '/' ), 0, 200 );
		}
		return implode( "\n", array_slice( array_unique( array_filter( $lines, 'strlen' ) ), 0, self::MAX ) );
	}

	/**
	 * Returns the patterns as regular expressions. A folder covers all that is in it; a pattern without a folder covers names in all
	 * folders.
	 *
	 * @return string[]
	 */
	private function patterns() {
		$lines = (string) $this->options->all()['skip_names'];
		if ( $this->of === $lines ) {
			return $this->patterns;
		}
		$this->of       = $lines;
		$this->patterns = array();
		foreach ( array_filter( explode( "\n", $lines ), 'strlen' ) as $line ) {
			$literal    = str_replace( '\*', '.*', preg_quote( '/' === substr( $line, -1 ) ? "$line*" : $line, '#' ) );
			$this->patterns[] = '#' . ( false === strpos( $line, '/' ) ? '(?:^|/)' : '^' ) . $literal . '$#iuD';
		}
		return $this->patterns;
	}

	/**
	 * Stores the reason why an attachment could not be optimized.
	 *
	 * @param int      $id       Attachment.
	 * @param WP_Error $error    Reason.
	 * @param string   $settings Of Imagewright_Eligibility::settings(); an empty string for reasons that do not depend on them.
	 */
	public function note_failure( $id, $error, $settings = '' ) {
		$id = $this->state->lead( $id );
		if ( ! $this->index->exists( $id ) ) {
			return;
		}
		$code   = (string) $error->get_error_code();
		$status = 'failed';
		if ( in_array( $code, array( 'imagewright_not_smaller', 'imagewright_hdr' ), true ) ) {
			$status = 'no_gain';
		} elseif ( 'imagewright_excluded' === $code ) {
			$status   = 'excluded';
			$settings = (string) $this->least_bytes();
		} elseif ( in_array( $code, array( 'imagewright_offloaded', 'imagewright_hidden' ), true ) ) {
			$status = 'offloaded';
		} elseif ( in_array( $code, self::UNFIT, true ) ) {
			$status = 'unfit';
		}
		$fields = array(
			'code'    => $code,
			'message' => $error->get_error_message(),
		);
		// An optimized image stays optimized if another attempt fails.
		if ( ! $this->state->get( $id ) ) {
			$fields += array(
				'status'   => $status,
				'settings' => $settings,
				'source'   => $this->source->mark( $id ),
			);
		}
		$this->index->put( $id, $fields );
		// Another request may have deleted it since the first look.
		if ( ! $this->index->exists( $id ) ) {
			$this->index->remove( $id );
		}
	}

	/**
	 * Returns the last failure of an attachment, or null.
	 *
	 * @param int $id Attachment.
	 * @return array{code:string,message:string}|null
	 */
	public function failure( $id ) {
		$row = $this->index->row( $this->state->lead( $id ) );
		return empty( $row['code'] ) ? null : array(
			'code'    => $row['code'],
			'message' => $row['message'],
		);
	}

	/**
	 * Deletes the last failure.
	 *
	 * @param int $id Attachment.
	 */
	public function clear_failure( $id ) {
		$id = $this->state->lead( $id );
		if ( $this->failure( $id ) ) {
			$this->index->put(
				$id,
				array(
					'code'    => '',
					'message' => '',
					'status'  => $this->state->get( $id ) ? 'done' : '',
				)
			);
		}
	}
}
