import { type AnalyzeOptions, languageTag, type Metadata } from '#contract';
import type { ImageRecord } from '../db/index.ts';
import {
  type Described,
  type InLanguages,
  languageTextsOf,
  withFirst,
  withinLanguages,
  withLanguages,
  withTexts,
} from '../sessions/index.ts';
import { writableFields } from './merge-metadata.ts';

/** Stored texts of one language, as metadata, before an analysis. */
export interface View {
  /** Null: the language of the answer. */
  language: string | null;
  current: Metadata | null;
}

/** Texts that one image needs. */
export interface Task {
  options: AnalyzeOptions;
  /** In the order of the languages; more than one only with `options.languages`. */
  views: [View, ...View[]];
  /** Puts the results together, in the order of the views. */
  compose(results: [Metadata, ...Metadata[]]): NewlyDescribed;
}

/** Texts that replace the stored ones. */
export type NewlyDescribed = Described & { metadata: Metadata };

type Stored = Pick<ImageRecord, 'metadata' | 'texts'>;

/**
 * Returns the options for one image. An image with texts by language that is to be described in one language without a name gets
 * texts in its first one.
 */
export function optionsFor({ texts }: Pick<Stored, 'texts'>, options: AnalyzeOptions): AnalyzeOptions {
  return texts && !options.languages && !options.language ? { ...options, language: texts.first } : options;
}

/** Plans the description of one image in one language, or in several. */
export function planTask(image: Stored, given: AnalyzeOptions): Task {
  const options = optionsFor(image, given);
  const { languages } = options;
  if (languages) return planLanguages(image, options, languages);
  const language = languageTag(options.language ?? null);
  if (!image.texts || language === null) {
    const { metadata: current } = image;
    return { options, views: [{ language: null, current }], compose: ([metadata]) => ({ metadata }) };
  }
  return planLanguages(image, options, [language]);
}

function planLanguages(image: Stored, options: AnalyzeOptions, languages: readonly string[]): Task {
  const [first = '', ...further] = languages;
  const stored = withFirst(withLanguages(image, first), first);
  const current = (language: string) => withTexts(stored.metadata, language, stored.texts.others[language]);
  return {
    options,
    views: [
      { language: first, current: stored.metadata },
      ...further.map((language) => ({ language, current: current(language) })),
    ],
    compose: ([main, ...results]) => compose(stored, languages, main, results),
  };
}

function compose(
  { texts }: InLanguages,
  languages: readonly string[],
  main: Metadata,
  results: Metadata[],
): NewlyDescribed {
  const [first = '', ...further] = languages;
  const others = { ...texts.others };
  for (const [place, result] of results.entries()) {
    const language = further[place];
    if (language) others[language] = languageTextsOf(result);
  }
  return { metadata: { ...main, language: first }, texts: { first, others: withinLanguages(others, languages) } };
}

/** True if the model could fill a field that is neither protected nor decided. */
export function isWorthAsking({ views, options }: Pick<Task, 'views' | 'options'>): boolean {
  const decided: string[] = options.usage === 'decorative' ? ['language', 'alt', 'decorative'] : ['language'];
  return views.some(({ current }) => [...writableFields(current, options)].some((field) => !decided.includes(field)));
}
