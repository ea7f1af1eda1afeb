import type { ImageResult, Job } from '#contract';
import { collect, type Follower, faultsOf, hasEnded } from '../crash/job-client.ts';
import { checkNames } from './check-names.ts';
import { ask, type Hands } from './hands.ts';
import { openCall } from './patient-calls.ts';
import { noteResults, type ToldJob } from './told.ts';

/** Failures of images that a client has asked for itself. */
const ASKED_FOR = ['job_cancelled'];

/** Follows a job to its last event, over any number of connections, and notes what it tells. @param first a stream of it */
export async function followJob(hands: Hands, job: ToldJob, first?: Response): Promise<void> {
  const follower: Follower = { jobId: job.id, events: [], clean: false };
  if (first) await collect(first, follower);
  while (!hasEnded(follower)) {
    const last = follower.events.at(-1)?.id;
    const headers: Record<string, string> = last ? { 'Last-Event-ID': last } : {};
    const path = `/v1/jobs/${job.id}/events`;
    hands.tally.calls += 1;
    const { response } = await openCall(hands.api, path, { headers }, async (open) => {
      if (open.status === 200) await collect(open, follower);
      return null;
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} before the last event`);
  }
  const [fault] = faultsOf(follower);
  if (fault !== undefined) throw new Error(`${job.id}: ${fault}`);
  const last = follower.events.at(-1);
  if (!last || last.event === 'progress') throw new Error(`${job.id}: no last event`);
  const results = (last.data.results ?? []) as ImageResult[];
  endJob(job, results, last.data.credits ?? null);
  const { body } = await ask<Job>(hands, `/v1/jobs/${job.id}`, {}, 200);
  job.status = body.status;
}

/** Notes the end of a job. @throws Error if an image failed without a reason, or costs something else than it should */
function endJob(job: ToldJob, results: ImageResult[], credits: { charged: number; refunded: number } | null): void {
  job.isRunning = false;
  checkNames(job, results);
  noteResults(job, results);
  for (const { imageId, status, error } of results)
    if (status === 'failed' && !ASKED_FOR.includes(error?.code ?? ''))
      throw new Error(`${job.id}: ${imageId} failed with ${error?.code} ${error?.message}`);
  const delivered = results.filter(({ variants }) => variants.length > 0).length;
  job.cost = credits && credits.charged - credits.refunded;
  const price = job.kind === 'export' ? delivered : 0;
  if (job.cost !== price) throw new Error(`${job.id}: ${delivered} images cost ${job.cost}, expected ${price}`);
}
