import { createHash, randomUUID } from 'node:crypto';
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_LENGTH } from '#contract';
import type { IdempotencyRecord, IdempotencyRepository, StoredResponse } from '../accounts/index.ts';
import { outlastOutage, waitAtMost } from '../concurrency.ts';
import { AppError } from '../errors.ts';

/** Takeover age of a plain request of this process, in milliseconds: the HTTP server ends one after 120 s. */
const PLAIN_TAKEOVER_MS = 180_000;
/** Takeover age of another process's plain request, in milliseconds: while it works, it renews the start several times. */
const DEAD_TAKEOVER_MS = 30_000;
const RENEW_MS = 8000;
/** Takeover age of a stream of this process without a job, in milliseconds: a job is stored milliseconds after its record. */
const JOB_TAKEOVER_MS = 30_000;
/**
 * Takeover age of another process's stream without a job, in milliseconds. Too early a takeover does no harm, since both
 * attempts are the same job, which is stored and charged once.
 */
const DEAD_JOB_TAKEOVER_MS = 5000;
/** Time for a change of a record that the database does not accept at first, in milliseconds. */
const PATIENCE_MS = 30_000;
/** Longest wait of a caller for such a change, in milliseconds. */
const CHANGE_WAIT_MS = 300;
/** Longest wait of a caller whose work is done for its record, in milliseconds: an outage that lasts as long as an election. */
const COMPLETE_WAIT_MS = 10_000;

interface IdempotencyDeps {
  records: IdempotencyRepository;
  now: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow: () => number;
}

/** The right to complete or abandon a record; ends when another request takes the record over. */
export interface Ticket {
  id: string;
  token: string;
}

/** One request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  accountId: string;
  /** Part of the account within which the key counts. @default the account, apart from such parts */
  scope?: string | undefined;
  /** Value of the header. */
  key: string;
  /** Name of the endpoint; the same key for another one is a mismatch. */
  operation: string;
  /** From {@link hashRequest}. */
  requestHash: string;
  /** For streams: a new id, proposed for the job. */
  jobId?: string;
  /** For streams: returns true when the job exists. Without it every job is assumed to exist. */
  jobExists?: (jobId: string) => Promise<boolean>;
}

/** Work of a request, which may need several attempts. */
export interface Work {
  /** The same in each attempt at a request, different between requests, and secret: ids may be derived from it. */
  id: string;
  /** Time of the first attempt. */
  begunAt: Date;
  /** True if an earlier attempt may have done a part of it. */
  isRepeated: boolean;
}

/** Creates work that is attempted once. */
export function newWork(begunAt = new Date()): Work {
  return { id: randomUUID(), begunAt, isRepeated: false };
}

/** The next step of a request. */
export type Beginning =
  /** Do the work; for a stream as the job `jobId`, which may differ from the proposed id. */
  | { outcome: 'fresh'; ticket: Ticket; jobId: string | null; work: Work }
  /** Send this response again. */
  | { outcome: 'replay'; response: StoredResponse }
  /** Send the events of this job. */
  | { outcome: 'join'; jobId: string };

interface IdempotencyContext extends IdempotencyDeps {
  /**
   * Monotonic start times of requests, by token: those of this process, and those whose stored start time lies in the
   * future.
   */
  since: Map<string, number>;
  /** Plain requests of this process that are at work. */
  working: Map<string, Ticket>;
  /** Renews their starts while there are any. */
  renewal: NodeJS.Timeout | undefined;
  /** Tokens of records that are to be given up and could not be yet: the database was away. */
  abandoned: Set<string>;
}

/**
 * Creates the store of `Idempotency-Key` headers. The protocol:
 *
 * 1. When the body is read and valid: `begin`.
 * 2. On `replay` and `join`: send the stored response or the job's events, and nothing else.
 * 3. On `fresh`: do the work. A stream prepares, charges and starts the job of exactly the returned `jobId`; from then on
 *    the record points at the job, and nothing more has to be done.
 * 4. A plain response is stored with `complete` before it is sent.
 * 5. When the request was refused (402, 404, 429, 5xx before the work was done): `abandon`, so that a retry starts again.
 * 6. When a plain request failed and may have moved credits: `release`, so that a retry continues at once.
 *
 * A process that dies in step 3 leaves a running record. The next request with the key takes it over: a plain one after
 * 30 s (180 s in the same process) as the same `work`, a stream without a job after 5 s (30 s) with the same job id; the ledger
 * moves credits only once for each of these ids. Until then it gets 409. Records expire after 24 h.
 */
