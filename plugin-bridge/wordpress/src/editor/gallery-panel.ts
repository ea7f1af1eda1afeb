import type { EditorContext } from './editor-context.ts';
import { originOf } from './editor-context.ts';
import { type ImageUse, usesIn } from './image-blocks.ts';
import { useKnown } from './image-panel.ts';
import { type Block, h, type Rendered, wp } from './wordpress.ts';

/** Lists the images of a gallery with their states. A click selects the image. */
export function GalleryPanel({ context, clientId }: { context: EditorContext; clientId: string }): Rendered {
  const inner = wp.data.useSelect<Block[]>(
    (select) => select('core/block-editor').getBlock(clientId)?.innerBlocks ?? [],
    [clientId],
  );
  const uses = usesIn(inner).flatMap((use) => (use.id ? [{ ...use, id: use.id }] : []));
  return h(
    'ul',
    { className: 'imagewright-editor-list' },
    ...uses.map((use) => h(GalleryImage, { key: use.clientId, context, use })),
  );
}

function GalleryImage({ context, use }: { context: EditorContext; use: ImageUse & { id: number } }): Rendered {
  const known = useKnown(context, use.id);
  const image = known && 'image' in known ? known.image : null;
  const state = known && 'problem' in known ? known.problem : (image?.statusText ?? '');
  return h(
    'li',
    null,
    h('img', { src: image?.thumb || use.url, alt: '', width: 40, height: 40 }),
    h(
      'span',
      null,
      h(
        wp.components.Button,
        { variant: 'link', onClick: () => wp.data.dispatch('core/block-editor').selectBlock(use.clientId) },
        image?.filename ?? String(use.id),
      ),
      h('span', { role: 'status', 'data-state': image?.picture ?? '', 'data-image': use.id }, state),
      h('em', null, originOf(context, use, image)),
    ),
  );
}
