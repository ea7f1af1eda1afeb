<?php
/**
 * Names of replaced backgrounds.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Remembers which file took the place of a background in pages, so that only the first page that shows it asks the database. The option
 * is autoloaded and has MAX entries at most; further backgrounds are asked for on each page.
 */
class Imagewright_Background_Names {

	/** Option: name of the new file by path below the uploads folder; empty if the file is still in use. */
	const OPTION = 'imagewright_backgrounds';

	/** Most entries. */
	const MAX = 300;

	/**
	 * Entries that this page has added.
	 *
	 * @var array<string,string>
	 */
	private $new = array();

	/**
	 * Returns the name of the file that took the place of another.
	 *
	 * @param string   $path Path below the uploads folder.
	 * @param callable $find Finds the name in the database.
	 * @return string Empty if the file was not replaced.
	 */
	public function of( $path, $find ) {
		$known = $this->new + (array) get_option( self::OPTION, array() );
		if ( ! isset( $known[ $path ] ) ) {
			$known[ $path ] = (string) call_user_func( $find );
			if ( ! $this->new ) {
				add_action( 'shutdown', array( $this, 'save' ) );
			}
			$this->new[ $path ] = $known[ $path ];
		}
		return $known[ $path ];
	}

	/** Stores the entries that this page has added, as far as there is room. */
	public function save() {
		$known = (array) get_option( self::OPTION, array() );
		$all   = array_slice( $known + $this->new, 0, self::MAX, true );
		if ( count( $all ) > count( $known ) ) {
			update_option( self::OPTION, $all, true );
		}
	}

	/** Removes all entries after files have changed. */
	public function forget() {
		if ( get_option( self::OPTION ) ) {
			delete_option( self::OPTION );
		}
	}
}
