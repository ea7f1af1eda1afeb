import { SAMPLE_SUFFIX } from '#contract';
import type { Repositories, SessionRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../observability/index.ts';
import { type FileStore, namespaceFolder } from '../storage/index.ts';

interface DisposalDeps {
  repositories: Pick<Repositories, 'sessions' | 'images' | 'jobs' | 'imageResults' | 'outputs'>;
  store: FileStore;
  logger: Logger;
  /** Stops the session's jobs; resolves when none of them touches a file any more. */
  stopJobs: (sessionId: string) => Promise<void>;
  /** Removes whatever was made from uploads of these hashes and kept for equal requests. */
  forgetSources: (accountId: string, sha256s: string[]) => Promise<void>;
  now?: () => Date;
}

/** Folders without a session are removed only when they are older than this, since an upload may just be creating one. */
const ORPHAN_AGE_MS = 3_600_000;

/** Builds what removes sessions with everything that belongs to them: on request, at expiry, and after a crash. */
export function createSessionDisposal(deps: DisposalDeps) {
  const { repositories, store, logger, stopJobs, forgetSources, now = () => new Date() } = deps;
  const { sessions, images, jobs, imageResults, outputs } = repositories;

  async function dispose({ _id: sessionId }: SessionRecord): Promise<void> {
    await stopJobs(sessionId);
    await jobs.removeOfSession(sessionId);
    // A job that was being paid for during the first stop may have begun before its record was gone.
    await stopJobs(sessionId);
    await outputs.removeOfSession(sessionId);
    await imageResults.removeOfSession(sessionId);
    await images.removeOfSession(sessionId);
    await store.removeFolder(namespaceFolder(sessionId));
    await store.removeFolder(namespaceFolder(sessionId + SAMPLE_SUFFIX));
    await sessions.remove(sessionId);
  }

  /** Who deletes a session wants its pictures gone, the cached ones too, unless another session holds the same upload. */
  async function disposeOnRequest(session: SessionRecord): Promise<void> {
    const { accountId } = session;
    const held = (await images.findOfSession(accountId, session._id)).map(({ sha256 }) => sha256);
    await dispose(session);
    const elsewhere = await images.sourcesInUse(accountId, held);
    await forgetSources(
      accountId,
      held.filter((sha256) => !elsewhere.has(sha256)),
    );
  }

  return {
    /** Deletes a session and its files at once. @throws session_not_found */
    async delete(accountId: string, sessionId: string): Promise<void> {
      const session = await sessions.findLive(accountId, sessionId, now());
      if (!session || !(await sessions.markDeleted(sessionId, now()))) {
        throw new AppError('session_not_found', `No session ${sessionId}; it may have expired`);
      }
      await disposeOnRequest(session);
    },

    /** Removes sessions that have expired or whose deletion was interrupted. @returns how many */
    async sweep(): Promise<number> {
      let removed = 0;
      for (const session of await sessions.findDisposable(now(), 200)) {
        // A job that still runs keeps its session.
        if (!session.deletedAt && (await jobs.hasUnfinished(session._id))) continue;
        await sessions.markDeleted(session._id, now());
        await (session.deletedAt ? disposeOnRequest(session) : dispose(session));
        removed += 1;
      }
      if (removed > 0) logger.info({ removed }, 'removed expired sessions');
      return removed;
    },

    /** Removes folders that no session owns. @returns how many */
    async sweepOrphans(): Promise<number> {
      let removed = 0;
      for (const folder of await store.listFolders('sessions')) {
        const sessionId = folder.replace(SAMPLE_SUFFIX, '');
        const found = await store.stat(namespaceFolder(folder));
        if (!found || now().getTime() - found.mtimeMs < ORPHAN_AGE_MS) continue;
        if (await sessions.exists(sessionId)) continue;
        await store.removeFolder(namespaceFolder(folder));
        removed += 1;
      }
      if (removed > 0) logger.warn({ removed }, 'removed folders that no session owns');
      return removed;
    },
  };
}

/** What removes sessions. */
export type SessionDisposal = ReturnType<typeof createSessionDisposal>;
