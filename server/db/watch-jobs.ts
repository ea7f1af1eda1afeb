import type { mongo } from 'mongoose';
import type { JobEventRecord } from './models/job-event.ts';

/** Time after which a change stream that broke is opened again, in milliseconds. */
const AGAIN_MS = 5000;

/**
 * MongoDB's codes of a server or user without change streams: not authorized, no such command or stage, not supported, no
 * replica set. Source: `error_codes.yml` of MongoDB.
 */
const UNSUPPORTED = new Set([13, 59, 115, 40324, 40573]);

/** What a watch reports. */
export interface JobNews {
  /** An event was stored. */
  onEvent(event: JobEventRecord): void;
  /** A job has ended. */
  onEnd(jobId: string): void;
}

/** Dependencies of the watcher: a database of the driver. */
export type Watchable = Pick<mongo.Db, 'watch'>;

const PIPELINE = [
  {
    $match: {
      $or: [
        { 'ns.coll': 'job_events', operationType: 'insert' },
        {
          'ns.coll': 'jobs',
          operationType: 'update',
          'updateDescription.updatedFields.lastEvent': { $type: 'number' },
        },
      ],
    },
  },
  { $project: { ns: 1, documentKey: 1, fullDocument: 1 } },
];

interface Change {
  ns: { coll: string };
  documentKey: { _id: string };
  fullDocument?: JobEventRecord;
}

/**
 * Reports news of jobs by a change stream, which replica sets and sharded clusters have. Where there is none, or while it is
 * broken, nothing is reported: a report shortens a wait, and callers poll the database as well.
 * @returns a function that ends the watch
 */
export function watchJobs(database: Watchable | undefined, news: JobNews): () => void {
  let stream: ReturnType<Watchable['watch']> | undefined;
  let again: NodeJS.Timeout | undefined;
  let ended = false;

  function open(): void {
    if (ended || !database) return;
    const opened = database.watch(PIPELINE);
    stream = opened;
    opened.on('change', (change) => report(change as unknown as Change, news));
    opened.on('error', (error: { code?: unknown }) => {
      opened.close().catch(() => {});
      if (ended || UNSUPPORTED.has(Number(error.code))) return;
      again = setTimeout(open, AGAIN_MS).unref();
    });
  }

  open();
  return () => {
    ended = true;
    clearTimeout(again);
    stream?.close().catch(() => {});
  };
}

function report({ ns, documentKey, fullDocument }: Change, { onEvent, onEnd }: JobNews): void {
  if (ns.coll === 'jobs') onEnd(documentKey._id);
  else if (fullDocument) onEvent(fullDocument);
}
