<?php
/**
 * Images that the settings exclude.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Leaves images out of what happens to many at once, new uploads and runs over the library: by size of the file, name or folder.
 * Images that a user chooses are not excluded.
 */
class Imagewright_Exclusions {

	/** Most patterns. */
	const MAX = 50;

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

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Options $options Settings.
	 * @param Imagewright_Source  $source  Source files of attachments.
	 */
	public function __construct( Imagewright_Options $options, Imagewright_Source $source ) {
		$this->options = $options;
		$this->source  = $source;
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
}
