import type { ImageResult, JobKindName } from '#contract';

/** A file that a result has named. */
export interface ToldFile {
  imageId: string;
  /** Session, or its samples. */
  namespace: string;
  variant: string;
  filename: string;
  url: string;
  sha256: string;
  size: number;
}

/** An image of a session, and the texts that were acknowledged. */
export interface ToldImage {
  id: string;
  originalFilename: string;
  size: number;
  sha256: string;
  texts: Record<string, string | null>;
}

/** An export or sample that was accepted. */
export interface ToldJob {
  id: string;
  kind: JobKindName;
  session: ToldSession;
  /** Base names that were wanted for the files, by image, in the order of the request. */
  wanted: Map<string, string>;
  /** True until its last event was seen. */
  isRunning: boolean;
  /** True if another job or a renaming of its session came at the same time: which of both was the last is not known. */
  overlaps: boolean;
  /** Results of the last event; null: the session was deleted before it came. */
  results: ImageResult[] | null;
  status: string | null;
  /** Credits that it cost in the end; null: not told. */
  cost: number | null;
}

/** A link to a session. */
export interface ToldShare {
  id: string;
  token: string;
  isRevoked: boolean;
  answers: Map<string, { verdict: string; comment: string; textsVersion: string }>;
}

/** A session that was created, and all that was told of it. */
export interface ToldSession {
  id: string;
  isDeleted: boolean;
  images: ToldImage[];
  files: ToldFile[];
  /** Hashes of which one is that of the newest file, by {@link nameKey}. */
  newest: Map<string, Set<string>>;
  /** Images to which names belong, by {@link nameKey}. */
  owners: Map<string, string>;
  shares: ToldShare[];
  /** Links of calls without an answer, which may exist. */
  possibleShares: number;
  jobs: ToldJob[];
}

/** A call with an `Idempotency-Key` that was answered. */
export interface KeyedCall {
  key: string;
  path: string;
  /** Session of the path; null for a call that made one. */
  session: ToldSession | null;
  /** Sends it again, under this key. */
  send: (key: string) => Promise<{ status: number; body: unknown; jobId: string | null }>;
  /** The answer: of a stream its job, else the body. */
  answer: { status: number; body: unknown; jobId: string | null };
}

/** The model: what the service has told one client. */
export interface Told {
  sessions: ToldSession[];
  calls: KeyedCall[];
}

/** Returns what is told before the first call: nothing. */
export const nothingTold = (): Told => ({ sessions: [], calls: [] });

/** Lists the sessions that are not deleted. */
export const liveSessions = ({ sessions }: Told): ToldSession[] => sessions.filter(({ isDeleted }) => !isDeleted);

/** Lists the jobs that have not ended, of sessions that are not deleted. */
export const runningJobs = (told: Told): ToldJob[] =>
  liveSessions(told).flatMap(({ jobs }) => jobs.filter(({ isRunning }) => isRunning));

/** Returns an element by a number of any size. */
export function pick<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Returns the key of a file name in a namespace, without regard to case. */
export const nameKey = (namespace: string, filename: string): string => `${namespace}/${filename.toLowerCase()}`;

/** Notes the files of a job that has ended. */
export function noteResults(job: ToldJob, results: ImageResult[]): void {
  const { session, overlaps } = job;
  const { newest, owners } = session;
  const namespace = job.kind === 'sample' ? `${session.id}-sample` : session.id;
  job.results = results;
  for (const { imageId, variants } of results)
    for (const { name: variant, filename, url, sha256, size } of variants) {
      session.files.push({ imageId, namespace, variant, filename, url, sha256, size });
      const key = nameKey(namespace, filename);
      newest.set(key, new Set([...(overlaps ? (newest.get(key) ?? []) : []), sha256]));
      owners.set(key, imageId);
      if (!overlaps) continue;
      // It may have had another name of its image before it was renamed.
      for (const [name, owner] of owners) if (owner === imageId) newest.get(name)?.add(sha256);
    }
}

/** Notes that a session is deleted, and that its jobs will tell nothing more. */
export function noteDeleted(session: ToldSession): void {
  session.isDeleted = true;
  for (const job of session.jobs) job.isRunning = false;
}
