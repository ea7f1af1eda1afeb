import { ConnectionError } from '../sdk/index.ts';
import type { JobEnd } from './read-job.ts';

/** An image at the service. */
export interface UploadedImage {
  imageId: string | null;
}

/** An export in progress at the service. */
export interface RunningExport<Result> {
  jobId: string;
  /** Follows it to its end. */
  follow(): Promise<JobEnd<Result>>;
}

/** What is already paid for, as the journal has it. */
export interface PaidWork<Result> {
  /** Finished results, already taken over. */
  found: readonly Result[];
  /** Exports in progress, oldest first. */
  running: readonly RunningExport<Result>[];
  /** Names this state: a request made from the same state has the same idempotency key. */
  state: string;
}

/** What an export needs of its surroundings. */
export interface ExportPorts<Image extends UploadedImage, Result extends UploadedImage> {
  /** Images without a result, beside those whose ids were `tried` in this run. */
  pending(tried: ReadonlySet<string | null>): readonly Image[];
  /** Reads what is paid for: a record of the client, or the session at the service. */
  readJournal(): Promise<PaidWork<Result>>;
  /** Requests one export. The same state and attempt must give the same idempotency key. */
  send(images: readonly Image[], from: { state: string; attempt: number }): Promise<JobEnd<Result>>;
  /** Called once before the first request; false ends the export. */
  confirm?(images: readonly Image[]): boolean;
  /** Called before each request. */
  onBatch?(index: number, batches: number): void;
  /** Called if another client has exported, or is exporting, the same images. */
  onShared?(): void;
  /** Waits between two reads of the journal. Without it a request that differs from another client's is an error. */
  wait?(ms: number): Promise<void>;
}

/** Wait until a concurrent request of another client is visible in the session, in milliseconds. */
const NEXT_READ_MS = 1000;
/** Most reads of an unchanged journal before a mismatch is an error. */
const MAX_ATTEMPTS = 5;

/**
 * Exports images in batches, one after the other, without paying twice: takes over finished results, follows exports in
 * progress, and derives the idempotency key of each request from the journal, so that clients that saw the same state share a job.
 * @param size images of one request
 * @returns the error of a job without results, after which no batch is sent; else null
 * @throws ConnectionError `aborted`; any error of a port
 */
export async function exportOnce<Image extends UploadedImage, Result extends UploadedImage>(
  ports: ExportPorts<Image, Result>,
  size: number,
  signal: AbortSignal,
): Promise<JobEnd<Result>['error']> {
  const run: ExportRun<Image, Result> = { ports, signal, tried: new Set(), joined: new Set() };
  let state = await joinRunning(run);
  let images = ports.pending(run.tried);
  if (images.length > 0 && ports.confirm?.(images) === false) return null;
  let attempt = 0;
  for (let batch = 0; images.length > 0 && !signal.aborted; images = ports.pending(run.tried)) {
    ports.onBatch?.(batch, batch + Math.ceil(images.length / size));
    images = images.slice(0, size);
    try {
      const { jobId, error, results } = await ports.send(images, { state, attempt });
      markTried(run, [...images, ...results]);
      // The next batch follows this one, as any client that reads the session meanwhile sees.
      state = jobId || state;
      batch += 1;
      attempt = 0;
      if (error?.code === 'job_cancelled') return null;
      if (error && results.length === 0) return error;
    } catch (cause) {
      // Another client that saw the same state has sent something else.
      if (!ports.wait || codeOf(cause) !== 'idempotency_mismatch' || attempt === MAX_ATTEMPTS) throw cause;
      await ports.wait(NEXT_READ_MS);
      const before = state;
      state = await joinRunning(run);
      attempt = state === before ? attempt + 1 : 0;
    }
  }
  return null;
}

interface ExportRun<Image extends UploadedImage, Result extends UploadedImage> {
  ports: ExportPorts<Image, Result>;
  signal: AbortSignal;
  /** Ids of images that have a result or a failure of this run. */
  tried: Set<string | null>;
  /** Ids of followed jobs. */
  joined: Set<string>;
}

/** Takes over results and follows jobs until none is in progress. Returns the last state it saw. */
async function joinRunning<Image extends UploadedImage, Result extends UploadedImage>(
  run: ExportRun<Image, Result>,
): Promise<string> {
  const { ports, signal, tried, joined } = run;
  for (;;) {
    const { found, running, state } = await ports.readJournal();
    if (signal.aborted) throw new ConnectionError('aborted');
    markTried(run, found);
    const job = ports.pending(tried).length > 0 && running.find(({ jobId }) => !joined.has(jobId));
    if (found.length > 0 || job) ports.onShared?.();
    if (!job) return state;
    joined.add(job.jobId);
    const end = await job.follow().catch((cause) => {
      // A refused job, for example for lack of credits, is deleted.
      if (cause.status !== 404) throw cause;
    });
    markTried(run, end?.results ?? []);
    if (end?.error?.code === 'job_cancelled') throw new ConnectionError('aborted');
  }
}

function markTried({ tried }: { tried: Set<string | null> }, images: readonly UploadedImage[]): void {
  for (const { imageId } of images) tried.add(imageId);
}

function codeOf(cause: unknown): unknown {
  return (cause as { code?: unknown } | null)?.code;
}
