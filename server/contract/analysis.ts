import { z } from 'zod';
import { analyzeOptionsSchema } from './analyze.ts';
import { imageIdSchema, sessionIdSchema } from './ids.ts';
import { AI_STATUSES, metadataSchema } from './images.ts';
import { completeEventBase, errorEventBase, failureSchema, jobSummarySchema } from './jobs.ts';
import { textsSchema } from './texts.ts';

/** Body of an analysis request; without `images` it covers all images of the session. */
export const analyzeRequestSchema = z
  .object({
    sessionId: sessionIdSchema.optional().describe('If given, the same as in the path.'),
    images: z
      .array(z.union([imageIdSchema, z.object({ id: imageIdSchema })]))
      .min(1)
      .optional()
      .describe('Image ids, or objects with an `id`; no id twice. Default: all.'),
    options: analyzeOptionsSchema.default(() => analyzeOptionsSchema.parse({})),
  })
  .meta({ id: 'AnalyzeRequest' });
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
    status: z.enum(['completed', 'failed']),
    originalFilename: z.string(),
    metadata: metadataSchema.nullable().describe('As stored; null for a failed image that has none.'),
    texts: textsSchema.optional(),
    aiStatus: z.enum(AI_STATUSES).nullable().describe('Outcome of the request to the vision model.'),
    fromCache: z.boolean().describe("The model's answer came from the cache."),
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
    status: z.enum(ANALYSIS_STATES).describe('Of the newest analysis.'),
    images: z.array(
      z.object({
        imageId: imageIdSchema,
        clientRef: z.string().nullable(),
        originalFilename: z.string(),
        status: z.enum(['none', 'running', 'completed', 'failed']),
        metadata: metadataSchema.nullable(),
        texts: textsSchema.optional(),
        error: failureSchema.nullable(),
      }),
    ),
  })
  .meta({ id: 'Analysis' });
export type AnalysisReport = z.output<typeof analysisSchema>;
