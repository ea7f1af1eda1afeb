import { fileURLToPath } from 'node:url';
import type { Site } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';
import { type Content, contentsOf, type PageType, type Pictures, type UploadedPicture } from './contents.ts';
import { makePictures } from './pictures.ts';

/** Pages with images, and the library that they use. */
export interface BuiltPages {
  pictures: Pictures;
  /** URL of each page type. */
  pages: Record<PageType, string>;
}

const PICTURE = `$sizes = array();
foreach ( array_merge( array( 'full' ), get_intermediate_image_sizes() ) as $name ) {
  $image = wp_get_attachment_image_src( $id, $name );
  if ( 'full' === $name || $image[3] ) { $sizes[ $name ] = array( 'url' => $image[0], 'width' => $image[1], 'height' => $image[2] ); }
}
return array( 'id' => $id, 'sizes' => $sizes );`;

const POST = `wp_set_current_user( 1 );
kses_remove_filters();
$id = wp_insert_post( wp_slash( array( 'post_title' => $title, 'post_name' => sanitize_title( $title ), 'post_status' => 'publish', 'post_type' => $type, 'post_content' => $content ) ), true );
if ( is_wp_error( $id ) ) { throw new Exception( $id->get_error_message() ); }
if ( $thumbnail ) { set_post_thumbnail( $id, $thumbnail ); }
foreach ( $meta as $name => $value ) { update_post_meta( $id, $name, wp_slash( $value ) ); }
return get_permalink( $id );`;

/** Adds the stand-ins for a shop and a page builder, uploads the pictures and creates a page of each type. */
export async function buildPages(site: Site, admin: SiteUser): Promise<BuiltPages> {
  for (const name of ['shop', 'page-builder']) {
    await site.addMuPlugin(fileURLToPath(new URL(`stand-in-${name}.php`, import.meta.url)));
  }
  // WordPress makes the rules for products with the next request.
  await site.php('delete_option( "rewrite_rules" );');
  const pictures: Partial<Pictures> = {};
  for (const { name, bytes, type } of await makePictures()) {
    const id = await admin.upload(name, bytes, type);
    pictures[name] = await site.php<UploadedPicture>(PICTURE, { id });
  }
  const contents: Record<PageType, Content> = contentsOf(pictures as Pictures);
  const pages: Partial<BuiltPages['pages']> = {};
  for (const [title, { content, type = 'post', thumbnail = 0, meta = {} }] of Object.entries(contents)) {
    pages[title as PageType] = await site.php<string>(POST, { title, content, type, thumbnail, meta });
  }
  return { pictures: pictures as Pictures, pages: pages as BuiltPages['pages'] };
}
