import type { Block } from './wordpress.ts';

/** Longest part of a neighbouring text in the context, in UTF-16 code units. */
const MAX_PARAGRAPH = 300;

/** Blocks that show one image, and their attributes. */
const KINDS: Record<string, { id: string; alt: string; url: string }> = {
  'core/image': { id: 'id', alt: 'alt', url: 'url' },
  'core/cover': { id: 'id', alt: 'alt', url: 'url' },
  'core/media-text': { id: 'mediaId', alt: 'mediaAlt', url: 'mediaUrl' },
};

/** Names of blocks that show one image. */
export const IMAGE_BLOCKS = Object.keys(KINDS);

/** One use of an image in a post. */
export interface ImageUse {
  clientId: string;
  block: string;
  /** Attachment; null for an image from elsewhere. */
  id: number | null;
  url: string;
  alt: string;
  /** The attribute that holds the alternative text. */
  altName: string;
  decorative: boolean;
  /** Target of the link around it; empty if there is none. */
  href: string;
}

/** Returns the use of an image by a block; null if it shows none. */
export function useOf({ clientId, name, attributes }: Block): ImageUse | null {
  const kind = KINDS[name];
  if (!kind) return null;
  const url = raw(attributes[kind.url]);
  const isVideo = attributes.backgroundType === 'video' || attributes.mediaType === 'video';
  if (isVideo || attributes.useFeaturedImage === true || !/^(https?:)?\//.test(url)) return null;
  return {
    ...{ clientId, block: name, url, altName: kind.alt },
    id: Number(attributes[kind.id]) || null,
    alt: raw(attributes[kind.alt]),
    decorative: attributes.isDecorative === true,
    href: attributes.linkDestination === 'custom' || name === 'core/media-text' ? raw(attributes.href) : '',
  };
}

/** Lists all blocks in the order of the document. */
function flatten(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => [block, ...flatten(block.innerBlocks)]);
}

/** Lists the uses of images in a post. */
export function usesIn(blocks: readonly Block[]): ImageUse[] {
  return flatten(blocks).flatMap((block) => useOf(block) ?? []);
}

/**
 * Describes the page around a block for a model: title, heading, paragraphs before and after, caption and link. The service takes
 * up to 1,000 characters.
 */
export function contextOf(blocks: readonly Block[], clientId: string, title: string): string {
  const all = flatten(blocks);
  const place = all.findIndex((block) => block.clientId === clientId);
  const before = all.slice(0, Math.max(0, place)).reverse();
  const after = all.slice(place + 1);
  const own = all[place];
  const nearest = (list: Block[], ...names: string[]) => {
    for (const block of list) {
      const words = names.includes(block.name) ? text(block.attributes.content) : '';
      if (words) return words.slice(0, MAX_PARAGRAPH);
    }
    return '';
  };
  const lines = {
    Page: title,
    Section: nearest(before, 'core/heading'),
    Caption: text(own?.attributes.caption),
    Link: (own && useOf(own)?.href) || '',
    'Text before': nearest(before, 'core/paragraph', 'core/list-item'),
    'Text after': nearest(after, 'core/paragraph', 'core/list-item'),
  };
  const found = Object.entries(lines).filter(([, words]) => words !== '');
  return found.map(([name, words]) => `${name}: ${words}`).join('\n');
}

function raw(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Returns the plain text of an attribute: a string, or the rich text of an editor. */
function text(value: unknown): string {
  const html = raw(value);
  const isPlain = !/[<&]/.test(html);
  const plain = isPlain ? html : (new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '');
  return plain.replace(/\s+/g, ' ').trim();
}
