import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { METADATA_FIELD_NAMES, METADATA_FIELDS } from './constants/index.ts';
import { languageSchema, languagesSchema } from './language.ts';

/** Purposes of an image on its page, which decide the content of its alternative text (W3C alt decision tree). */
export const IMAGE_USAGES = ['informative', 'link', 'button', 'decorative'] as const;

/** Longest alternative text that is stored by an analysis, in code points (IPTC's limit for Alt Text). */
const MAX_ALT_CHARS = METADATA_FIELDS.alt.foundLength;

const phrases = (what: string) =>
  z
    .array(z.string().trim().min(1).max(128))
    .max(20)
    .default(() => [])
    .describe(what);

/** Options of an analysis. */
export const analyzeOptionsSchema = closedObject({
  language: languageSchema
    .optional()
    .describe('BCP 47 tag of the language to write in. Default: the language of `context`, else English.'),
  // Without a parsed default: requests and jobs in one language keep their identity.
  languages: languagesSchema
    .optional()
    .describe(
      'Instead of `language`: BCP 47 tags of the languages to write in, asked for at once and stored in `texts`. `metadata` has the texts of the first one.',
    ),
  context: z.string().trim().max(1000).optional().describe('Subject of the page that shows the images.'),
  keywords: phrases('Used where they fit the image, at most two.'),
  avoidWords: phrases('Words that must not be used.'),
  brandVoice: z.string().trim().max(500).optional().describe('The tone to write in.'),
  usage: z
    .enum(IMAGE_USAGES)
    .optional()
    .describe('Purpose of the images. `decorative`: the alternative text is `""`. Default: judged by the pixels.'),
  maxAltChars: z
    .int()
    .min(1)
    .max(MAX_ALT_CHARS)
    .default(125)
    .describe(
      `Target length of \`alt\`. A longer text is kept and marked for review; above ${MAX_ALT_CHARS} it is cut.`,
    ),
  fields: z.array(z.enum(METADATA_FIELD_NAMES)).min(1).optional().describe('The fields to write. Default: all.'),
  overwrite: z.boolean().default(false).describe('Also replace values that a person has edited.'),
})
  .refine(({ language, languages }) => language === undefined || languages === undefined, {
    path: ['languages'],
    message: 'expected `language` or `languages`, but received both',
  })
  .meta({ id: 'AnalyzeOptions' });

/** The options with every default filled in. */
export type AnalyzeOptions = z.output<typeof analyzeOptionsSchema>;
