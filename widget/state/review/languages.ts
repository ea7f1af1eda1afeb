import type { LanguageTexts } from '#contract';
import type { Core } from '../core.ts';
import type { Item } from '../types.ts';
import { UNKNOWN } from './in-language.ts';
import type { Review } from './review.ts';

/** Fields of the review that an image has in each language. */
const FIELDS = ['title', 'alt'] as const;

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
