import fc from 'fast-check';
import type { Job, JobKindName, Session } from '#contract';
import { followJob } from '../follow-job.ts';
import { ask, type Hands } from '../hands.ts';
import { openCall } from '../patient-calls.ts';
import { liveSessions, pick, runningJobs, type Told, type ToldJob, type ToldSession } from '../told.ts';
import { command, type HistoryCommand } from './history-command.ts';
import { BASE_NAMES } from './uploads.ts';

/** Export or sample: numbers pick a session and its images. */
interface Wish {
  which: number;
  images: number[];
  filename: string | null;
  settings: object;
  /** False: without an `Idempotency-Key`. */
  isKeyed: boolean;
}

const preset = fc.constantFrom('high', 'medium', 'low');

/** Mostly one format and another preset, since there the most meets: names, the cache, files that are replaced. */
const settings = fc.oneof(
  { weight: 4, arbitrary: fc.record({ preset, format: fc.constantFrom('webp', 'webp', 'jpeg') }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        preset,
        format: fc.constantFrom('png', 'original', 'avif'),
        formats: fc.constantFrom(['webp', 'jpeg'], ['png', 'webp']),
        embedMetadata: fc.boolean(),
      },
      { requiredKeys: ['preset', 'format'] },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      preset,
      responsive: fc.constant(true),
      responsiveSizes: fc.constantFrom([20], [16, 20], [{ width: 16, height: 16, fit: 'cover' }]),
    }),
  },
);

const wish: fc.Arbitrary<Wish> = fc.record({
  which: fc.nat(60),
  images: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
  filename: fc.option(fc.constantFrom(...BASE_NAMES), { freq: 2 }),
  settings,
  isKeyed: fc.nat(3).map((number) => number > 0),
});

/** Exports images and reads the stream to its end. */
export const exportImages = wish.map((wanted) => jobCommand('export', wanted, followJob));

/** Samples images and reads the stream to its end. */
export const sampleImages = wish.map((wanted) => jobCommand('sample', wanted, followJob));

/** Begins an export and goes away. */
export const leaveExport = wish.map((wanted) =>
  jobCommand('export', wanted, async (_hands, _job, open) => open?.body?.cancel().catch(() => {}), 'and go'),
);

/** Exports images and kills a server once the job is known. */
export const exportAndKill = fc.tuple(wish, fc.nat(2)).map(([wanted, server]) =>
  jobCommand(
    'export',
    wanted,
    async (hands, job, open) => {
      await hands.stage.kill(server);
      await followJob(hands, job, open);
    },
    'and kill',
  ),
);

/** Reads the stream of a job from its beginning to its end. */
export const followLater: fc.Arbitrary<HistoryCommand> = fc.nat(60).map((which) =>
  command(
    `follow ${which}`,
    (told) => runningJobs(told).length > 0,
    async (told, hands) => {
      const job = pick(runningJobs(told), which);
      await followJob(hands, job);
      return job.session;
    },
  ),
);

/** Cancels a job. */
export const cancelJob: fc.Arbitrary<HistoryCommand> = fc.nat(60).map((which) =>
  command(
    `cancel ${which}`,
    (told) => runningJobs(told).length > 0,
    async (told, hands) => {
      const job = pick(runningJobs(told), which);
      const { answer } = await ask<Job>(hands, `/v1/jobs/${job.id}/cancel`, { method: 'POST' }, 200, 409);
      await followJob(hands, job);
      if (answer.status === 200 && job.status !== 'cancelled')
        throw new Error(`${job.id}: it was cancelled, and ended as ${job.status}`);
      return job.session;
    },
  ),
);

/** Exports images of a session and reads the stream to its end. */
export function exportOf(which: number, images: number[], settings: object, filename: string | null = null) {
  return jobCommand('export', { which, images, filename, settings, isKeyed: true }, followJob);
}

