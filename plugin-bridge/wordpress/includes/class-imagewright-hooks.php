<?php
/**
 * Hooks of WordPress.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Registers callbacks whose object is made when WordPress calls it first: pages for visitors need few of them.
 */
class Imagewright_Hooks {

	/**
	 * Returns the object of a class.
	 *
	 * @var callable
	 */
	private $objects;

	/**
	 * Takes what it works with.
	 *
	 * @param callable $objects Returns the object of a class.
	 */
	public function __construct( callable $objects ) {
		$this->objects = $objects;
	}

	/**
	 * Adds a filter.
	 *
	 * @param string                   $name      Hook.
	 * @param array{0:string,1:string} $callback  Class and method.
	 * @param int                      $priority  Priority.
	 * @param int                      $arguments Arguments that the method takes.
	 */
	public function filter( $name, $callback, $priority = 10, $arguments = 1 ) {
		add_filter( $name, $this->lazy( $callback ), $priority, $arguments );
	}

	/**
	 * Adds an action.
	 *
	 * @param string                   $name      Hook.
	 * @param array{0:string,1:string} $callback  Class and method.
	 * @param int                      $priority  Priority.
	 * @param int                      $arguments Arguments that the method takes.
	 */
	public function action( $name, $callback, $priority = 10, $arguments = 1 ) {
		add_action( $name, $this->lazy( $callback ), $priority, $arguments );
	}

	/**
	 * Calls a method when a field of a post's metadata was written, with the id of the post and true if the post did not have the field.
	 *
	 * @param string                   $key      Name of the field.
	 * @param array{0:string,1:string} $callback Class and method.
	 * @param int                      $priority Priority.
	 */
	public function metadata( $key, $callback, $priority ) {
		$lazy  = $this->lazy( $callback );
		$check = static function ( $meta_id, $id, $written ) use ( $key, $lazy ) {
			if ( $key === $written ) {
				$lazy( $id, 'added_post_meta' === current_filter() );
			}
		};
		add_action( 'added_post_meta', $check, $priority, 3 );
		add_action( 'updated_post_meta', $check, $priority, 3 );
	}

	/**
	 * Calls a method when the plugin is activated.
	 *
	 * @param array{0:string,1:string} $callback Class and method.
	 */
	public function activation( $callback ) {
		register_activation_hook( IMAGEWRIGHT_FILE, $this->lazy( $callback ) );
	}

	/**
	 * Calls a method when the plugin is deactivated.
	 *
	 * @param array{0:string,1:string} $callback Class and method.
	 */
	public function deactivation( $callback ) {
		register_deactivation_hook( IMAGEWRIGHT_FILE, $this->lazy( $callback ) );
	}

	/**
	 * Returns a function that makes the object and calls its method.
	 *
	 * @param array{0:string,1:string} $callback Class and method.
	 * @return callable
	 */
	private function lazy( $callback ) {
		return function ( ...$arguments ) use ( $callback ) {
			return ( $this->objects )( $callback[0] )->{$callback[1]}( ...$arguments );
		};
	}
}
