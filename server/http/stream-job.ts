import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { ExportRequest } from '#contract';
import { AppError } from '../errors.ts';
import type { JobRecord } from '../exports/index.ts';
import {
  type Beginning,
  type Caller,
  hashRequest,
  type Idempotency,
  type IdempotentRequest,
} from '../gateway/index.ts';
import { newId } from '../ids.ts';
import { sendEvents } from './send-events.ts';
import type { Services } from './services.ts';

/** What is asked for when a job is started. */
export interface StreamJobInput {
  ctx: Context;
  account: Caller;
  kind: 'export' | 'sample';
  sessionId: string;
  body: ExportRequest;
}

/** How long a request waits for its twin to have started or been refused, in milliseconds. */
const TWIN_WAIT_MS = 3000;
const TWIN_POLL_MS = 25;

/**
 * Starts an export or sample, or joins the one that the same `Idempotency-Key` started before, and streams its events.
 * Credits are taken after the request was found good and before any work; every refusal is a plain JSON answer.
 */
export async function streamJob(input: StreamJobInput, services: Services): Promise<void> {
  const { ctx, account, kind, sessionId, body } = input;
  if (ctx.req.headers['idempotency-key'] === undefined) {
    const job = await startJob(input, newId('job'), services);
    return sendJobEvents(ctx, job, -1, services);
  }

  const { idempotency } = services.gateway;
  const begun = await beginAfterTwin(idempotency, {
    accountId: account.id,
    key: ctx.get('Idempotency-Key'),
    operation: kind,
    requestHash: hashRequest(sessionId, body),
    jobId: newId('job'),
    // A job that is not paid for yet may still be refused: whoever joined it would read an empty stream.
    jobExists: (jobId) => services.exports.isUnderWay(account.id, jobId),
  });
  if (begun.outcome === 'replay') throw new TypeError('a stream has no plain answer to replay');
  if (begun.outcome === 'join') {
    return sendJobEvents(ctx, await services.exports.find(account.id, begun.jobId), -1, services);
  }
  let job: JobRecord;
  try {
    job = await startJob(input, begun.jobId ?? newId('job'), services);
  } catch (error) {
    await idempotency.abandon(begun.ticket).catch(() => {});
    throw error;
  }
  await sendJobEvents(ctx, job, -1, services);
}

/** Between claiming a key and starting its job lie milliseconds: whoever comes in between waits instead of getting a 409. */
async function beginAfterTwin(idempotency: Idempotency, request: IdempotentRequest): Promise<Beginning> {
  const deadline = performance.now() + TWIN_WAIT_MS;
  for (;;) {
    try {
      return await idempotency.begin(request);
    } catch (error) {
      const twinIsAtIt = error instanceof AppError && error.code === 'idempotency_in_progress';
      if (!twinIsAtIt || performance.now() > deadline) throw error;
      await sleep(TWIN_POLL_MS);
    }
  }
}

async function startJob(input: StreamJobInput, jobId: string, services: Services): Promise<JobRecord> {
  const { account, kind, sessionId, body } = input;
  const job = await services.exports.prepare({ accountId: account.id, sessionId, kind, jobId, body });
  try {
    const { charged } = await services.gateway.billing.charge(account, jobId, job.images.length, kind);
    services.metrics.creditsCharged(charged);
  } catch (error) {
    await services.exports.discard(job);
    throw error;
  }
  services.exports.start(job);
  return job;
}

/** Streams the events of a job whose number is above `after`. */
export async function sendJobEvents(ctx: Context, job: JobRecord, after: number, services: Services): Promise<void> {
  const events = async function* (signal: AbortSignal) {
    for await (const { n, event, data } of services.exports.follow(job, after, signal)) {
      yield { id: `${job._id}:${n}`, event, data };
    }
  };
  await sendEvents(ctx, events, {
    registry: services.streams,
    headers: { 'X-Job-Id': job._id },
    onError: (error) => services.logger.error({ err: error, jobId: job._id }, 'a stream ended early'),
  });
}

/** The number in `Last-Event-ID: <jobId>:<n>`; -1 when there is none, or it is another job's. */
export function lastEventNumber(ctx: Context, jobId: string): number {
  const [id, number] = ctx.get('Last-Event-ID').split(':');
  return id === jobId && /^\d{1,15}$/.test(number ?? '') ? Number(number) : -1;
}
