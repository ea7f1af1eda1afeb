import type { Context } from 'koa';
import type { AnalyzeRequest, ExportRequest, JobKindName } from '#contract';
import { AppError } from '../../errors.ts';
import { type Caller, hashRequest } from '../../gateway/index.ts';
import { newId } from '../../ids.ts';
import type { JobRecord, NewJob } from '../../jobs/index.ts';
import { sendFound } from '../downloads/send-found.ts';
import type { Handlers, Services } from '../handlers.ts';
import {
  enterStream,
  type LastEvent,
  lastEvent,
  lastEventNumber,
  rejoinJobEvents,
  sendJobEvents,
  sendStreamHead,
} from '../job-stream.ts';
import { beginOrWait } from '../run-once.ts';

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

  /** `GET /v1/sessions/:sessionId/download`: sends a stored file, looked up in the records, never joined to a path. */
  downloadFile: async ({ ctx, account, params, query }, services) => {
    const find = () => services.exports.findFile(account.id, params.sessionId, query.filename);
    const found = await find();
    try {
      await sendFound(ctx, found, services);
    } catch (error) {
      // An equal export may have put the bytes elsewhere between the look-up and the sending.
      const again = isGone(error) ? await find() : found;
      if (again.file.path === found.file.path) throw error;
      await sendFound(ctx, again, services);
    }
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
      sendStreamHead(ctx, job._id);
      return;
    }
    enterStream(ctx, account, services);
    await rejoinJobEvents({ ctx, account }, job, after, services);
  },

  /** `POST /v1/jobs/:jobId/cancel`: stops the job and refunds images without a result. */
  cancelJob: async ({ account, params }, services) => {
    const job = await services.jobs.cancel(account.id, params.jobId);
    return services.gateway.billing.seenBy(account, job);
  },
} satisfies Partial<Handlers>;

const isGone = (error: unknown) => error instanceof AppError && error.code === 'file_not_found';

function streamAnalysis(
  { ctx, account, body }: JobRequest<AnalyzeRequest>,
  sessionId: string,
  services: Services,
): Promise<void> {
  const resolve = () => services.analyzeImages.resolve({ accountId: account.id, sessionId, body });
  // Credits limit paid jobs.
  const { countNew, isPaid } = services.analyzeImages;
  const limited = isPaid ? { countPayable: countNew } : { daily: { counter: 'analyses' as const, countNew } };
  const order = { kind: 'analyze' as const, sessionId, settings: body.options, requestParts: [sessionId, body] };
  return streamJob({ ctx, account, ...order, resolve, ...limited }, services);
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
  const { settings } = body;
  /** An image without a gain is free, as a sample is: with no samples left, such an export may not encode anything. */
  const refuse = async (order: Parameters<typeof countMissing>[0]) => {
    if (settings.onlySmaller && (await countMissing(order)) > 0) await requireSamples(account, services);
    await services.accounts.limits.requireFewOverruns(account.id, async () => (await countMissing(order)) === 0);
  };
  const daily = { counter: 'samples' as const, countNew: countUncounted };
  const limited = kind === 'sample' ? { daily } : { refuse };
  const order = { kind, sessionId, settings, requestParts: [sessionId, body] };
  return streamJob({ ctx, account, ...order, resolve, ...limited }, services);
}

interface StreamJobInput {
  ctx: Context;
  account: Caller;
  kind: JobKindName;
  /** Content of the request; the same `Idempotency-Key` with other content is refused. */
  requestParts: unknown;
  sessionId: string;
  /** Settings or options of the request. */
  settings: unknown;
  /** Checks the request against the images of the session. */
  resolve: () => Promise<Omit<NewJob, 'jobId'>>;
  /** Limit of the day that the job counts towards; absent: none. */
  daily?: { counter: 'samples' | 'analyses'; countNew: (order: Omit<NewJob, 'jobId'>) => Promise<number> };
  /** Counts the images that are charged. @default all */
  countPayable?: (order: Omit<NewJob, 'jobId'>) => Promise<number>;
  /** Refuses a job before it is stored or charged. */
  refuse?: (order: Omit<NewJob, 'jobId'>) => Promise<void>;
}

/**
 * Starts a job, or joins the one that `Last-Event-ID` names or that was started with the same `Idempotency-Key`, and streams its
 * events. Credits are charged after validation and before any work; every refusal is a plain JSON response.
 */