function jobCommand(
  kind: 'export' | 'sample',
  wanted: Wish,
  then: (hands: Hands, job: ToldJob, open: Response | undefined) => Promise<unknown>,
  suffix = '',
): HistoryCommand {
  const { which, images, filename, settings: chosen, isKeyed } = wanted;
  const name = filename === null ? '' : ` as ${filename}`;
  return command(
    `${kind} ${which} ${JSON.stringify(images)}${name} ${JSON.stringify(chosen)}${isKeyed ? '' : ' without key'} ${suffix}`.trim(),
    (told) => liveSessions(told).length > 0,
    async (told, hands) => {
      const session = pick(liveSessions(told), which);
      const ids = [...new Set(images.map((number) => pick(session.images, number).id))];
      const json = {
        images: ids.map((id, index) => (filename !== null && index === 0 ? { id, metadata: { filename } } : { id })),
        settings: chosen,
      };
      const path = `/v1/sessions/${session.id}/${kind}`;
      const { jobId, open } = isKeyed
        ? await startKeyed(told, hands, session, path, json)
        : await startOnce(hands, session, path, json);
      if (jobId === null) return session;
      await then(hands, noteStarted(session, jobId, kind, wantedNames(session, ids, filename)), open);
      return session;
    },
  );
}

/** Returns the base names that files will have: of the request, else as edited, else of the upload. */
function wantedNames({ images }: ToldSession, ids: string[], filename: string | null): ToldJob['wanted'] {
  const baseOf = (id: string, index: number) => {
    const image = images.find((told) => told.id === id);
    const named = index === 0 ? filename : null;
    return named ?? image?.texts.filename ?? image?.originalFilename.replace(/\.\w+$/, '') ?? '';
  };
  return new Map(ids.map((id, index) => [id, baseOf(id, index)]));
}

function noteStarted(session: ToldSession, id: string, kind: JobKindName, wanted: ToldJob['wanted']): ToldJob {
  const others = session.jobs.filter(({ isRunning }) => isRunning);
  for (const other of others) other.overlaps = true;
  const job: ToldJob = {
    id,
    kind,
    session,
    wanted,
    isRunning: true,
    overlaps: others.length > 0,
    results: null,
    status: null,
    cost: null,
  };
  session.jobs.push(job);
  return job;
}

/** A job that was accepted, with its stream; null: none was. */
interface Started {
  jobId: string | null;
  open: Response | undefined;
}

/** Starts a job with a key, again until its id is told. */
async function startKeyed(
  told: Told,
  hands: Hands,
  session: ToldSession,
  path: string,
  json: object,
): Promise<Started> {
  const start = async (key: string) => {
    hands.tally.calls += 1;
    const request = { json, headers: { 'Idempotency-Key': key } };
    return openCall(hands.api, path, request, async (response) => response);
  };
  const key = hands.newKey();
  const { response } = await start(key);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const jobId = response.headers.get('X-Job-Id');
  const send = async (again: string) => {
    const { response: repeated } = await start(again);
    await repeated.body?.cancel().catch(() => {});
    return { status: repeated.status, body: null, jobId: repeated.headers.get('X-Job-Id') };
  };
  told.calls.push({ key, path, session, send, answer: { status: 200, body: null, jobId } });
  return { jobId, open: response };
}

/** Starts a job without a key, once; where no answer comes, the session tells whether there is one. */
async function startOnce(hands: Hands, session: ToldSession, path: string, json: object): Promise<Started> {
  hands.tally.calls += 1;
  const response = await hands.api.request(path, { json }).catch(() => null);
  if (response?.status === 200) return { jobId: response.headers.get('X-Job-Id'), open: response };
  if (response && response.status !== 503) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await hands.stage.whole();
  const { body } = await ask<Session>(hands, `/v1/sessions/${session.id}`, {}, 200);
  const known = new Set(session.jobs.map(({ id }) => id));
  const unknown = body.jobs.filter(({ jobId, status }) => !known.has(jobId) && status !== 'created');
  if (unknown.length > 1) throw new Error(`${path}: one call made ${unknown.length} jobs`);
  return { jobId: unknown[0]?.jobId ?? null, open: undefined };
}
