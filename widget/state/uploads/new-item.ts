import type { Image, Metadata, Texts } from '#contract';
import { inLanguage } from '../review/in-language.ts';
import { EDITABLE_FIELDS } from '../review/item-questions.ts';
import type { EditableField, FieldOrigin, Item, ItemMetadata } from '../types.ts';
import type { KnownCandidate } from './restrictions.ts';

let count = 0;

const NOTHING_KNOWN: ItemMetadata = { filename: null, title: null, alt: null, decorative: false };

const EMPTY: Omit<Item, 'id' | 'name' | 'relativePath'> = {
  imageId: null,
  clientRef: null,
  file: null,
  url: null,
  size: null,
  type: '',
  status: 'queued',
  progress: 0,
  step: null,
  waiting: null,
  tries: 0,
  image: null,
  metadata: NOTHING_KNOWN,
  texts: null,
  origins: {},
  edited: false,
  needsReview: [],
  analyzed: false,
  saving: 'saved',
  sample: null,
  result: null,
  stale: false,
  replacement: null,
  selected: false,
  focalPoint: null,
  error: null,
};

function newId(): string {
  count += 1;
  return `io-${count}`;
}

/** Returns the number of an item in the order of adding, which is that of the list. */
export const numberOf = ({ id }: Pick<Item, 'id'>): number => Number(id.slice(3));

/** An item without anything but its own id. */
export const emptyItem = (): Item => ({ ...EMPTY, id: newId(), name: '', relativePath: '' });

/** The item of a file or media item that was accepted. */
export function itemOfCandidate(candidate: KnownCandidate): Item {
  const { file, size, name, relativePath, clientRef, url, title, alt } = candidate;
  const texts = { ...(title ? { title } : {}), ...(alt ? { alt } : {}) };
  return {
    ...emptyItem(),
    name,
    relativePath: relativePath || name,
    file,
    url: url ?? null,
    clientRef: clientRef ?? null,
    size,
    type: file?.type ?? '',
    metadata: { ...NOTHING_KNOWN, ...texts },
    origins: Object.fromEntries(Object.keys(texts).map((field) => [field, 'cms'])),
  };
}

/** The item of an image that was found at the server. */
export function itemOfImage(image: Image, language?: string): Item {
  const item: Item = { ...emptyItem(), name: image.originalFilename, relativePath: image.originalFilename };
  return { ...item, ...fromImage(image), ...fromMetadata(item, image.metadata, { texts: image.texts, language }) };
}

/** Returns the properties that an uploaded image adds to its item. */
export function fromImage(image: Image): Partial<Item> {
  const { id, clientRef, size, mimeType } = image;
  const found = { imageId: id, clientRef, size, type: mimeType, image: { ...image, metadata: null } };
  return { ...found, status: 'ready', progress: 1, step: null, waiting: null, error: null };
}

interface TextOptions {
  kept?: readonly string[];
  overwrite?: boolean;
  texts?: Texts | undefined;
  /** Language to show. */
  language?: string | undefined;
}

/**
 * Returns the properties that the service's texts change. Fields in `kept` stay, since they are being edited. A text by a
 * person is only replaced by another text by a person, unless `overwrite` is true.
 */
export function fromMetadata(
  item: Item,
  first: Metadata | null,
  { kept = [], overwrite = false, texts, language }: TextOptions = {},
): Partial<Item> {
  if (!first) return {};
  const found = inLanguage(first, texts, language);
  const values: { [field: string]: string | boolean | null } = { ...item.metadata };
  const origins: { [Field in EditableField]?: FieldOrigin } = { ...item.origins };
  for (const field of EDITABLE_FIELDS) {
    const origin = found.source[field];
    const mine = item.origins[field] === 'user' || item.origins[field] === 'cms';
    if (kept.includes(field) || (mine && origin !== 'user' && !overwrite)) continue;
    const same = values[field] === found[field];
    values[field] = found[field];
    // The server calls a person's what came with the upload; the CMS is the better word for it.
    if (same && item.origins[field] === 'cms') continue;
    if (origin) origins[field] = origin;
    else delete origins[field];
  }
  const accepted = origins.alt === 'user';
  return {
    metadata: values as unknown as ItemMetadata,
    texts: texts ?? null,
    origins,
    needsReview: accepted ? [] : found.needsReview,
    analyzed: item.analyzed || found.aiStatus !== undefined,
  };
}
