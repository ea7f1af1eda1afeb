import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import {
  LANGUAGE_FIELDS,
  LANGUAGE_TAG,
  LANGUAGE_TAG_LENGTH,
  type LanguageField,
  languageTag,
  MAX_LANGUAGES,
  METADATA_SOURCES,
} from './constants/index.ts';
import { PATCH_SHAPE, STORED_SHAPE } from './metadata-shapes.ts';
import { namedEnum } from './named-enum.ts';

const EXPECTED = 'expected a BCP 47 language tag such as de or pt-BR';

/** A language tag as a request writes it. */
export const languageSchema = z.string().max(LANGUAGE_TAG_LENGTH).regex(LANGUAGE_TAG, EXPECTED);

/** A language tag in its canonical form. */
export const canonicalLanguageSchema = languageSchema
  .refine((tag) => languageTag(tag) !== null, EXPECTED)
  .overwrite((tag) => languageTag(tag) ?? tag);

/** Languages in their canonical form, none twice. */
export const languagesSchema = z
  .array(canonicalLanguageSchema)
  .min(1)
  .max(MAX_LANGUAGES)
  .check((context) => {
    for (const [index, tag] of context.value.entries()) {
      if (context.value.indexOf(tag) === index) continue;
      const message = `expected each language once, but received ${tag} twice`;
      context.issues.push({ code: 'custom', input: tag, path: [index], message });
    }
  });

type Of<Shape extends Record<LanguageField, unknown>> = Pick<Shape, LanguageField>;

function ofLanguage<Shape extends Record<LanguageField, unknown>>(shape: Shape): Of<Shape> {
  return Object.fromEntries(LANGUAGE_FIELDS.map((name) => [name, shape[name]])) as Of<Shape>;
}

/** The texts of an image in one language. */
const languageTextsSchema = z
  .object({
    ...ofLanguage(STORED_SHAPE),
    source: z.record(z.string(), namedEnum('TextSource', METADATA_SOURCES)).describe('Source of each field.'),
    needsReview: z
      .array(z.string())
      .describe('Reasons for a person to review it; `missing`: the model gave no texts in this language.'),
    model: z.string().nullable(),
  })
  .meta({ id: 'LanguageTexts' });
export type LanguageTexts = z.output<typeof languageTextsSchema>;

/** The texts of an image by language. */
export const textsSchema = z
  .record(z.string(), languageTextsSchema)
  .describe(
    'Texts by language (BCP 47, canonical form), the first one as in `metadata`; absent if the image has texts in one language alone.',
  );
export type Texts = z.output<typeof textsSchema>;

const languagePatchSchema = closedObject(ofLanguage(PATCH_SHAPE)).meta({ id: 'LanguageTextsPatch' });

/** Edits of texts by language. */
export const textsPatchSchema = z
  .record(languageSchema, languagePatchSchema)
  .check((context) => {
    const tags = Object.keys(context.value);
    const seen = new Set<string>();
    for (const tag of tags) {
      const canonical = languageTag(tag);
      if (canonical === null) fail(tag, 'expected a BCP 47 language tag such as de or pt-BR');
      else if (seen.has(canonical)) fail(tag, `expected each language once, but received ${canonical} twice`);
      else seen.add(canonical);
    }
    if (tags.length > MAX_LANGUAGES)
      fail('', `expected at most ${MAX_LANGUAGES} languages, but received ${tags.length}`);
    function fail(tag: string, message: string) {
      context.issues.push({ code: 'custom', input: tag, path: tag ? [tag] : [], message });
    }
  })
  .describe('Edits by language (BCP 47); `null` clears a field. A language that the image has no texts in is added.');
export type TextsPatch = z.output<typeof textsPatchSchema>;
