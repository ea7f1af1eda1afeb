<?php
/**
 * Audit of the texts of a site.
 *
 * @package Imagewright
 */

defined( 'ABSPATH' ) || exit;

/**
 * Finds images whose alternative text is missing, looks like a file name or is that of others, and linked images without any text
 * in posts. Works in parts by key: a site may have 50,000 images.
 */
class Imagewright_Audit {

	/** Problems that are found. */
	const PROBLEMS = array( 'missing', 'file_name', 'duplicate', 'linked_empty' );

	/** Attachments of a part. */
	const ATTACHMENTS = 500;

	/** Posts of a part. */
	const POSTS = 50;

	/** Names of cameras, phones and programs. */
	const NAMES = '/^(img|dsc[fn]?|dcim|p|pxl|mvi|gopr|screen ?shot|screenshot|scan|image|photo|picture|foto|bild|untitled|unnamed|whatsapp image)[ _-]*\d/i';

	/** Delivery by `<picture>`. */
	private Imagewright_Picture $picture;
	/** Alternative text and title of an attachment, and who wrote them. */
	private Imagewright_Texts $texts;
	/** Languages of a site. */
	private Imagewright_Site_Languages $site_languages;

	/**
	 * Takes what it works with.
	 *
	 * @param Imagewright_Picture        $picture        Delivery by `<picture>`.
	 * @param Imagewright_Texts          $texts          Alternative text and title of an attachment, and who wrote them.
	 * @param Imagewright_Site_Languages $site_languages Languages of a site.
	 */
	public function __construct(
		Imagewright_Picture $picture,
		Imagewright_Texts $texts,
		Imagewright_Site_Languages $site_languages
	) {
		$this->picture        = $picture;
		$this->texts          = $texts;
		$this->site_languages = $site_languages;
	}

	/**
	 * Audits the next part of the site: attachments first, then posts.
	 *
	 * @param string $cursor Of the part before; an empty string for the first.
	 * @return array{findings:array<int,array>,cursor:string,looked:int} `cursor` is empty after the last part.
	 */
	public function batch( $cursor ) {
		list( $kind, $after ) = array_pad( explode( ':', $cursor, 2 ), 2, '0' );
		return 'posts' === $kind ? $this->posts( (int) $after ) : $this->attachments( (int) $after );
	}

