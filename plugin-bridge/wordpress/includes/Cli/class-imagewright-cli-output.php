<?php
/**
 * Output of commands.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Prints results of commands, and gives them a user. Apart from the commands, since each public method of these is one.
 */
class Imagewright_Cli_Output {

	/** Permissions of users. */
	private Imagewright_Access $access;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Access $access Permissions of users.
	 */
	public function __construct( Imagewright_Access $access ) {
		$this->access = $access;
	}

	/**
	 * Prints rows. In CSV, a text that a spreadsheet would run as a formula gets an apostrophe, also one with full-width signs.
	 *
	 * @param string                    $format `table`, `json`, `csv` or `yaml`.
	 * @param array<int,array<string,mixed>> $rows   Rows.
	 * @param string[]                  $fields Names of the columns.
	 */
	public function show( $format, $rows, $fields ) {
		$formula = '/^(?:[=+\-@\t\r\n]|\xEF\xBC[\x9D\x8B\x8D\xA0])/';
		foreach ( 'csv' === $format ? $rows : array() as $index => $row ) {
			foreach ( $row as $name => $value ) {
				$rows[ $index ][ $name ] = is_string( $value ) && preg_match( $formula, $value ) ? "'$value" : $value;
			}
		}
		WP_CLI\Utils\format_items( $format, $rows, $fields );
	}

	/** Takes the role of an administrator if no user was given with `--user`. */
	public function become_administrator() {
		if ( 0 === get_current_user_id() ) {
			wp_set_current_user( $this->access->administrator() );
		}
	}
}
