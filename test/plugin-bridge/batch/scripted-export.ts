import { exportOnce, type JobEnd, type PaidWork } from '../../../plugin-bridge/batch/index.ts';

/** An image of a scripted export. */
export interface ScriptedImage {
  imageId: string;
}

/** Returns images with the ids `img_1`, `img_2`, … */
export function imagesOf(count: number): ScriptedImage[] {
  return Array.from({ length: count }, (_, index) => ({ imageId: `img_${index + 1}` }));
}

/** Returns the end of a job that exported these images. */
export function endOf(jobId: string, images: readonly ScriptedImage[], changes: Partial<JobEnd<ScriptedImage>> = {}) {
  return { jobId, results: [...images], credits: null, error: null, ...changes };
}

/** An export in progress; `follow` reads it. */
export interface ScriptedJob {
  jobId: string;
  follow(): Promise<JobEnd<ScriptedImage>>;
}

type Step = JobEnd<ScriptedImage> | Error;

/** Inputs of a scripted client. */
export interface Script {
  images: readonly ScriptedImage[];
  /** Images in one request. */
  size?: number;
  /** Responses of the service, one for each request. */
  answers: readonly Step[];
  /** Contents of the journal at each read; the last one repeats. */
  journal?: readonly PaidWork<ScriptedImage, ScriptedJob>[];
  /** Waits between reads of the journal; false: the client has no other clients beside it. */
  waits?: boolean;
  confirm?: boolean;
  signal?: AbortSignal;
}

/** Runs an export against scripted responses, and records the requests. */
export async function runScript({ images, size = 10, answers, journal, waits = true, confirm, signal }: Script) {
  const steps = [...answers];
  const reads = [...(journal ?? [{ found: [], running: [], state: 'new' }])];
  const requests: { images: string[]; key: string }[] = [];
  const batches: [number, number][] = [];
  let shared = 0;
  let waited = 0;
  let confirmed = 0;
  const ports = {
    pending: (tried: ReadonlySet<string | null>) => images.filter(({ imageId }) => !tried.has(imageId)),
    async readJournal() {
      const read = reads.length > 1 ? reads.shift() : reads[0];
      if (!read) throw new Error('The script has no journal');
      return read;
    },
    follow: (job: ScriptedJob) => job.follow(),
    async send(sent: readonly ScriptedImage[], { state, attempt }: { state: string; attempt: number }) {
      requests.push({ images: sent.map(({ imageId }) => imageId), key: `${state}:${attempt}` });
      const step = steps.shift();
      if (!step) throw new Error('The script has no answer');
      if (step instanceof Error) throw step;
      return step;
    },
    confirm() {
      confirmed += 1;
      return confirm ?? true;
    },
    onBatch: (index: number, total: number) => void batches.push([index, total]),
    onShared() {
      shared += 1;
    },
    ...(waits && {
      async wait() {
        waited += 1;
      },
    }),
  };
  const outcome = await exportOnce(ports, size, signal ?? new AbortController().signal).then(
    (error) => ({ error, thrown: null }),
    (thrown: Error & { code?: string }) => ({ error: null, thrown }),
  );
  return { ...outcome, requests, batches, shared, waited, confirmed };
}

/** Returns an error as the client throws it. */
export function errorOf(code: string, status?: number): Error {
  return Object.assign(new Error(code), { code, status });
}
