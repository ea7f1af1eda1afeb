import { z } from 'zod';
import { LANGUAGE_FIELDS, type LanguageField, languageTag, pickFields, serveLanguage } from '#contract';
import { closedSchema, fieldsBy, type ParsedAnswer, parseAs, type VisionAnswer } from './answer.ts';

/** Fields of an answer that concern the image, whatever the language. */
const ONCE = ['kind', 'decorative', 'filename', 'textInImage', 'people'] as const;
type OnceField = (typeof ONCE)[number];

type AnswerTexts = Pick<VisionAnswer, LanguageField>;

/** A model's parsed answer in several languages; `texts` holds those that it gave, by their canonical tag. */
export type TranslatedAnswer = Pick<VisionAnswer, OnceField> & { texts: Record<string, AnswerTexts> };

const PARSED = fieldsBy('parsed');
const textsSchema = z.object(pickFields(PARSED, LANGUAGE_FIELDS));

/** Returns the JSON Schema of an answer in several languages: each one is required. */
export function translatedSchema(languages: readonly string[]): Record<string, unknown> {
  const json = fieldsBy('json');
  const texts = closedSchema(pickFields(json, LANGUAGE_FIELDS));
  return closedSchema({
    ...pickFields(json, ONCE),
    texts: closedSchema(Object.fromEntries(languages.map((tag) => [tag, texts]))),
  });
}

/** Parses a model's reply in several languages. A language without usable texts is left out; a reply without any is unusable. */
export function parseTranslated(text: string, languages: readonly string[]): ParsedAnswer<TranslatedAnswer> {
  const texts = z.preprocess(byLanguage, z.record(z.string(), z.unknown())).transform((given, context) => {
    const found = textsOf(given, languages);
    if (Object.keys(found).length > 0) return found;
    context.addIssue({ code: 'custom', message: `expected texts in ${languages.join(', ')}` });
    return z.NEVER;
  });
  return parseAs(text, z.object({ ...pickFields(PARSED, ONCE), texts }));
}

/** Returns the answer in one language; null if the model gave none. */
export function answerIn({ texts, ...once }: TranslatedAnswer, language: string): VisionAnswer | null {
  const found = texts[language];
  return found ? { ...once, ...found, language } : null;
}

/** Some models write a list of texts that name their language. */
function byLanguage(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return Object.fromEntries(value.map((entry: { language?: unknown } | null) => [String(entry?.language), entry]));
}

function textsOf(given: Record<string, unknown>, languages: readonly string[]): TranslatedAnswer['texts'] {
  const tags = Object.keys(given).filter((tag) => languageTag(tag) !== null);
  const found: TranslatedAnswer['texts'] = {};
  for (const language of languages) {
    // A model may write `pt` where `pt-BR` was asked for, but one text never serves two languages.
    const tag = tags.find((one) => languageTag(one) === language) ?? serveLanguage(language, tags.filter(isSpare));
    const parsed = textsSchema.safeParse(tag === undefined ? null : given[tag]);
    if (parsed.success && (parsed.data.alt !== null || parsed.data.title !== null)) found[language] = parsed.data;
  }
  return found;

  function isSpare(tag: string): boolean {
    return !languages.includes(languageTag(tag) ?? '');
  }
}
