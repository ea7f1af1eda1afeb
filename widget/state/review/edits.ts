import type { Item, ItemMetadata } from '../types.ts';

/** Texts of an edit in one language. */
type OwnTexts = Partial<Pick<ItemMetadata, 'title' | 'alt'>>;

/** Edits of an image; `texts` holds those of titles and alternative texts in a chosen language. */
export type Edits = { -readonly [Field in keyof ItemMetadata]?: ItemMetadata[Field] } & {
  texts?: { [language: string]: OwnTexts };
};

/** Returns edits of the shown texts as edits of their language. */
export function editsIn({ texts, ...shown }: Edits, language: string | undefined): Edits {
  const { title, alt, ...once } = shown;
  const own = { ...(title === undefined ? {} : { title }), ...(alt === undefined ? {} : { alt }) };
  if (!language || Object.keys(own).length === 0) return texts ? { ...shown, texts } : shown;
  return joinEdits({ ...once, ...(texts ? { texts } : {}) }, { texts: { [language]: own } });
}

/** Adds later edits to earlier ones. */
export function joinEdits(earlier: Edits, later: Edits): Edits {
  if (!later.texts) return { ...earlier, ...later };
  const texts = { ...earlier.texts };
  for (const [language, own] of Object.entries(later.texts)) texts[language] = { ...texts[language], ...own };
  return { ...earlier, ...later, texts };
}

/** Returns the edits of the texts that are shown with a language. */
export function shownEdits({ texts, ...first }: Edits, language: string | undefined): Partial<ItemMetadata> {
  return language ? { ...first, ...texts?.[language] } : first;
}

/** Lists the languages of the images' texts, in their order. */
export function languagesOf(items: readonly Item[]): string[] {
  return [...new Set(items.flatMap(({ texts }) => Object.keys(texts ?? {})))];
}
