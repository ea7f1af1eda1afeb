import type { Rig } from './rig.ts';

const PUBLISH = `wp_set_current_user( 1 ); kses_remove_filters();
return get_permalink( wp_insert_post( array( "post_title" => "Page", "post_status" => "publish", "post_content" => wp_slash( $content ) ) ) );`;

/** Publishes a post and returns its address. */
export function publish({ site }: Pick<Rig, 'site'>, content: string): Promise<string> {
  return site.php<string>(PUBLISH, { content });
}

/** Returns the address of a size of an attachment, as WordPress prints it. */
export function urlOf({ site }: Pick<Rig, 'site'>, id: number, size: string): Promise<string> {
  return site.php<string>('return wp_get_attachment_image_url( $id, $size );', { id, size });
}

/** The markup that the editor stores for an image block. */
export function imageBlock(id: number, url: string): string {
  return `<!-- wp:image {"id":${id},"sizeSlug":"large"} --><figure class="wp-block-image size-large"><img src="${url}" alt="" class="wp-image-${id}"/></figure><!-- /wp:image -->`;
}
