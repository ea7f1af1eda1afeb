import type { CompleteEvent, ErrorEvent, ExportInput, ProgressEvent } from '#contract';
import { createJobStream, type JobStream } from '../core/job-stream.ts';
import { type CallOptions, newIdempotencyKey, type Requester, type WriteOptions } from '../core/request.ts';

/** An event of an export or a sample. */
export type ExportEvent =
  | { id: string; event: 'progress'; data: ProgressEvent }
  | { id: string; event: 'complete'; data: CompleteEvent }
  | { id: string; event: 'error'; data: ErrorEvent };

/** Creates the methods for exports, samples and their files. @internal */
export function createExportMethods(requester: Requester) {
  function run(
    kind: 'export' | 'sample',
    sessionId: string,
    input: ExportInput,
    options: WriteOptions,
  ): JobStream<ExportEvent> {
    const { signal, idempotencyKey = newIdempotencyKey() } = options;
    // The specification requires the session's id in the body as well.
    const body = { sessionId, ...input };
    const name = `POST /v1/sessions/:sessionId/${kind}` as const;
    const start = { name, sessionId, body, signal, idempotencyKey };
    return createJobStream(requester, { start, signal });
  }

  return {
    /** Exports images: 1 credit each, independent of their variants. Images that fail, or gain nothing by `onlySmaller`, are refunded. */
    exportImages: (sessionId: string, input: ExportInput, options: WriteOptions = {}) =>
      run('export', sessionId, input, options),

    /** Exports up to 5 images as a free sample, into the namespace `{sessionId}-sample`. */
    sampleImages: (sessionId: string, input: ExportInput, options: WriteOptions = {}) =>
      run('sample', sessionId, input, options),

    /**
     * Downloads the newest exported file of a name; `<sha256>/<filename>`, as in the `url` of a result, these bytes. The namespace is a
     * session's id, or `{sessionId}-sample`.
     */
    downloadFile: (namespace: string, filename: string, options: CallOptions = {}) =>
      requester.getBlob('GET /v1/sessions/:sessionId/download', {
        sessionId: namespace,
        query: { filename },
        ...options,
      }),
  };
}