	/**
	 * Audits attachments.
	 *
	 * @param int $after Lists only ids above this one.
	 * @return array Of batch().
	 */
	private function attachments( $after ) {
		global $wpdb;
		$sql  = "SELECT p.ID AS id, p.post_title AS title, f.meta_value AS file, a.meta_value AS alt FROM $wpdb->posts p
			LEFT JOIN $wpdb->postmeta f ON f.post_id = p.ID AND f.meta_key = '_wp_attached_file'
			LEFT JOIN $wpdb->postmeta a ON a.post_id = p.ID AND a.meta_key = %s
			WHERE p.post_type = 'attachment' AND p.post_mime_type LIKE %s AND p.ID > %d ORDER BY p.ID LIMIT %d";
		$rows = $wpdb->get_results( $wpdb->prepare( $sql, Imagewright_Texts::ALT, 'image/%', $after, self::ATTACHMENTS ), ARRAY_A ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- names of tables only.
		$same = $this->duplicates( array_filter( array_map( 'strval', array_column( $rows, 'alt' ) ), 'strlen' ) );
		$list = array();
		foreach ( $rows as $row ) {
			$alt     = trim( (string) $row['alt'] );
			$problem = $this->problem( $alt, (string) $row['file'] );
			$problem = '' === $problem && isset( $same[ mb_strtolower( $alt ) ] ) ? 'duplicate' : $problem;
			if ( '' !== $problem ) {
				$list[] = $this->finding( $problem, (int) $row['id'], 0, $alt, wp_basename( (string) $row['file'] ) );
			}
		}
		return array(
			'findings' => $this->allowed( $list ),
			'cursor'   => count( $rows ) < self::ATTACHMENTS ? 'posts:0' : 'attachments:' . max( array_map( 'intval', array_column( $rows, 'id' ) ) ),
			'looked'   => count( $rows ),
		);
	}

	/**
	 * Audits the images in posts.
	 *
	 * @param int $after Lists only ids above this one.
	 * @return array Of batch().
	 */
	private function posts( $after ) {
		global $wpdb;
		$types = array_diff( array_merge( get_post_types( array( 'public' => true ) ), array( 'wp_block', 'wp_template', 'wp_template_part' ) ), array( 'attachment' ) );
		$marks = implode( ',', array_fill( 0, count( $types ), '%s' ) );
		$sql   = "SELECT ID AS id, post_title AS title, post_content AS content FROM $wpdb->posts WHERE post_type IN ($marks) AND post_status NOT IN ('trash','auto-draft') AND post_content LIKE %s AND ID > %d ORDER BY ID LIMIT %d";
		$rows  = $wpdb->get_results( $wpdb->prepare( $sql, array_merge( array_values( $types ), array( '%<img%', $after, self::POSTS ) ) ), ARRAY_A ); // phpcs:ignore WordPress.DB.PreparedSQL.NotPrepared -- placeholders only.
		$list  = array();
		foreach ( $rows as $row ) {
			foreach ( $this->in_content( (string) $row['content'] ) as list( $problem, $attachment, $alt, $name ) ) {
				$list[] = $this->finding( $problem, $attachment, (int) $row['id'], $alt, $name );
			}
		}
		return array(
			'findings' => $this->allowed( $list ),
			'cursor'   => count( $rows ) < self::POSTS ? '' : 'posts:' . max( array_map( 'intval', array_column( $rows, 'id' ) ) ),
			'looked'   => count( $rows ),
		);
	}

	/**
	 * Finds images without an `alt` attribute, and links that contain nothing but images without a text.
	 *
	 * @param string $html Content of a post.
	 * @return array<int,array{0:string,1:int,2:string,3:string}> Problem, attachment (0 if unknown), text, file name.
	 */
	private function in_content( $html ) {
		$found = array();
		preg_match_all( '/<img\s[^>]*>/i', $html, $tags );
		foreach ( $tags[0] as $tag ) {
			if ( ! preg_match( '/\salt\s*=/i', $tag ) && ! preg_match( '/\salt[\s\/>]/i', $tag ) ) {
				$found[] = array_merge( array( 'missing' ), $this->image( $tag ) );
			} else {
				$image   = $this->image( $tag );
				$problem = '' === $image[1] ? '' : $this->problem( $image[1], $image[2] );
				if ( '' !== $problem ) {
					$found[] = array_merge( array( $problem ), $image );
				}
			}
		}
		preg_match_all( '#<a\s[^>]*>(.*?)</a>#is', $html, $links, PREG_SET_ORDER );
		foreach ( $links as list( $link, $inner ) ) {
			preg_match_all( '/<img\s[^>]*>/i', $inner, $tags );
			$images = array_map( array( $this, 'image' ), $tags[0] );
			$named  = trim( html_entity_decode( wp_strip_all_tags( $inner ), ENT_QUOTES, 'UTF-8' ) ) . trim( implode( '', array_column( $images, 1 ) ) ) . $this->picture->attribute( strtok( $link, '>' ), 'aria-label' );
			if ( $images && '' === $named ) {
				$found[] = array_merge( array( 'linked_empty' ), $images[0] );
			}
		}
		return $found;
	}

	/**
	 * Reads an `img`.
	 *
	 * @param string $tag Tag.
	 * @return array{0:int,1:string,2:string} Attachment (0 if unknown), text, file name.
	 */
	private function image( $tag ) {
		$id = preg_match( '/wp-image-(\d+)/', $tag, $class ) ? (int) $class[1] : 0;
		return array( $id, trim( $this->picture->attribute( $tag, 'alt' ) ), rawurldecode( wp_basename( (string) strtok( $this->picture->attribute( $tag, 'src' ), '?' ) ) ) );
	}

	/**
	 * Returns the problem of a text by itself; empty if there is none.
	 *
	 * @param string $alt  Text.
	 * @param string $file File of the image.
	 * @return string `missing`, `file_name`, or empty.
	 */
	private function problem( $alt, $file ) {
		if ( '' === $alt ) {
			return 'missing';
		}
		$has_extension = preg_match( '/\.(jpe?g|png|gif|webp|avif|heic|tiff?|bmp|svg)$/i', $alt );
		// One word with digits or underscores, or the words of the file name with its number.
		$is_code = preg_match( '/^\S*[\d_]\S*$/u', $alt ) && preg_match( '/[A-Za-z]/', $alt ) && strlen( $alt ) > 5;
		$is_name = preg_match( '/[\d_]/', $alt ) && $this->texts->is_automatic_title( $alt, wp_basename( $file ) );
		return $has_extension || $is_code || $is_name || preg_match( self::NAMES, $alt ) ? 'file_name' : '';
	}

	/**
	 * Returns those of some texts that several images have.
	 *
	 * @param string[] $texts Texts.
	 * @return array<string,true> By text in lower case: databases compare without regard to case.
	 */
	private function duplicates( $texts ) {
		global $wpdb;
		$texts = array_values( array_unique( $texts ) );
		if ( ! $texts ) {
			return array();
		}
		$marks = implode( ',', array_fill( 0, count( $texts ), '%s' ) );
		$rows  = $wpdb->get_results( $wpdb->prepare( "SELECT meta_value AS alt, COUNT(*) AS n FROM $wpdb->postmeta WHERE meta_key = %s AND meta_value IN ($marks) GROUP BY meta_value", array_merge( array( Imagewright_Texts::ALT ), $texts ) ), ARRAY_A ); // phpcs:ignore WordPress.DB.PreparedSQL.InterpolatedNotPrepared, WordPress.DB.PreparedSQLPlaceholders.UnfinishedPrepare -- placeholders only.
		$same  = array();
		foreach ( $rows as $row ) {
			if ( (int) $row['n'] > 1 ) {
				$same[ mb_strtolower( trim( $row['alt'] ) ) ] = true;
			}
		}
		return $same;
	}

	/**
	 * Builds a finding.
	 *
	 * @param string $problem    Of PROBLEMS.
	 * @param int    $attachment Attachment; 0 if unknown.
	 * @param int    $post       Post that shows the image; 0 for the library.
	 * @param string $text       Text.
	 * @param string $file       File name.
	 * @return array{problem:string,attachment:int,post:int,text:string,file:string}
	 */
	private function finding( $problem, $attachment, $post, $text, $file ) {
		return compact( 'problem', 'attachment', 'post', 'text', 'file' );
	}

	/**
	 * Leaves out what the current user may not change, and adds language, title and address to change the rest.
	 *
	 * @param array<int,array> $findings Findings.
	 * @return array<int,array>
	 */
	private function allowed( $findings ) {
		$place = static function ( $finding ) {
			return $finding['post'] > 0 ? $finding['post'] : $finding['attachment'];
		};
		_prime_post_caches( array_unique( array_map( $place, $findings ) ), false, false );
		$allowed = array();
		foreach ( $findings as $finding ) {
			if ( current_user_can( 'edit_post', $place( $finding ) ) ) {
				$allowed[] = $finding + array(
					'language' => $this->site_languages->of( $place( $finding ) ),
					'title'    => html_entity_decode( get_post( $place( $finding ) )->post_title, ENT_QUOTES, 'UTF-8' ),
					'edit'     => (string) get_edit_post_link( $place( $finding ), 'raw' ),
				);
			}
		}
		return $allowed;
	}
}
