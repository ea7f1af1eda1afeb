<?php
/**
 * Only for tests: makes one write of a replacement or restoration fail, counted from 1. `IMAGEWRIGHT_TEST_WRITES` says which and how:
 * `3 crash` ends PHP before the third change of the uploads folder or of the records of media; `3 full` fails the third and later new file
 * there, as a full disk does.
 */
defined( 'ABSPATH' ) || exit;

/** Files as PHP has them, whose writes below the uploads folder may fail. */
class Imagewright_Test_Files {
	/** @var resource|null */
	public $context;
	/** @var resource */
	private $handle;
	/** @var int Writes until the one that fails. */
	private static $left = 0;
	/** @var string */
	private static $how = '';
	/** @var string */
	private static $folder = '';

	/** Starts to count. */
	public static function start() {
		list( $left, self::$how ) = explode( ' ', IMAGEWRIGHT_TEST_WRITES );
		self::$left               = (int) $left;
		self::$folder             = realpath( wp_get_upload_dir()['basedir'] ) . '/';
		self::watch();
		if ( 'crash' === self::$how ) {
			add_filter(
				'query',
				static function ( $query ) {
					global $wpdb;
					if ( preg_match( "/^\s*(INSERT|UPDATE|DELETE|REPLACE)\b.{0,30}\b({$wpdb->prefix}imagewright|$wpdb->posts|$wpdb->postmeta)\b/is", $query ) ) {
						self::fails();
					}
					return $query;
				}
			);
		}
	}

	/** Counts a change. True: it has to fail. */
	private static function fails( $takes_space = false ) {
		if ( 'full' === self::$how && ! $takes_space ) {
			return false;
		}
		--self::$left;
		if ( self::$left <= 0 && 'crash' === self::$how ) {
			// Nothing that was to be done at the end is done, as when a process is killed.
			global $wp_filter;
			$wp_filter = array();
			http_response_code( 500 );
			exit;
		}
		return self::$left <= 0;
	}

	private static function watch() {
		stream_wrapper_unregister( 'file' );
		stream_wrapper_register( 'file', __CLASS__ );
	}

	/** Does a work with the files of PHP. */
	private static function plainly( $work, ...$arguments ) {
		stream_wrapper_restore( 'file' );
		try {
			return $work( ...$arguments );
		} finally {
			self::watch();
		}
	}

	/** Does a work that changes a path, unless it has to fail. */
	private static function change( $path, $work, ...$arguments ) {
		return 0 === strpos( $path, self::$folder ) && self::fails() ? false : self::plainly( $work, ...$arguments );
	}

	/** Does a work that makes a file, unless it has to fail. */
	private static function create( $path, $work, ...$arguments ) {
		return 0 === strpos( $path, self::$folder ) && self::fails( true ) ? false : self::plainly( $work, ...$arguments );
	}

	public function stream_open( $path, $mode, $options, &$opened ) {
		$open = static function () use ( $path, $mode, $options ) {
			return $options & STREAM_REPORT_ERRORS ? fopen( $path, $mode, (bool) ( $options & STREAM_USE_PATH ) ) : @fopen( $path, $mode, (bool) ( $options & STREAM_USE_PATH ) );
		};
		$this->handle = 'r' === $mode[0] && false === strpos( $mode, '+' ) ? self::plainly( $open ) : self::create( $path, $open );
		return (bool) $this->handle;
	}

	public function stream_read( $count ) {
		return fread( $this->handle, $count );
	}

	public function stream_write( $bytes ) {
		return fwrite( $this->handle, $bytes );
	}

	public function stream_eof() {
		return feof( $this->handle );
	}

	public function stream_tell() {
		return ftell( $this->handle );
	}

	public function stream_seek( $offset, $whence ) {
		return 0 === fseek( $this->handle, $offset, $whence );
	}

	public function stream_flush() {
		return fflush( $this->handle );
	}

	public function stream_stat() {
		return fstat( $this->handle );
	}

	public function stream_lock( $operation ) {
		return 0 === $operation || flock( $this->handle, $operation );
	}

	public function stream_truncate( $size ) {
		return ftruncate( $this->handle, $size );
	}

	public function stream_set_option( $option, $one, $two ) {
		return false;
	}

	public function stream_metadata( $path, $option, $value ) {
		switch ( $option ) {
			case STREAM_META_TOUCH:
				return self::change( $path, 'touch', $path, ...$value );
			case STREAM_META_ACCESS:
				return self::change( $path, 'chmod', $path, $value );
			default:
				return false;
		}
	}

	public function url_stat( $path, $flags ) {
		return self::plainly(
			static function () use ( $path, $flags ) {
				return $flags & STREAM_URL_STAT_LINK ? @lstat( $path ) : @stat( $path );
			}
		);
	}

	public function rename( $from, $to ) {
		return self::create( $to, 'rename', $from, $to );
	}

	public function unlink( $path ) {
		return self::change( $path, 'unlink', $path );
	}

	public function mkdir( $path, $mode, $options ) {
		return self::create( $path, 'mkdir', $path, $mode, (bool) ( $options & STREAM_MKDIR_RECURSIVE ) );
	}

	public function rmdir( $path, $options ) {
		return self::change( $path, 'rmdir', $path );
	}

	public function dir_opendir( $path, $options ) {
		$this->handle = self::plainly( 'opendir', $path );
		return (bool) $this->handle;
	}

	public function dir_readdir() {
		return readdir( $this->handle );
	}

	public function dir_rewinddir() {
		rewinddir( $this->handle );
		return true;
	}

	public function dir_closedir() {
		closedir( $this->handle );
		return true;
	}
}

add_filter(
	'rest_pre_dispatch',
	static function ( $result, $server, $request ) {
		if ( defined( 'IMAGEWRIGHT_TEST_WRITES' ) && preg_match( '#^/imagewright/v1/attachments/\d+/(replace|restore)$#', $request->get_route() ) ) {
			Imagewright_Test_Files::start();
		}
		return $result;
	},
	10,
	3
);
