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
import { type CallOptions, newIdempotencyKey, type Requester, type WriteOptions } from '../core/request.ts';
import { pathOf } from './sessions.ts';

/** Images and options of an analysis. */
export type AnalyzeInput = Omit<Input<typeof analyzeRequestSchema>, 'sessionId'>;
/** An event of an analysis. */
export type AnalyzeEvent =
  | { id: string; event: 'progress'; data: ProgressEvent }
  | { id: string; event: 'complete'; data: z.output<typeof analysisCompleteEventSchema> }
  | { id: string; event: 'error'; data: z.output<typeof analysisErrorEventSchema> };

/** Creates the methods for analysis. */
export function createAnalysisMethods(requester: Requester) {
  return {
    /** Describes images; without `images` all of the session. Stops without a listener. */
    analyzeImages(sessionId: string, input: AnalyzeInput = {}, options: WriteOptions = {}): JobStream<AnalyzeEvent> {
      const { signal, idempotencyKey = newIdempotencyKey() } = options;
      const path = `${pathOf(sessionId)}/analyze`;
      const start = { method: 'POST', path, json: input, signal, idempotencyKey };
      return createJobStream(requester, { start, signal, stopsWithoutListener: true });
    },

    /** Reads the analysis of a session's images. */
    getAnalysis: (sessionId: string, options: CallOptions = {}) =>
      requester.get<AnalysisReport>(`${pathOf(sessionId)}/analysis`, options),
  };
}
