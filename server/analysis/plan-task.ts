import { type AiReason, type AiStatus, type AnalyzeOptions, languageTag, type Metadata } from '#contract';
import type { ImageRecord } from '../db/index.ts';
import type { Inspection } from '../processing/index.ts';
import {
  type Described,
  type InLanguages,
  languageTextsOf,
  withFirst,
  withinLanguages,
  withLanguages,
  withTexts,
} from '../sessions/index.ts';
import type { VisionAnswer } from './answer.ts';
import type { ModelAnswer } from './ask-model.ts';
import { describeFromAnswer, isLanguage } from './describe-from-answer.ts';
import { describeFromFile } from './describe-from-file.ts';
import { type Description, mergeMetadata, writableFields } from './merge-metadata.ts';
import { answerIn } from './prompt.ts';

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

/** Findings about an image. */
interface Findings {
  image: ImageRecord;
  inspection: Inspection;
  modelCall: { aiStatus: AiStatus; aiReason?: AiReason | null; model: string | null; promptVersion: string };
  answer: ModelAnswer | null;
}

/** Merges what was found with what is stored, language by language: the metadata of each view. */
export function describeTask({ views, options }: Task, findings: Findings): [Metadata, ...Metadata[]] {
  const [main, ...further] = views;
  const { answer } = findings;
  // A text by a person in any language says that the image is not decorative.
  const isDescribed =
    !options.overwrite && further.some(({ current }) => current?.alt && current.source.alt === 'user');
  const judged = answer && isDescribed ? { ...answer, decorative: false } : answer;
  const first = describeView(main, { ...findings, answer: judged }, options);
  const { decorative, source } = first;
  const others = further.map((view) => {
    // `decorative` does not depend on the language.
    const current = view.current && {
      ...view.current,
      decorative,
      source: withDecorative(view.current.source, source),
    };
    const agreed = judged && { ...judged, decorative: decorative && judged.decorative };
    return describeView({ ...view, current }, { ...findings, answer: agreed }, options, true);
  });
  markRepeated([first, ...others], views);
  return [first, ...others];
}

function withDecorative(own: Metadata['source'], { decorative }: Metadata['source']): Metadata['source'] {
  const { decorative: _, ...source } = own;
  return decorative ? { ...source, decorative } : source;
}

function describeView(
  { language, current }: View,
  { image, inspection, modelCall, answer }: Findings,
  options: Task['options'],
  isFurther = false,
): Metadata {
  const inLanguage = language ? { ...options, language } : options;
  const embedded = (isFurther && language && inspection.translated?.[language]) || inspection.embedded;
  const fromFile = describeFromFile(image, { ...inspection, embedded }, options);
  const own = isFurther && language ? onlyIn(language, fromFile) : fromFile;
  const said: VisionAnswer | null = answer && 'texts' in answer ? answerIn(answer, language ?? '') : answer;
  const description = said ? describeFromAnswer(own, said, inLanguage) : own;
  if (modelCall.aiStatus !== 'none' && !answer) description.review.add('fallback');
  if (answer && !said) description.review.add('missing');
  // Without an answer in this language, its earlier texts stay.
  return mergeMetadata(
    current,
    description,
    options,
    said ? modelCall : { ...modelCall, aiStatus: notSaid(modelCall.aiStatus) },
  );
}

const notSaid = (status: AiStatus): AiStatus => (status === 'completed' ? 'failed' : status);

/** Drops what is not known to be in a language: words of the file name, tags, and texts that name another one. */
function onlyIn(language: string, found: Description): Description {
  const values: Description['values'] = {};
  const source: Description['source'] = {};
  for (const field of ['alt', 'title', 'caption'] as const) {
    const isOwn = found.source[field] === 'user' || isLanguage(found.taggedLanguages[field], language);
    if (!isOwn || found.values[field] === undefined) continue;
    values[field] = found.values[field];
    source[field] = found.source[field] ?? 'embedded';
  }
  if (found.values.decorative !== undefined) Object.assign(values, { decorative: found.values.decorative });
  if (found.source.decorative) source.decorative = found.source.decorative;
  return { ...found, values, source };
}

/** Marks a text of a model that it gave in an earlier language already. */
function markRepeated(results: Metadata[], views: readonly View[]): void {
  const seen = new Map<string, string>();
  for (const [place, { alt, source, needsReview }] of results.entries()) {
    const language = views[place]?.language;
    if (!alt || !language || source.alt !== 'ai') continue;
    const earlier = seen.get(alt);
    if (earlier === undefined) seen.set(alt, language);
    else if (!isLanguage(earlier, language) && !needsReview.includes('language')) needsReview.push('language');
  }
}