export function createIdempotency(deps: IdempotencyDeps) {
  const { records } = deps;
  const context: IdempotencyContext = {
    ...deps,
    since: new Map(),
    working: new Map(),
    renewal: undefined,
    abandoned: new Set(),
  };

  return {
    /**
     * Claims the key for a request or returns the outcome of the earlier one; see {@link createIdempotency}.
     * @throws AppError invalid_idempotency_key, idempotency_mismatch, idempotency_in_progress
     */
    begin: (request: IdempotentRequest): Promise<Beginning> => begin(context, request),

    /** Stores the response, which is replayed until 24 h after the first use of the key. */
    async complete({ id, token }: Ticket, response: StoredResponse): Promise<void> {
      forget(context, token);
      // The work must not be done again because its record could not be changed for a moment.
      await outlastOutage(() => records.complete(id, token, response), AbortSignal.timeout(COMPLETE_WAIT_MS));
    },

    /**
     * Removes the record, so that the next request with the key starts again; while the database is away, continues in the
     * background, and this process treats the key as free.
     */
    abandon: (ticket: Ticket): Promise<void> => abandon(context, ticket),

    /**
     * Allows the next equal request with the key to take the work over at once; while the database is away as
     * `abandon` does.
     */
    release: ({ id, token }: Ticket): Promise<void> => giveUp(context, token, () => records.release(id, token)),

    /** Shows other processes that the plain requests of this one are at work. */
    renew: (): Promise<void> => renew(context),
  };
}

function abandon(context: IdempotencyContext, { id, token }: Ticket): Promise<void> {
  return giveUp(context, token, () => context.records.remove(id, token));
}

/** Changes the record of a request that has ended, in the background if the database is away. */
async function giveUp(context: IdempotencyContext, token: string, change: () => Promise<void>): Promise<void> {
  const { abandoned } = context;
  forget(context, token);
  abandoned.add(token);
  const changed = outlastOutage(change, AbortSignal.timeout(PATIENCE_MS)).finally(() => abandoned.delete(token));
  await waitAtMost(CHANGE_WAIT_MS, changed);
  changed.catch(() => {});
}

/** The store of `Idempotency-Key` headers. */
export type Idempotency = ReturnType<typeof createIdempotency>;

async function begin(context: IdempotencyContext, request: IdempotentRequest): Promise<Beginning> {
  const { accountId, scope, key, operation, requestHash, jobId = null } = request;
  if (key.length < 1 || key.length > IDEMPOTENCY_KEY_LENGTH) {
    throw new AppError(
      'invalid_idempotency_key',
      `expected 1 to ${IDEMPOTENCY_KEY_LENGTH} characters in Idempotency-Key, but received ${key.length}`,
    );
  }
  // Only a hash of the key is stored: clients put order numbers and addresses into it.
  const id = createHash('sha256')
    .update(`${[accountId, scope].filter(Boolean).join(' ')}\n${key}`)
    .digest('hex');
  for (;;) {
    const ticket = { id, token: randomUUID() };
    const startedAt = context.now();
    remember(context, ticket.token);
    if (jobId === null) showWork(context, ticket);
    const expiresAt = new Date(startedAt.getTime() + IDEMPOTENCY_HOURS * 3_600_000);
    const work = newWork(startedAt);
    const fresh = { _id: id, accountId, operation, requestHash, workId: work.id, jobId, startedAt, expiresAt };
    const inserted = await context.records
      .insert({ ...fresh, token: ticket.token, state: 'running', response: null })
      .catch(async (error) => {
        // It may have been stored all the same.
        await abandon(context, ticket);
        throw error;
      });
    if (inserted) return { outcome: 'fresh', ticket, jobId, work };
    forget(context, ticket.token);
    const record = await context.records.find(id);
    const beginning = record && (await resolveExisting(context, record, request));
    if (beginning) return beginning;
  }
}

