import { createHash, randomUUID } from 'node:crypto';
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY_LENGTH } from '#contract';
import type { IdempotencyRecord, IdempotencyRepository, StoredResponse } from '../accounts/index.ts';
import { AppError } from '../errors.ts';

/** A plain answer takes at most the HTTP server's 120 s; whatever runs longer has died. */
const PLAIN_TAKEOVER_MS = 180_000;
/** Between the record and the job lie milliseconds. */
const JOB_TAKEOVER_MS = 30_000;

/** What {@link createIdempotency} works with. */
export interface IdempotencyDeps {
  records: IdempotencyRepository;
  now: () => Date;
  /** Monotonic clock, in milliseconds. */
  monotonicNow: () => number;
}

/** The right to complete or abandon a record; lost as soon as another request takes the record over. */
export interface Ticket {
  id: string;
  token: string;
}

/** One request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  accountId: string;
  /** The header's value. */
  key: string;
  /** Name of the endpoint; the same key for another one is a mismatch. */
  operation: string;
  /** From {@link hashRequest}. */
  requestHash: string;
  /** For streams: the id that the job will have, chosen now. */
  jobId?: string;
  /** For streams: whether a job is there. Without it every job is believed to be. */
  jobExists?: (jobId: string) => Promise<boolean>;
}

/** What is to be done with a request. */
export type Beginning =
  /**
   * Do the work; as the job `jobId` if it is a stream, which may be another id than was proposed. `workId` is the same
   * in every attempt at this request, and in no other request's.
   */
  | { outcome: 'fresh'; ticket: Ticket; jobId: string | null; workId: string }
  /** Send this answer again. */
  | { outcome: 'replay'; response: StoredResponse }
  /** Send the events of this job. */
  | { outcome: 'join'; jobId: string };

/**
 * Makes the memory of `Idempotency-Key` headers. The protocol:
 *
 * 1. When the body is read and valid: `begin`.
 * 2. On `replay` and `join` do what they say, and nothing else.
 * 3. On `fresh` do the work. A stream prepares, charges and starts the job of exactly the `jobId` it was given; from
 *    then on the record points at the job, and nothing more has to be done.
 * 4. A plain answer is stored with `complete` before it is sent.
 * 5. When the request was refused (402, 404, 429, 5xx before the work was done): `abandon`, so that a retry starts anew.
 * 6. When a plain one failed and may have moved credits all the same: `release`, so that a retry goes on at once.
 *
 * A process that dies in step 3 leaves a running record. The next request with the key takes it over: a plain one
 * after 180 s and with the same `workId`, a stream whose job is not there after 30 s and with the same job id; under
 * these the ledger moves credits only once. Until then it gets 409. Records are forgotten after 24 h.
 */
export function createIdempotency({ records, now, monotonicNow }: IdempotencyDeps) {
  /** Since when requests have been at it, by their tokens: those of this process, and those that the clock knows nothing of. */
  const since = new Map<string, number>();

  function remember(token: string): void {
    const at = monotonicNow();
    for (const [known, begunAt] of since) {
      if (at - begunAt <= PLAIN_TAKEOVER_MS) break;
      since.delete(known);
    }
    since.set(token, at);
  }

  /** How long a request has been at it, in milliseconds, whatever became of the clock meanwhile. */
  function ageOf({ token, startedAt }: IdempotencyRecord): number {
    const begunAt = since.get(token);
    if (begunAt !== undefined) return monotonicNow() - begunAt;
    const age = now().getTime() - startedAt.getTime();
    if (age >= 0) return age;
    // Begun in the future: the clock was set back, so the time is counted from here.
    remember(token);
    return 0;
  }

  /** What a request meets that finds a record; null when the record has just gone and `begin` has to look again. */
  async function meet(record: IdempotencyRecord, request: IdempotentRequest): Promise<Beginning | null> {
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

    if (ageOf(record) < (jobId === null ? PLAIN_TAKEOVER_MS : JOB_TAKEOVER_MS)) {
      throw new AppError('idempotency_in_progress', 'A request with this Idempotency-Key is still running', {
        headers: { 'Retry-After': '2' },
      });
    }
    const ticket = { id: record._id, token: randomUUID() };
    remember(ticket.token);
    const taken = await records.takeOver(record._id, record.token, ticket.token, now());
    return taken ? { outcome: 'fresh', ticket, jobId, workId: workIdOf(record) } : null;
  }

  return {
    /**
     * Claims the key for a request or tells what became of the earlier one; see {@link createIdempotency}.
     * @throws AppError invalid_idempotency_key, idempotency_mismatch, idempotency_in_progress
     */
    async begin(request: IdempotentRequest): Promise<Beginning> {
      const { accountId, key, operation, requestHash, jobId = null } = request;
      if (key.length < 1 || key.length > IDEMPOTENCY_KEY_LENGTH) {
        throw new AppError(
          'invalid_idempotency_key',
          `expected 1 to ${IDEMPOTENCY_KEY_LENGTH} characters in Idempotency-Key, but received ${key.length}`,
        );
      }
      // The key itself is not stored: callers put order numbers and addresses into it.
      const id = createHash('sha256').update(`${accountId}\n${key}`).digest('hex');
      for (;;) {
        const ticket = { id, token: randomUUID() };
        const startedAt = now();
        remember(ticket.token);
        const expiresAt = new Date(startedAt.getTime() + IDEMPOTENCY_HOURS * 3_600_000);
        const inserted = await records.insert({
          _id: id,
          accountId,
          operation,
          requestHash,
          state: 'running',
          token: ticket.token,
          jobId,
          startedAt,
          expiresAt,
          response: null,
        });
        if (inserted) return { outcome: 'fresh', ticket, jobId, workId: workIdOf({ _id: id, expiresAt }) };
        since.delete(ticket.token);
        const record = await records.find(id);
        const beginning = record && (await meet(record, request));
        if (beginning) return beginning;
      }
    },

    /** Stores the answer, to be sent again for 24 h after the key was first seen. */
    async complete({ id, token }: Ticket, response: StoredResponse): Promise<void> {
      since.delete(token);
      await records.complete(id, token, response);
    },

    /** Forgets the key, so that the next request with it starts anew. */
    async abandon({ id, token }: Ticket): Promise<void> {
      since.delete(token);
      await records.remove(id, token);
    },

    /** Lets the next request with the key take the work over without waiting; what was asked for stays the same. */
    async release({ id, token }: Ticket): Promise<void> {
      since.delete(token);
      await records.release(id, token);
    },
  };
}

/** The memory of `Idempotency-Key` headers. */
export type Idempotency = ReturnType<typeof createIdempotency>;

/** A key that is used again after its time is another request; of a record, only what no attempt changes counts. */
function workIdOf({ _id, expiresAt }: Pick<IdempotencyRecord, '_id' | 'expiresAt'>): string {
  return createHash('sha256').update(`${_id}\n${expiresAt.getTime()}`).digest('hex').slice(0, 32);
}

/** Hash of what makes two requests the same one; the order of a JSON object's fields does not count. */
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
