import type { AnalysisComplete, AnalysisFailure, AnalyzeInput, ProgressEvent } from '#contract';
import { createJobStream, type JobStream } from '../core/job-stream.ts';
import { type CallOptions, newIdempotencyKey, type Requester, type WriteOptions } from '../core/request.ts';

/** An event of an analysis. */
export type AnalyzeEvent =
  | { id: string; event: 'progress'; data: ProgressEvent }
  | { id: string; event: 'complete'; data: AnalysisComplete }
  | { id: string; event: 'error'; data: AnalysisFailure };

/** Creates the methods for analysis. @internal */
export function createAnalysisMethods(requester: Requester) {
  return {
    /** Describes images; without `images` all of the session. Stops without a listener. */
    analyzeImages(sessionId: string, input: AnalyzeInput = {}, options: WriteOptions = {}): JobStream<AnalyzeEvent> {
      const { signal, idempotencyKey = newIdempotencyKey() } = options;
      const name = 'POST /v1/sessions/:sessionId/analyze';
      const start = { name, sessionId, body: input, signal, idempotencyKey } as const;
      return createJobStream(requester, { start, signal, stopsWithoutListener: true });
    },

    /** Reads the analysis of a session's images. */
    getAnalysis: (sessionId: string, options: CallOptions = {}) =>
      requester.call('GET /v1/sessions/:sessionId/analysis', { sessionId, ...options }),
  };
}
