import { ConnectionError } from '../sdk/index.ts';
import type { JobEnd } from './read-job.ts';

/** An image at the service. */
export interface UploadedImage {
  imageId: string | null;
}

/** An export in progress at the service. */
export interface RunningJob {
  jobId: string;
}

/** Paid work, as the journal has it. */
export interface PaidWork<Result, Running> {
  /** Finished results, already taken over. */
  found: readonly Result[];
  /** Exports in progress, oldest first. */
  running: readonly Running[];
  /** Names this state: a request made from the same state has the same idempotency key. */
  state: string;
}

/** Ports of an export. */
export interface ExportPorts<Image extends UploadedImage, Result extends UploadedImage, Running extends RunningJob> {
  /** Images without a result, beside those whose ids were `tried` in this run. */
  pending(tried: ReadonlySet<string | null>): readonly Image[];
  /** Reads what is paid for: a record of the client, or the session at the service. */
  readJournal(): Promise<PaidWork<Result, Running>>;
  /** Follows an export in progress to its end. Required if the journal has any. */
  follow?(job: Running): Promise<JobEnd<Result>>;
  /** Requests one export. The same state and attempt must give the same idempotency key. */
  send(images: readonly Image[], from: { state: string; attempt: number }): Promise<JobEnd<Result>>;
  /** Called once before the first request; false ends the export. */
  confirm?(images: readonly Image[], batches: number): boolean;
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
export async function exportOnce<Image extends UploadedImage, Result extends UploadedImage, Running extends RunningJob>(
  ports: ExportPorts<Image, Result, Running>,
  size: number,
  signal: AbortSignal,
): Promise<JobEnd<Result>['error']> {
  const tried = new Set<string | null>();
  const joined = new Set<string>();
  const mark = (images: readonly UploadedImage[]) => {
    for (const { imageId } of images) tried.add(imageId);
  };

  /** Takes over results and follows jobs until none is in progress. Returns the last state it saw. */
  async function readPaid(): Promise<string> {
    for (;;) {
      const { found, running, state } = await ports.readJournal();
      if (signal.aborted) throw new ConnectionError('aborted');
      mark(found);
      const job = ports.pending(tried)[0] && running.find(({ jobId }) => !joined.has(jobId));
      if (found.length > 0 || job) ports.onShared?.();
      if (!job) return state;
      joined.add(job.jobId);
      const end = await ports.follow?.(job).catch((cause) => {
        // A refused job, for example for lack of credits, is deleted.
        if (cause.code !== 'job_not_found') throw cause;
      });
      mark(end?.results ?? []);
      if (end?.error?.code === 'job_cancelled') throw new ConnectionError('aborted');
    }
  }

  let state = await readPaid();
  let images = ports.pending(tried);
  const batches = () => Math.ceil(images.length / size);
  if (images.length > 0 && ports.confirm?.(images, batches()) === false) return null;
  let attempt = 0;
  for (let batch = 0; images.length > 0 && !signal.aborted; images = ports.pending(tried)) {
    ports.onBatch?.(batch, batch + batches());
    images = images.slice(0, size);
    try {
      const { jobId, error, results } = await ports.send(images, { state, attempt });
      mark([...images, ...results]);
      // The next batch follows this one, as any client that reads the session meanwhile sees.
      state = jobId || state;
      batch += 1;
      attempt = 0;
      if (error?.code === 'job_cancelled') return null;
      if (error && results.length === 0) return error;
    } catch (cause) {
      // Another client that saw the same state has sent something else.
      const isMismatch = (cause as { code?: unknown }).code === 'idempotency_mismatch';
      if (!ports.wait || !isMismatch || attempt === MAX_ATTEMPTS) throw cause;
      await ports.wait(NEXT_READ_MS);
      const before = state;
      state = await readPaid();
      attempt = state === before ? attempt + 1 : 0;
    }
  }
  return null;
}
