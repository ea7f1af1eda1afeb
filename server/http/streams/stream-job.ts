import type { Context } from 'koa';
import type { JobKindName } from '#contract';
import { AppError } from '../../errors.ts';
import { type Caller, hashRequest } from '../../gateway/index.ts';
import { newId } from '../../ids.ts';
import type { JobRecord, NewJob } from '../../jobs/index.ts';
import type { Services } from '../handlers.ts';
import { beginOrWait } from '../run-once.ts';
import { sendEvents } from './send-events.ts';

/** Input of {@link streamJob}. */
export interface StreamJobInput {
  ctx: Context;
  account: Caller;
  kind: JobKindName;
  /** Content of the request; the same `Idempotency-Key` with other content is refused. */
  asked: unknown;
  sessionId: string;
  /** Settings or options of the request. */
  settings: unknown;
  /** Checks the request against the images of the session. */
  resolve: () => Promise<Omit<NewJob, 'jobId'>>;
  /** Limit of the day that the job counts towards; absent: none. */
  daily?: { counter: 'samples' | 'analyses'; countNew: (order: Omit<NewJob, 'jobId'>) => Promise<number> };
  /** Refuses a job before it is stored or charged. */
  refuse?: (order: Omit<NewJob, 'jobId'>) => Promise<void>;
}

/**
 * Starts a job, or joins the one that `Last-Event-ID` names or that was started with the same `Idempotency-Key`, and streams its
 * events. Credits are charged after validation and before any work; every refusal is a plain JSON response.
 */
export async function streamJob(input: StreamJobInput, services: Services): Promise<void> {
  const { ctx, account, kind, asked } = input;
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
    requestHash: hashRequest(asked),
    jobId: newId('job'),
    // A job that is not charged yet may still be refused, and a client that joined it would read an empty stream.
    jobExists: (jobId: string) => services.jobs.isUnderWay(account.id, jobId),
  };
  const begun = await beginOrWait(() => idempotency.begin(request));
  if (begun.outcome === 'replay') throw new TypeError('a stream has no stored response to replay');
  if (begun.outcome === 'join') {
    // Continues a job that ended because its client had disconnected.
    await services.jobs.reopen(account.id, begun.jobId);
    return sendJobEvents({ ctx, account }, await services.jobs.find(account.id, begun.jobId), -1, services);
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
  await sendJobEvents({ ctx, account }, await jobs.find(account.id, job._id), last.number, services);
}

async function startJob(input: StreamJobInput, jobId: string, services: Services): Promise<JobRecord | null> {
  const { account, resolve, daily, refuse } = input;
  const { limits } = services.accounts;
  const order = await resolve();
  if (input.kind !== 'analyze') await limits.requireRoom(account.id, { bytes: 1 });
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
    const { charged } = await services.gateway.billing.charge(account, jobId, job.total, kind);
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

/** Streams the events of a job whose number is above `after`. */
export async function sendJobEvents(
  { ctx, account }: Pick<StreamJobInput, 'ctx' | 'account'>,
  job: JobRecord,
  after: number,
  services: Services,
): Promise<void> {
  const events = async function* (signal: AbortSignal) {
    for await (const { n, event, data } of services.jobs.follow(job, after, signal)) {
      yield { id: `${job._id}:${n}`, event, data: await services.gateway.billing.seenBy(account, data) };
    }
  };
  await sendEvents(ctx, events, {
    registry: services.streams,
    headers: { 'X-Job-Id': job._id },
    onError: (error) => services.logger.error({ err: error, jobId: job._id }, 'a stream ended early'),
  });
}

/** Content of `Last-Event-ID: <jobId>:<n>`. */
interface LastEvent {
  jobId: string;
  number: number;
}

/** Reads `Last-Event-ID`; null if it is missing, or no id of this service. */
function lastEvent(ctx: Context): LastEvent | null {
  const [, jobId, number] = /^(job_[0-9A-Za-z]{22}):(\d{1,15})$/.exec(ctx.get('Last-Event-ID')) ?? [];
  return jobId ? { jobId, number: Number(number) } : null;
}

/** Returns the number in `Last-Event-ID`; -1 if it is missing or belongs to another job. */
export function lastEventNumber(ctx: Context, jobId: string): number {
  const last = lastEvent(ctx);
  return last?.jobId === jobId ? last.number : -1;
}

type Counter = 'samples' | 'analyses';

/**
 * Counts images towards what the session token of a caller may do, and towards the day of the account.
 * @returns a function that takes them back
 * @throws AppError token_used_up, daily_limit_reached
 */
async function countImages(
  { id, token }: Caller,
  counter: Counter,
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
export async function requireSamples({ id, token }: Caller, { accounts }: Services): Promise<void> {
  if (token) await accounts.tokens.requireLeft(token.id, 'samples');
  await accounts.limits.requireLeft(id, 'samples');
}

/** Streams that one session token may have open at once: visitors of a page leave room for the account. */
const STREAMS_PER_TOKEN = 16;

/**
 * Counts a stream of an account on this server until its connection is closed, or its response has ended. Must come before any
 * work or charge.
 * @throws AppError rate_limited
 */
export function enterStream(ctx: Context, account: Caller, services: Services): void {
  const { id, plan, token } = account;
  const most = services.accounts.plans.get(plan).streams;
  const limits = [{ key: id, most, what: 'streams of one account' }];
  if (token)
    limits.push({ key: token.id, most: Math.min(most, STREAMS_PER_TOKEN), what: 'streams of one session token' });
  try {
    const leave = services.openStreams.enter(limits);
    if (ctx.res.closed) leave();
    else ctx.res.once('close', leave);
  } catch (error) {
    if (error instanceof AppError) services.metrics.streamRefused();
    throw error;
  }
}
