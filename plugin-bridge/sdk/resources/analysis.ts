import type { z } from 'zod';
import type {
  AnalysisReport,
  analysisCompleteEventSchema,
  analysisErrorEventSchema,
  analyzeRequestSchema,
  ProgressEvent,
} from '#contract';
import type { Input } from '../core/input.ts';
import { createJobStream, type JobStream } from '../core/job-stream.ts';
import { type CallOptions, newIdempotencyKey, type Transport, type WriteOptions } from '../core/request.ts';
import { pathOf } from './sessions.ts';

/** What is to be analyzed, and how. */
export type AnalyzeInput = Omit<Input<typeof analyzeRequestSchema>, 'sessionId'>;
/** An event of an analysis. */
export type AnalyzeEvent =
  | { id: string; event: 'progress'; data: ProgressEvent }
  | { id: string; event: 'complete'; data: z.output<typeof analysisCompleteEventSchema> }
  | { id: string; event: 'error'; data: z.output<typeof analysisErrorEventSchema> };

/** Makes the methods that are about analysis. */
export function createAnalysisMethods(transport: Transport) {
  return {
    /** Describes images, all of the session without `images`. Stops when nobody listens. */
    analyzeImages(sessionId: string, input: AnalyzeInput = {}, options: WriteOptions = {}): JobStream<AnalyzeEvent> {
      const { signal, idempotencyKey = newIdempotencyKey() } = options;
      const path = `${pathOf(sessionId)}/analyze`;
      const start = { method: 'POST', path, json: input, signal, idempotencyKey };
      return createJobStream(transport, { start, signal, stopsWithoutListener: true });
    },

    /** What is known of the images of a session. */
    getAnalysis: (sessionId: string, options: CallOptions = {}) =>
      transport.get<AnalysisReport>(`${pathOf(sessionId)}/analysis`, options),
  };
}
