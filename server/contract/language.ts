import { z } from 'zod';
import { LANGUAGE_TAG, LANGUAGE_TAG_LENGTH, languageTag, MAX_LANGUAGES } from './constants/index.ts';

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