async function streamJob(input: StreamJobInput, services: Services): Promise<void> {
  const { ctx, account, kind, requestParts } = input;
  enterStream(ctx, account, services);
  const last = lastEvent(ctx);
  if (last) return rejoinJob(input, last, services);
  if (ctx.req.headers['idempotency-key'] === undefined) {
    const job = await startJob(input, newId('job'), services);
    if (!job) throw new TypeError('a new job id exists already');
    return sendJobEvents({ ctx, account }, job, -1, services);
  }

  const { idempotency } = services.gateway;
  const request = {
    accountId: account.id,
    scope: account.idempotencyScope,
    key: ctx.get('Idempotency-Key'),
    operation: kind,
    requestHash: hashRequest(requestParts),
    jobId: newId('job'),
    // A job that is not charged yet may still be refused, and a client that joined it would read an empty stream.
    jobExists: (jobId: string) => services.jobs.isUnderWay(account.id, jobId),
  };
  const begun = await beginOrWait(() => idempotency.begin(request));
  if (begun.outcome === 'replay') throw new TypeError('a stream has no stored response to replay');
  if (begun.outcome === 'join') {
    // Continues a job that ended because its client had disconnected.
    await services.jobs.reopen(account.id, begun.jobId);
    return rejoinJobEvents({ ctx, account }, await services.jobs.find(account.id, begun.jobId), -1, services);
  }
  let job: JobRecord | null;
  try {
    job = await startJob(input, begun.jobId ?? newId('job'), services);
  } catch (error) {
    await idempotency.abandon(begun.ticket).catch(() => {});
    throw error;
  }
  // The recovery resumes the job of the interrupted request, so the key must stay bound to it.
  if (!job) throw duplicateRunning();
  await sendJobEvents({ ctx, account }, job, -1, services);
}

/**
 * Continues the stream of a job for a client that was cut off. Standard clients repeat their request with the id of the last
 * event, and must not pay again.
 * @throws job_not_found if it is no job of this kind in this session; idempotency_mismatch if its settings differ
 */
async function rejoinJob(input: StreamJobInput, last: LastEvent, services: Services): Promise<void> {
  const { ctx, account, kind, sessionId, settings } = input;
  const { jobs } = services;
  const remedy = 'without this header, the request starts a new job';
  const missing = `Last-Event-ID: no ${kind} ${last.jobId} in session ${sessionId}; ${remedy}`;
  const job = await jobs.find(account.id, last.jobId).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'job_not_found' ? new AppError('job_not_found', missing) : error;
  });
  if (job.kind !== kind || job.sessionId !== sessionId) throw new AppError('job_not_found', missing);
  if (hashRequest(job.settings) !== hashRequest(settings)) {
    throw new AppError('idempotency_mismatch', `Last-Event-ID: job ${job._id} has other settings; ${remedy}`);
  }
  await jobs.reopen(account.id, job._id);
  await rejoinJobEvents({ ctx, account }, await jobs.find(account.id, job._id), last.number, services);
}

async function startJob(input: StreamJobInput, jobId: string, services: Services): Promise<JobRecord | null> {
  const { account, resolve, daily, refuse, countPayable } = input;
  const { limits } = services.accounts;
  const resolved = await resolve();
  const order = countPayable ? { ...resolved, payable: await countPayable(resolved) } : resolved;
  if (input.kind !== 'analyze') await limits.requireRoom(account.id);
  await refuse?.(order);
  const takeBack = daily && (await countImages(account, daily.counter, await daily.countNew(order), services));
  let job: JobRecord | null = null;
  try {
    job = await createChargedJob(input, { ...order, jobId }, services);
  } finally {
    if (!job) await takeBack?.();
  }
  return job;
}

/** Creates, charges and starts a job; null if one of this id exists. */
async function createChargedJob(
  { account, kind }: StreamJobInput,
  order: NewJob,
  services: Services,
): Promise<JobRecord | null> {
  const { jobId } = order;
  const job = await services.jobs.create(order);
  if (!job) return null;
  try {
    const { charged } = await services.gateway.billing.charge(account, jobId, job.payable ?? job.total, kind);
    services.metrics.creditsCharged(charged);
  } catch (error) {
    await services.jobs.discard(job);
    throw error;
  }
  services.jobs.start(job);
  return job;
}

function duplicateRunning(): AppError {
  return new AppError('idempotency_in_progress', 'A request with this Idempotency-Key is still running', {
    headers: { 'Retry-After': '5' },
  });
}

/**
 * Counts images towards what the session token of a caller may do, and towards the day of the account.
 * @returns a function that takes them back
 * @throws AppError token_used_up, daily_limit_reached
 */
async function countImages(
  { id, token }: Caller,
  counter: 'samples' | 'analyses',
  images: number,
  { accounts: { limits, tokens } }: Services,
): Promise<() => Promise<void>> {
  if (token) await tokens.countImages(token.id, counter, images);
  const uncount = async () => {
    if (token) await tokens.uncountImages(token.id, counter, images);
  };
  try {
    const counted = await limits.count(id, counter, images);
    return async () => {
      await uncount();
      await limits.giveBack(id, counted);
    };
  } catch (error) {
    await uncount();
    throw error;
  }
}

/** Checks that neither the day's samples nor those of a session token are used up. @throws AppError token_used_up, daily_limit_reached */
async function requireSamples({ id, token }: Caller, { accounts }: Services): Promise<void> {
  if (token) await accounts.tokens.requireLeft(token.id, 'samples');
  await accounts.limits.requireLeft(id, 'samples');
}
