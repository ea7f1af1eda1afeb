import type { LibraryImage } from '../site-config.ts';
import { describeUse, type EditorContext, messageOf, setAlt, setDecorative, textIn } from './editor-context.ts';
import { type ImageUse, usesIn } from './image-blocks.ts';
import { describeLabel, useKnown, usePrice } from './image-panel.ts';
import { h, type Rendered, wp } from './wordpress.ts';

/** Lists the images of the post without alternative text before it is published. */
export function PrePublishPanel({ context }: { context: EditorContext }): Rendered {
  const Panel = wp.editor?.PluginPrePublishPanel ?? wp.editPost?.PluginPrePublishPanel;
  const blocks = wp.data.useSelect((select) => select('core/block-editor').getBlocks(), []);
  const featured = wp.data.useSelect(
    (select) => Number(select('core/editor')?.getEditedPostAttribute('featured_media')),
    [],
  );
  const known = useKnown(context, featured || 0);
  const missing = usesIn(blocks).filter(({ alt, decorative }) => alt === '' && !decorative);
  if (known && 'image' in known && known.image.alt === '') missing.push(featuredUse(known.image));
  if (!Panel) return null;
  const n = String(missing.length);
  const title = textIn(context, missing.length > 0 ? 'missingTitle' : 'missingNone', { n });
  return h(
    Panel,
    { className: 'imagewright-pre-publish', icon: '', title, initialOpen: missing.length > 0 },
    missing.length > 0 && h('p', null, textIn(context, 'missingHelp')),
    missing.length > 0 && !context.config.describes && h('p', null, textIn(context, 'noDescribe')),
    h(
      'ul',
      { className: 'imagewright-editor-list' },
      ...missing.map((use) => h(Missing, { key: use.clientId, context, use })),
    ),
  );
}

/** The featured image of a post. Its text is that of the library. */
function featuredUse({ id, url }: LibraryImage): ImageUse {
  return { ...{ clientId: '', block: '', altName: '', alt: '', href: '', decorative: false }, id, url };
}

function Missing({ context, use }: { context: EditorContext; use: ImageUse }): Rendered {
  const [busy, setBusy] = wp.element.useState(false);
  const [problem, setProblem] = wp.element.useState('');
  const price = usePrice(context);
  const { id, href } = use;
  const { describes, maySpend } = context.config;
  const describe = async () => {
    if (!id) return;
    setBusy(true);
    setProblem('');
    try {
      const alt = await describeUse(context, { ...use, id });
      if (use.clientId) setAlt(use, alt);
      else setBusy(false);
    } catch (error) {
      setBusy(false);
      setProblem(messageOf(error));
    }
  };
  const button = (key: string, onClick: () => void, label = textIn(context, key)) =>
    h(
      wp.components.Button,
      { variant: 'secondary', size: 'small', disabled: busy, isBusy: busy && key === 'describe', onClick },
      label,
    );
  return h(
    'li',
    null,
    h('img', { src: use.url, alt: '', width: 40, height: 40 }),
    h(
      'span',
      null,
      h('span', null, nameOf(use)),
      h(
        'span',
        { className: 'imagewright-editor-buttons' },
        button('goTo', () => goTo(use)),
        id !== null &&
          describes &&
          maySpend &&
          price !== undefined &&
          button('describe', () => void describe(), describeLabel(context, price)),
        use.clientId !== '' && href === '' && button('markDecorative', () => setDecorative(use, true)),
      ),
      problem && h('span', { className: 'imagewright-bad', role: 'alert' }, problem),
    ),
  );
}

/** Returns the name of the file that a block shows. */
function nameOf({ url }: ImageUse): string {
  const name = url.split(/[?#]/)[0]?.split('/').pop() ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    // An address from elsewhere may hold a percent sign of its own.
    return name;
  }
}

/** Shows an image: selects its block, or opens the settings of the post. */
function goTo({ clientId }: ImageUse): void {
  if (clientId) wp.data.dispatch('core/block-editor').selectBlock(clientId);
  else wp.data.dispatch('core/edit-post')?.openGeneralSidebar?.('edit-post/document');
}
