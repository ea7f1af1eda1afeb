import type { Connection } from '../connect.ts';
import { eventId } from '../repositories/job-history.ts';
import type { JobImage } from '../repositories/job-images.ts';
import { blocksOf } from '../repositories/job-images.ts';
import type { Migration } from './migration.ts';

/** Numbers of events that one attempt at a job used before. */
const EVENTS_PER_ATTEMPT = 1_000_000;

/** A job as it was stored. */
interface OlderJob {
  _id: string;
  accountId: string;
  sessionId: string;
  kind: 'export' | 'sample' | 'analyze';
  attempts: number;
  images: JobImage[];
}

/** An image's result as it was stored, with its events. */
interface OlderResult {
  jobId: string;
  events: { n: number; event: string; data: unknown }[];
}

/** Puts the images of a job and its events into collections of their own. */
export const jobImages: Migration = {
  name: 'images and events of jobs get collections of their own',
  async apply(connection, report) {
    await moveEvents(connection, report);
    await moveImages(connection, report);
    // It contained `leaseUntil`, which no query used and every renewal rewrote.
    await connection
      .collection('jobs')
      .dropIndex('state_1_leaseUntil_1')
      .catch(() => {});
  },
};

async function moveEvents(connection: Connection, report: (done: number) => void): Promise<void> {
  const results = connection.collection<OlderResult>('imageresults');
  const events = connection.collection<{ _id: string }>('job_events');
  let done = 0;
  for await (const { _id, jobId, events: older } of results.find({ events: { $exists: true } })) {
    const moved = older.map(({ n, event, data }) => ({ _id: eventId(jobId, n), n, event, data, by: '' }));
    for (const event of moved) await events.replaceOne({ _id: event._id }, event, { upsert: true });
    await results.updateOne({ _id }, { $unset: { events: '' } });
    done += 1;
    if (done % 1000 === 0) report(done);
  }
}

async function moveImages(connection: Connection, report: (done: number) => void): Promise<void> {
  const jobs = connection.collection<OlderJob>('jobs');
  const blocks = connection.collection<{ _id: string }>('job_images');
  let done = 0;
  for await (const job of jobs.find({ images: { $exists: true } })) {
    const { _id: jobId, accountId, sessionId, kind, attempts, images } = job;
    for (const block of blocksOf({ jobId, accountId, sessionId, kind }, images))
      await blocks.replaceOne({ _id: block._id }, block, { upsert: true });
    // A client may have seen events of the last attempt that were never stored.
    const eventBase = (attempts + 1) * EVENTS_PER_ATTEMPT - 1;
    const added = { total: images.length, offered: false, listened: 0, eventBase };
    await jobs.updateOne({ _id: jobId }, { $set: added, $unset: { images: '' } });
    done += 1;
    if (done % 1000 === 0) report(done);
  }
}
