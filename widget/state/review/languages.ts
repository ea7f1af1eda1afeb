import type { LanguageTexts } from '#contract';
import type { Core } from '../core.ts';
import type { Item, ItemMetadata } from '../types.ts';
import { UNKNOWN } from './in-language.ts';
import type { Review } from './review.ts';

/** Fields of the review that an image has in each language. */
const FIELDS = ['title', 'alt'] as const;

type OwnTexts = { [Field in (typeof FIELDS)[number]]?: string | null };

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

/** Follows the choice of the language. */
export function createLanguages(core: Core, review: Pick<Review, 'forget'>) {
  const { store } = core;
  let { language: shown } = core.settings;
  return {
    /** Shows the texts in the chosen language. */
    refresh() {
      const { language } = core.settings;
      if (language === shown) return;
      showLanguage(store, shown, language);
      // Steps of undo belong to texts that are no longer shown.
      review.forget(store.list().map(({ id }) => id));
      shown = language;
    },
  };
}

/** Shows another language: the shown texts are kept under the former one. */
function showLanguage(store: Core['store'], former: string | undefined, language: string | undefined): void {
  for (const item of store.list()) {
    const [first = ''] = Object.keys(item.texts ?? {});
    if (!item.texts) continue;
    const texts = { ...item.texts, [former ?? first]: shownTexts(item, item.texts[former ?? first]) };
    const { title, alt, source, needsReview } = texts[language ?? first] ?? UNKNOWN;
    const { title: _title, alt: _alt, ...others } = item.origins;
    store.patch(item.id, {
      texts,
      metadata: { ...item.metadata, title, alt: item.metadata.decorative ? '' : alt },
      origins: {
        ...others,
        ...(source.title ? { title: source.title } : {}),
        ...(source.alt ? { alt: source.alt } : {}),
      },
      needsReview: source.alt === 'user' ? [] : needsReview,
    });
  }
}

function shownTexts(
  { metadata: { title, alt }, origins, needsReview }: Item,
  former: LanguageTexts | undefined,
): LanguageTexts {
  const source = { ...former?.source };
  for (const field of FIELDS) {
    const origin = origins[field];
    delete source[field];
    if (origin) source[field] = origin === 'cms' ? 'user' : origin;
  }
  return { caption: null, tags: [], model: null, ...former, title, alt, source, needsReview: [...needsReview] };
}

/** Lists the languages of the images' texts, in their order. */
export function languagesOf(items: readonly Item[]): string[] {
  return [...new Set(items.flatMap(({ texts }) => Object.keys(texts ?? {})))];
}
