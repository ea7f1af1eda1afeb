import { z } from 'zod';
import { closedObject, echoedObject } from './closed-object.ts';
import { METADATA_FIELD_NAMES, METADATA_FIELDS } from './constants/index.ts';
import { imageIdSchema, sessionIdSchema } from './ids.ts';
import { AI_STATUSES, aiReasonSchema, editedImageSchema, metadataSchema } from './images.ts';
import { completeEventBase, errorEventBase, failureSchema, jobSummarySchema } from './jobs.ts';
import { namedEnum } from './named-enum.ts';
import { languageSchema, languagesSchema, textsSchema } from './texts.ts';

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
  usage: namedEnum('ImageUsage', IMAGE_USAGES)
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
  fields: z
    .array(namedEnum('MetadataField', METADATA_FIELD_NAMES))
    .min(1)
    .optional()
    .describe('The fields to write. Default: all.'),
  overwrite: z
    .boolean()
    .default(false)
    .describe('Also replace values that a person has edited, and ask the model again though its answer is known.'),
})
  .refine(({ language, languages }) => language === undefined || languages === undefined, {
    path: ['languages'],
    message: 'expected `language` or `languages`, but received both',
  })
  .meta({ id: 'AnalyzeOptions', not: { required: ['language', 'languages'] } });

/** The options with every default filled in. */
export type AnalyzeOptions = z.output<typeof analyzeOptionsSchema>;

/** Body of an analysis request; without `images` it covers all images of the session. */
export const analyzeRequestSchema = closedObject({
  sessionId: sessionIdSchema.optional().describe('If given, the same as in the path.'),
  images: z
    .array(z.union([imageIdSchema, echoedObject({ id: imageIdSchema }, editedImageSchema)]))
    .min(1)
    // The size of the largest possible session: bounds the work of rejecting an invalid list.
    .max(100_000)
    .optional()
    .describe('Image ids, or images as they were answered; no id twice. Default: all.'),
  options: analyzeOptionsSchema.default(() => analyzeOptionsSchema.parse({})),
}).meta({ id: 'AnalyzeRequest' });
export type AnalyzeRequest = z.output<typeof analyzeRequestSchema>;

/** Body of `POST /v1/analyze`, where the session is named in the body alone. */
export const flatAnalyzeRequestSchema = analyzeRequestSchema
  .extend({ sessionId: sessionIdSchema })
  .meta({ id: 'FlatAnalyzeRequest' });

/** The result of one image of an analysis. */
export const analysisResultSchema = z
  .object({
    imageId: imageIdSchema,
    clientRef: z.string().nullable(),
    status: namedEnum('ImageOutcome', ['completed', 'failed']),
    originalFilename: z.string(),
    metadata: metadataSchema.nullable().describe('As stored; null for a failed image that has none.'),
    texts: textsSchema.optional(),
    aiStatus: namedEnum('AiStatus', AI_STATUSES).nullable().describe('Outcome of the request to the vision model.'),
    aiReason: aiReasonSchema,
    fromCache: z
      .boolean()
      .describe('The answer was known: the same question was answered within 30 days. It costs nothing.'),
    creditsCharged: z.int(),
    error: failureSchema.nullable(),
  })
  .meta({ id: 'AnalysisResult' });
export type AnalysisResult = z.output<typeof analysisResultSchema>;

/** Data of the `complete` event of an analysis. */
export const analysisCompleteEventSchema = completeEventBase
  .extend({
    results: z.array(analysisResultSchema).describe('In request order.'),
    summary: jobSummarySchema,
    provider: z.string().describe('The configured vision service; `none`: descriptions come from the files alone.'),
  })
  .meta({ id: 'AnalysisCompleteEvent' });

/** Data of the `error` event of an analysis: no image was described, or the job could not continue. */
export const analysisErrorEventSchema = errorEventBase
  .extend({ results: z.array(analysisResultSchema).optional() })
  .meta({ id: 'AnalysisErrorEvent' });

/** States of a session's analysis. */
export const ANALYSIS_STATES = ['none', 'running', 'completed', 'partial', 'failed'] as const;
export type AnalysisState = (typeof ANALYSIS_STATES)[number];

/** `GET /v1/sessions/:sessionId/analysis`. */
export const analysisSchema = z
  .object({
    sessionId: sessionIdSchema,
    status: namedEnum('AnalysisState', ANALYSIS_STATES).describe('Of the newest analysis.'),
    images: z.array(
      z
        .object({
          imageId: imageIdSchema,
          clientRef: z.string().nullable(),
          originalFilename: z.string(),
          status: namedEnum('ImageAnalysisState', ['none', 'running', 'completed', 'failed']),
          metadata: metadataSchema.nullable(),
          texts: textsSchema.optional(),
          error: failureSchema.nullable(),
        })
        .meta({ id: 'AnalyzedImage' }),
    ),
  })
  .meta({ id: 'Analysis' });
export type AnalysisReport = z.output<typeof analysisSchema>;
