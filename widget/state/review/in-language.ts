import type { LanguageTexts, Metadata, Texts } from '#contract';

/** Texts of a language that an image has none in. */
export const UNKNOWN: Pick<LanguageTexts, 'title' | 'alt' | 'source' | 'needsReview'> = {
  title: null,
  alt: null,
  source: {},
  needsReview: [],
};

/** Returns metadata with the texts of a language; unchanged without one, or without texts by language. */
export function inLanguage(first: Metadata, texts: Texts | undefined, language: string | undefined): Metadata {
  if (!texts || !language) return first;
  const { title, alt, source, needsReview } = texts[language] ?? { ...UNKNOWN, alt: first.decorative ? '' : null };
  const { title: _title, alt: _alt, ...others } = first.source;
  return { ...first, title, alt, needsReview, source: { ...others, ...source } };
}
