import { RECENT_IMAGES, type RecentSession } from '#contract';
import type { Repositories, SessionRecord } from '../db/index.ts';

interface RecentDeps extends Pick<Repositories, 'sessions' | 'images' | 'jobs' | 'shares'> {
  now: () => Date;
}

/** Newest jobs of a session among which an export is looked for. */
const JOBS_READ = 20;

/** Lists sessions that have not ended, newest first, with their first images and what was done with them. Extends none. */
export async function listRecent(deps: RecentDeps, accountId: string, limit: number): Promise<RecentSession[]> {
  const found = await deps.sessions.findRecent(accountId, deps.now(), limit);
  return Promise.all(found.map((session) => showRecent(deps, accountId, session)));
}

async function showRecent(
  { images, jobs, shares, now }: RecentDeps,
  accountId: string,
  { _id: sessionId, createdAt, expiresAt, imageCount }: SessionRecord,
): Promise<RecentSession> {
  const [first, described, latest, links] = await Promise.all([
    images.firstOf(sessionId, RECENT_IMAGES),
    images.countDescribed(sessionId),
    jobs.findOfSession(accountId, sessionId, JOBS_READ),
    shares.findOfSession(accountId, sessionId),
  ]);
  return {
    sessionId,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    images: imageCount,
    firstImage: first[0]?.originalFilename ?? null,
    firstImages: first.map(({ _id }) => _id),
    described,
    exported: latest.some(({ kind, state }) => kind === 'export' && (state === 'completed' || state === 'partial')),
    shared: links.some((link) => !link.revokedAt && link.expiresAt > now()),
  };
}