/** Returns the next step of a request whose key has a record; null when the record is gone and has to be read again. */
async function resolveExisting(
  context: IdempotencyContext,
  record: IdempotencyRecord,
  request: IdempotentRequest,
): Promise<Beginning | null> {
  const { records, now } = context;
  if (record.expiresAt <= now()) {
    await records.remove(record._id, record.token);
    return null;
  }
  if (record.operation !== request.operation || record.requestHash !== request.requestHash) {
    throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used before with another request');
  }
  if (record.state === 'done' && record.response) return { outcome: 'replay', response: record.response };
  const { jobId } = record;
  if (jobId !== null && (!request.jobExists || (await request.jobExists(jobId)))) return { outcome: 'join', jobId };

  const isAbandoned = context.abandoned.has(record.token);
  const isOwn = context.since.has(record.token);
  const takeoverMs =
    jobId === null
      ? (isOwn && PLAIN_TAKEOVER_MS) || DEAD_TAKEOVER_MS
      : (isOwn && JOB_TAKEOVER_MS) || DEAD_JOB_TAKEOVER_MS;
  if (!isAbandoned && ageOf(context, record) < takeoverMs) {
    throw new AppError('idempotency_in_progress', 'A request with this Idempotency-Key is still running', {
      headers: { 'Retry-After': '2' },
    });
  }
  const ticket = { id: record._id, token: randomUUID() };
  remember(context, ticket.token);
  const taken = await records.takeOver(record._id, record.token, ticket.token, now());
  if (!taken) return null;
  if (jobId === null) showWork(context, ticket);
  const begunAt = new Date(record.expiresAt.getTime() - IDEMPOTENCY_HOURS * 3_600_000);
  return { outcome: 'fresh', ticket, jobId, work: { id: workIdOf(record), begunAt, isRepeated: true } };
}

/** Renews the start of a plain request from now on. */
function showWork(context: IdempotencyContext, ticket: Ticket): void {
  context.working.set(ticket.token, ticket);
  context.renewal ??= setInterval(() => void renew(context).catch(() => {}), RENEW_MS).unref();
}

function forget(context: IdempotencyContext, token: string): void {
  context.since.delete(token);
  context.working.delete(token);
  if (context.working.size > 0) return;
  clearInterval(context.renewal);
  context.renewal = undefined;
}

async function renew(context: IdempotencyContext): Promise<void> {
  const { records, working, since, now } = context;
  // A request that is no longer in memory has run for too long.
  for (const token of working.keys()) if (!since.has(token)) forget(context, token);
  if (working.size > 0) await records.renew([...working.values()], now());
}

function remember({ since, monotonicNow }: IdempotencyContext, token: string): void {
  const at = monotonicNow();
  for (const [known, begunAt] of since) {
    if (at - begunAt <= PLAIN_TAKEOVER_MS) break;
    since.delete(known);
  }
  since.set(token, at);
}

/** Returns the age of a running request in milliseconds, independent of changes to the wall clock. */
function ageOf(context: IdempotencyContext, { token, startedAt }: IdempotencyRecord): number {
  const begunAt = context.since.get(token);
  if (begunAt !== undefined) return context.monotonicNow() - begunAt;
  const age = context.now().getTime() - startedAt.getTime();
  if (age >= 0) return age;
  // A start in the future: the wall clock was set back, so the age is counted from this moment.
  remember(context, token);
  return 0;
}

/** Returns the id of a record's work; for one of an earlier version a hash of the fields that no attempt changes. */
function workIdOf({ _id, expiresAt, workId }: IdempotencyRecord): string {
  if (workId !== undefined) return workId;
  return createHash('sha256').update(`${_id}\n${expiresAt.getTime()}`).digest('hex').slice(0, 32);
}

/** Hashes the parts by which two requests are equal; the order of a JSON object's fields does not matter. */
export function hashRequest(...parts: unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify(parts, (_key, value: unknown) => (isPlainObject(value) ? sortFields(value) : value)))
    .digest('hex');
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortFields(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
