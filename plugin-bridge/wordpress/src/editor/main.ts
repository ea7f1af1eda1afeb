// Panels of the block editor: state and text of an image in its block, and images without a text before a post is published.
import { createRest } from '../rest.ts';
import { type LibraryImage, readConfig } from '../site-config.ts';
import type { EditorContext } from './editor-context.ts';
import { GalleryPanel } from './gallery-panel.ts';
import { IMAGE_BLOCKS, useOf } from './image-blocks.ts';
import { ImagePanel } from './image-panel.ts';
import { createImageStates } from './image-states.ts';
import { PrePublishPanel } from './pre-publish.ts';
import { type Block, h, type Rendered, wp } from './wordpress.ts';

const config = readConfig();
const rest = createRest(config);
const context: EditorContext = { rest, config, states: createImageStates(rest, config.strings), price: priceOf() };
/** Blocks in which WordPress itself offers to mark an image as decorative. */
const withDecorative = new Set<string>();
/** Tabs of a block's settings that WordPress shows first, by block. */
const firstTabs = new Map<string, 'content' | 'list'>();

async function priceOf(): Promise<number | null> {
  if (!config.describes || !config.maySpend) return null;
  const json = { imageCount: 1, operation: 'analyze' };
  const answer = await rest.call<{ cost: number }>('POST', '/service/v1/credits/check', { json }).catch(() => null);
  return answer?.cost ?? null;
}

// The response to an upload has the state of its image.
wp.apiFetch.use(async (options, next) => {
  const answer = await next(options);
  const image = (answer as { imagewright?: LibraryImage | null } | null)?.imagewright;
  if (image) context.states.put(image);
  return answer;
});

/** Adds the attribute that WordPress 7.1 has for images to all blocks that show one. */
wp.hooks.addFilter('blocks.registerBlockType', 'imagewright/decorative', (settings: BlockSettings, name: string) => {
  if (settings.supports?.listView) firstTabs.set(name, 'list');
  if (!IMAGE_BLOCKS.includes(name)) return settings;
  if (settings.attributes?.isDecorative) {
    withDecorative.add(name);
    firstTabs.set(name, 'content');
    return settings;
  }
  return { ...settings, attributes: { ...settings.attributes, isDecorative: { type: 'boolean' } } };
});

interface BlockSettings {
  attributes?: Record<string, unknown>;
  supports?: Record<string, unknown>;
}

type BlockProps = Omit<Block, 'innerBlocks'> & { isSelected: boolean };

const withPanel = wp.compose.createHigherOrderComponent(
  (Edit) =>
    (props: BlockProps): Rendered => {
      const panel = props.isSelected ? panelOf(props) : null;
      const body = h(wp.components.PanelBody as never, { title: 'Imagewright', className: 'imagewright-panel' }, panel);
      const group = firstTabs.get(props.name);
      const place = group ? { group } : null;
      // Before the block's own panels, which are longer than a laptop's screen.
      return h(wp.element.Fragment, null, panel && h(wp.blockEditor.InspectorControls, place, body), h(Edit, props));
    },
  'withImagewright',
);
wp.hooks.addFilter('editor.BlockEdit', 'imagewright/panel', withPanel);
wp.plugins.registerPlugin('imagewright', { render: () => h(PrePublishPanel, { context }) });

function panelOf({ clientId, name, attributes }: BlockProps): Rendered {
  if (name === 'core/gallery') return h(GalleryPanel, { context, clientId });
  const use = useOf({ clientId, name, attributes, innerBlocks: [] });
  if (!use?.id) return null;
  return h(ImagePanel, { key: use.id, context, use: { ...use, id: use.id }, hasDecorative: withDecorative.has(name) });
}
