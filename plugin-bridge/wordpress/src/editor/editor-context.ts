import { type Rest, RestError } from '../rest.ts';
import { type LibraryImage, type SiteConfig, type Strings, type TextRecord, textOf } from '../site-config.ts';
import { contextOf, type ImageUse } from './image-blocks.ts';
import type { ImageStates } from './image-states.ts';
import { wp } from './wordpress.ts';

/** Shared state of the panels in the editor. */
export interface EditorContext {
  rest: Rest;
  config: SiteConfig;
  states: ImageStates;
  /** Credits that a description costs; null if the service does not tell. */
  price: Promise<number | null>;
}

/** Returns a text in the user's language. */
export function textIn({ config }: EditorContext, key: string, values?: Strings): string {
  return textOf(config, key, values);
}

/** Has an image described for its place in the post and returns the text. @throws RestError */
export async function describeUse({ rest, states }: EditorContext, use: ImageUse & { id: number }): Promise<string> {
  const editor = wp.data.select('core/editor');
  const title = String(editor?.getEditedPostAttribute('title') ?? '');
  const context = contextOf(wp.data.select('core/block-editor').getBlocks(), use.clientId, title);
  const json = { context, usage: use.href ? 'link' : 'informative' };
  const made = await rest.call<{ alt: string; image: LibraryImage }>('POST', `/attachments/${use.id}/describe`, {
    json,
  });
  states.put(made.image);
  return made.alt;
}

/** Sets the alternative text of one use of an image. */
export function setAlt({ clientId, altName }: ImageUse, alt: string): void {
  wp.data.dispatch('core/block-editor').updateBlockAttributes(clientId, { [altName]: alt, isDecorative: undefined });
}

/** Marks one use of an image as decorative or takes the mark back. A decorative image has an empty text and no link. */
export function setDecorative({ clientId, altName }: ImageUse, decorative: boolean): void {
  const attributes = decorative ? { [altName]: '', isDecorative: true } : { isDecorative: undefined };
  wp.data.dispatch('core/block-editor').updateBlockAttributes(clientId, attributes);
}

/** Returns the origin of the text of one use of an image, in words. */
export function originOf(context: EditorContext, use: ImageUse, image: LibraryImage | null): string {
  if (use.decorative) return textIn(context, 'textDecorative');
  if (use.alt === '') return textIn(context, 'textNone');
  const record = recordOf(use.alt, image);
  if (!record) return textIn(context, image?.alt === use.alt ? 'textLibrary' : 'textPost');
  const user = { user: record.user };
  if (record.by === 'user') return textIn(context, 'textUser', user);
  if (record.confirmed) return textIn(context, record.by === 'ai' ? 'textAiConfirmed' : 'textFileConfirmed', user);
  return textIn(context, record.by === 'ai' ? 'textAi' : 'textFile');
}

/** Returns the record of a text. */
export function recordOf(alt: string, image: LibraryImage | null): TextRecord | null {
  return image?.texts.find(({ text }) => text === alt) ?? null;
}

/** Returns the message of an error of a route. @throws any other error */
export function messageOf(error: unknown): string {
  if (!(error instanceof RestError)) throw error;
  return error.message;
}
