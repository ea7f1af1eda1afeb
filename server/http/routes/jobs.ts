import type { Context } from 'koa';
import type { AnalyzeRequest, ExportRequest } from '#contract';
import type { Caller } from '../../gateway/index.ts';
import { dispositionOf, sendFile } from '../downloads/send-file.ts';
import type { Handlers, Services } from '../handlers.ts';
import { enterStream, lastEventNumber, requireSamples, sendJobEvents, streamJob } from '../streams/stream-job.ts';

/** A request that starts a job. */
interface JobRequest<Body> {
  ctx: Context;
  account: Caller;
  body: Body;
}

/** Handlers of analyses, exports, samples, their jobs and their files. */
export const JOB_ROUTES = {
  /**
   * `POST /v1/sessions/:sessionId/analyze`: stops when its last client disconnects, 30 s later if it costs credits. Finished
   * descriptions are kept.
   */
  analyzeImages: (input, services) => streamAnalysis(input, input.params.sessionId, services),

  /** `POST /v1/analyze`: the same with the session id in the body. */
  analyzeImagesFlat: (input, services) => streamAnalysis(input, input.body.sessionId, services),

  /** `GET /v1/sessions/:sessionId/analysis`: returns the analysis of a session's images. */
  getAnalysis: ({ account, params }, services) => services.analyzeImages.report(account.id, params.sessionId),

  /** `POST /v1/sessions/:sessionId/export`: 1 credit per image, charged before the work. */
  exportImages: (input, services) => streamExport('export', input, input.params.sessionId, services),

  /** `POST /v1/export`: the same with the session id in the body. */
  exportImagesFlat: (input, services) => streamExport('export', input, input.body.sessionId, services),

  /** `POST /v1/sessions/:sessionId/sample`: up to 5 images, free, in a separate namespace. */
  sampleImages: (input, services) => streamExport('sample', input, input.params.sessionId, services),

  /** `GET /v1/sessions/:sessionId/download`: sends a stored file. The name is looked up in the records, never joined to a path. */
  downloadFile: async ({ ctx, account, params, query }, services) => {
    const { store, downloads } = services;
    const found = await services.exports.findFile(account.id, params.sessionId, query.filename);
    const { path: key, size, filename, mimeType, sha256 } = found;
    const disposition = dispositionOf({ filename });
    const url = downloads === 'redirect' ? await store.urlOf(key, { mimeType, disposition }) : null;
    if (url !== null) {
      ctx.set('Cache-Control', 'private, no-store');
      ctx.redirect(url);
      return;
    }
    await sendFile(ctx, { key, size, filename, mimeType, etag: sha256 }, store);
  },

  /** `GET /v1/jobs/:jobId`: state and results. */
  getJob: async ({ account, params }, services) => {
    const job = await services.jobs.show(account.id, params.jobId);
    return services.gateway.billing.seenBy(account, job);
  },

  /** `GET /v1/jobs/:jobId/events`: replays the events after `Last-Event-ID`, then continues live. */
  followJob: async ({ ctx, account, params }, services) => {
    const job = await services.jobs.find(account.id, params.jobId);
    const after = lastEventNumber(ctx, job._id);
    if (job.lastEvent !== null && after >= job.lastEvent) {
      ctx.status = 204;
      return;
    }
    if (ctx.method === 'HEAD') {
      // HEAD must not wait for the job.
      ctx.type = 'text/event-stream; charset=utf-8';
      ctx.body = '';
      return;
    }
    enterStream(ctx, account, services);
    await sendJobEvents({ ctx, account }, job, after, services);
  },

  /** `POST /v1/jobs/:jobId/cancel`: stops the job and refunds images without a result. */
  cancelJob: async ({ account, params }, services) => {
    const job = await services.jobs.cancel(account.id, params.jobId);
    return services.gateway.billing.seenBy(account, job);
  },
} satisfies Partial<Handlers>;

function streamAnalysis(
  { ctx, account, body }: JobRequest<AnalyzeRequest>,
  sessionId: string,
  services: Services,
): Promise<void> {
  const resolve = () => services.analyzeImages.resolve({ accountId: account.id, sessionId, body });
  // What is paid is limited by credits.
  const daily = { counter: 'analyses' as const, countNew: services.analyzeImages.countNew };
  const limited = services.analyzeImages.isPaid ? {} : { daily };
  const order = { kind: 'analyze' as const, sessionId, settings: body.options };
  return streamJob({ ctx, account, ...order, asked: [sessionId, body], resolve, ...limited }, services);
}

/** Streams an export or a sample, which differ only in their namespace and price. */
function streamExport(
  kind: 'export' | 'sample',
  { ctx, account, body }: JobRequest<ExportRequest>,
  sessionId: string,
  services: Services,
): Promise<void> {
  const resolve = () => services.exports.resolve({ accountId: account.id, sessionId, kind, body });
  const { countMissing, countUncounted } = services.exports;
  /** An image without a gain is free, as a sample is: with no samples left, such an export may not encode anything. */
  const refuse = async (order: Parameters<typeof countMissing>[0]) => {
    if ((await countMissing(order)) > 0) await requireSamples(account, services);
  };
  const daily = { counter: 'samples' as const, countNew: countUncounted };
  const { settings } = body;
  const limited = kind === 'sample' ? { daily } : settings.onlySmaller ? { refuse } : {};
  return streamJob(
    { ctx, account, kind, sessionId, settings, asked: [sessionId, body], resolve, ...limited },
    services,
  );
}
