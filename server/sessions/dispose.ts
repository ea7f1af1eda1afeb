import { SAMPLE_SUFFIX } from '#contract';
import type { Repositories, SessionRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/index.ts';
import { namespaceFolder, type ObjectStore } from '../storage/index.ts';

interface DisposalDeps {
  repositories: Pick<Repositories, RemovedWithSession>;
  store: ObjectStore;
  logger: Logger;
  /** Stops the session's jobs on all servers; false if one of them may still use a file. */
  stopJobs: (sessionId: string) => Promise<boolean>;
  /** Removes the cached variants of uploads with these hashes. */
  forgetSources: (accountId: string, sha256s: string[]) => Promise<void>;
  /** Removes exported files of these keys that nothing else holds. */
  collectFiles: (paths: string[]) => Promise<void>;
  /** True while a backup needs every file; the next sweep after it removes what was deleted meanwhile. */
  keepsFiles: () => Promise<boolean>;
  now?: () => Date;
}

type RemovedWithSession =
  | 'sessions'
  | 'images'
  | 'jobs'
  | 'jobImages'
  | 'jobEvents'
  | 'imageResults'
  | 'outputs'
  | 'sessionTokens'
  | 'shares';

/** Smallest age of removed orphan folders: an upload creates its folder before its session. */
const ORPHAN_AGE_MS = 3_600_000;

type Context = Required<Omit<DisposalDeps, 'repositories'>> & DisposalDeps['repositories'];

/** Creates the removal of sessions with their files and records: on request, at expiry, and after a crash. */
export function createSessionDisposal({ repositories, now = () => new Date(), ...deps }: DisposalDeps) {
  const context: Context = { now, ...deps, ...repositories };
  return {
    /**
     * Deletes a session and its files at once, with the cached variants of its uploads, unless another session of the
     * account holds the same upload.
     * @throws session_not_found
     */
    delete: (accountId: string, sessionId: string) => deleteSession(context, accountId, sessionId),

    /**
     * Deletes all sessions of an account that is being deleted.
     * @returns false if a job has not ended in time
     */
    deleteAll: (accountId: string) => deleteAll(context, accountId),

    /** Removes sessions that have expired or whose deletion was interrupted. @returns the number removed */
    sweep: () => sweep(context),

    /** Removes folders that belong to no session. @returns the number removed */
    sweepOrphans: () => sweepOrphans(context),
  };
}

/** Removal of sessions. */
export type SessionDisposal = ReturnType<typeof createSessionDisposal>;

/** Removes a session; false if one of its jobs has not ended, so that a later sweep has to remove it. */
async function dispose(context: Context, { _id: sessionId, accountId, forget }: SessionRecord): Promise<boolean> {
  const { sessions, images, jobs, jobImages, jobEvents, imageResults, outputs, sessionTokens, shares, store } = context;
  await sessionTokens.removeOfSession(sessionId);
  await shares.removeOfSession(sessionId);
  if (!(await context.stopJobs(sessionId))) return false;
  const exported = await outputs.pathsOfSession(sessionId);
  await outputs.removeOfSession(sessionId);
  await imageResults.removeOfSession(sessionId);
  await images.removeOfSession(sessionId);
  await store.removeBelow(namespaceFolder(sessionId));
  await store.removeBelow(namespaceFolder(sessionId + SAMPLE_SUFFIX));
  await jobImages.removeOfSession(sessionId);
  for (const jobId of await jobs.idsOfSession(sessionId)) await jobEvents.removeOfJob(jobId);
  await jobs.removeOfSession(sessionId);
  const elsewhere = await images.sourcesInUse(accountId, forget);
  await context.forgetSources(
    accountId,
    forget.filter((sha256) => !elsewhere.has(sha256)),
  );
  await context.collectFiles(exported);
  await sessions.remove(sessionId);
  return true;
}

async function sourcesOf({ images }: Context, accountId: string, sessionId: string): Promise<string[]> {
  return (await images.findOfSession(accountId, sessionId)).map(({ sha256 }) => sha256);
}

async function deleteSession(context: Context, accountId: string, sessionId: string): Promise<void> {
  const { sessions, now } = context;
  const session = await sessions.findLive(accountId, sessionId, now());
  const forget = await sourcesOf(context, accountId, sessionId);
  if (!session || !(await sessions.markDeleted(sessionId, now(), forget))) {
    throw new AppError('session_not_found', `No session ${sessionId}; it may have expired`);
  }
  // Asked after the mark: a snapshot after the answer contains the mark.
  if (await context.keepsFiles()) {
    await context.sessionTokens.removeOfSession(sessionId);
    await context.stopJobs(sessionId);
    return;
  }
  await dispose(context, { ...session, forget });
}

async function deleteAll(context: Context, accountId: string): Promise<boolean> {
  const { sessions, now } = context;
  for (;;) {
    const found = await sessions.findOfAccount(accountId, 100);
    if (found.length === 0) return true;
    for (const session of found) {
      const forget = await sourcesOf(context, accountId, session._id);
      if (!session.deletedAt) await sessions.markDeleted(session._id, now(), forget);
      if (await context.keepsFiles()) return false;
      if (!(await dispose(context, { ...session, forget }))) return false;
    }
  }
}

async function sweep(context: Context): Promise<number> {
  const { sessions, jobs, logger, now } = context;
  let removed = 0;
  for (const session of await sessions.findDisposable(now(), 200)) {
    try {
      // A job that still runs keeps its session.
      if (!session.deletedAt && (await jobs.hasUnfinished(session._id))) continue;
      // It may have been used since the list was read: by a server whose clock is behind, or by a job that has ended meanwhile.
      if (!session.deletedAt && !(await sessions.markExpired(session._id, now()))) continue;
      if (await dispose(context, session)) removed += 1;
    } catch (error) {
      // A failure must not block the removal of the others.
      logger.warn({ err: error, sessionId: session._id }, 'a session could not be removed');
    }
  }
  if (removed > 0) logger.info({ removed }, 'removed expired sessions');
  return removed;
}

async function sweepOrphans({ sessions, store, logger, now }: Context): Promise<number> {
  let removed = 0;
  for (const folder of await store.listFolders('sessions')) {
    const sessionId = folder.replace(SAMPLE_SUFFIX, '');
    if (await sessions.exists(sessionId)) continue;
    let changedAt = 0;
    for await (const { modifiedAt } of store.list(namespaceFolder(folder)))
      changedAt = Math.max(changedAt, modifiedAt.getTime());
    if (now().getTime() - changedAt < ORPHAN_AGE_MS) continue;
    if (await store.removeBelow(namespaceFolder(folder))) removed += 1;
  }
  if (removed > 0) logger.warn({ removed }, 'removed folders that belong to no session');
  return removed;
}
