import type { AnalysisResult, Image, ImageResult, Job, Metadata, Session, UploadResult } from '#contract';
import { emptyMetadataValues, forEachLimit } from '#contract/constants';
import type { ResultEvent, ResultStream } from '../../../plugin-bridge/sdk/index.ts';
import type { Transport, Upload } from '../../../widget/state/index.ts';

/** An error as the client throws it for an answer of the service. */
export function apiError(status: number, code: string, details: { [name: string]: unknown } = {}): Error {
  const retryable = status === 429 || status >= 500;
  return Object.assign(new Error(code), { name: 'ApiError', status, code, details, retryable });
}

/** An error as the client throws it when there is no answer. */
export function connectionError(code = 'network'): Error {
  return Object.assign(new Error(code), { name: 'ConnectionError', code, retryable: code !== 'aborted' });
}

/** A stream that a test feeds. */
export interface ScriptedStream<Result> {
  stream: ResultStream<Result>;
  push(event: ResultEvent<Result>): void;
  fail(error: Error): void;
  readonly cancelled: boolean;
  readonly closed: boolean;
}

/** Makes a stream that a test feeds. It closes when its signal says so; `ended` hears of its last event. */
function createScriptedStream<Result>(
  jobId: string,
  options?: { signal?: AbortSignal },
  ended?: (event: ResultEvent<Result>) => void,
): ScriptedStream<Result> {
  const queue: (ResultEvent<Result> | Error)[] = [];
  let wake = () => {};
  let cancelled = false;
  let closed = false;
  options?.signal?.addEventListener('abort', () => {
    closed = true;
  });
  const stream: ResultStream<Result> = {
    jobId: async () => jobId,
    async cancel() {
      cancelled = true;
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = queue.shift();
        if (next instanceof Error) throw next;
        if (next) {
          yield next;
          if (next.event !== 'progress') return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
  const push = (event: ResultEvent<Result> | Error) => {
    const isEnd = !(event instanceof Error) && event.event !== 'progress';
    const named = isEnd ? ({ ...event, data: { ...event.data, jobId } } as ResultEvent<Result>) : event;
    if (isEnd) ended?.(named as ResultEvent<Result>);
    queue.push(named);
    wake();
  };
  return {
    stream,
    push,
    fail: push,
    get cancelled() {
      return cancelled;
    },
    get closed() {
      return closed;
    },
  };
}

/** An uploaded image as the service answers. */
export function imageOf(id: string, changes: Partial<Image> = {}): Image {
  return {
    id,
    originalFilename: `${id}.jpg`,
    uploadPath: `sessions/s/${id}.jpg`,
    mimeType: 'image/jpeg',
    format: 'jpeg',
    size: 1000,
    sha256: 'x',
    width: 40,
    height: 30,
    hasAlpha: false,
    pages: 1,
    clientRef: null,
    warnings: [],
    metadata: null,
    ...changes,
  };
}

/** Texts as an analysis writes them. */
export function describedAs(alt: string, changes: Partial<Metadata> = {}): Metadata {
  const source = { filename: 'ai', title: 'ai', alt: 'ai' } as const;
  const words = { ...emptyMetadataValues(), filename: 'a-file', title: 'A title', alt, language: 'en' };
  return { ...words, source, needsReview: [], model: 'm', aiStatus: 'completed', ...changes };
}

/** A result as an export answers. */
export function resultOf(imageId: string, changes: Partial<ImageResult> = {}): ImageResult {
  const filename = `${imageId}.webp`;
  const file = { path: filename, size: 250, width: 40, height: 30, filename, url: `/${filename}`, sha256: 'x' };
  return {
    imageId,
    clientRef: null,
    status: 'completed',
    originalFilename: `${imageId}.jpg`,
    filename,
    format: 'webp',
    mimeType: 'image/webp',
    original: { size: 1000, width: 40, height: 30, format: 'jpeg' },
    variants: [{ name: 'full', ...file }],
    savedBytes: 750,
    savedPercent: 75,
    quality: { preset: 'high', used: 80 },
    largerThanOriginal: false,
    keptOriginal: false,
    fromCache: false,
    skippedSizes: [],
    warnings: [],
    creditsCharged: 1,
    error: null,
    ...changes,
  };
}

/** A failed result. */
export function failedResult(imageId: string, code = 'processing_failed'): ImageResult {
  return resultOf(imageId, { status: 'failed', variants: [], filename: null, error: { code, message: code } });
}

/** A job as the service shows it. */
export function jobOf(jobId: string, changes: Partial<Job> = {}): Job {
  const ends = { options: null, summary: null, credits: null, error: null, finishedAt: null };
  const base = { jobId, sessionId: 'sess_1', kind: 'export', status: 'completed', current: 0, total: 2 } as const;
  const settings = { preset: 'high', responsive: false, embedMetadata: false, keepCopyright: true } as const;
  return { ...base, ...ends, createdAt: '', settings: { format: 'webp', ...settings }, ...changes };
}

/** State and controls of the scripted service for a test. */
export interface ScriptedService {
  transport: Transport;
  /** Every upload: its file's name and key. */
  uploads: { name: string; key: string | undefined; session: string | null }[];
  patches: { imageId: string; metadata: { [field: string]: unknown } }[];
  exports: { images: string[]; settings: unknown; key: string | undefined; run: ScriptedStream<ImageResult> }[];
  samples: { images: string[]; run: ScriptedStream<ImageResult> }[];
  analyses: { images: string[]; options: { [option: string]: unknown }; run: ScriptedStream<AnalysisResult> }[];
  follows: { jobId: string; run: ScriptedStream<ImageResult | AnalysisResult> }[];
  checks: number[];
  /** Answer of `getSession` and `getJob`. */
  session: Session;
  jobs: Map<string, Job>;
  balance: number;
}

/** A service whose uploads and edits work at once, and whose jobs do what a test says. `replace`: calls of its own. */
export function createScriptedService(replace: Partial<Transport> = {}): ScriptedService {
  let images = 0;
  let jobCount = 0;
  const session: Session = {
    sessionId: 'sess_1',
    createdAt: '',
    expiresAt: '',
    images: [],
    analysis: { status: 'none' },
    jobs: [],
  };
  const nextJob = () => {
    jobCount += 1;
    return `job_${jobCount}`;
  };

  /** A job that has ended is the newest of its session. */
  function keepJob(job: Job) {
    service.jobs.set(job.jobId, job);
    const { results: _, ...listed } = job;
    session.jobs = [listed, ...session.jobs.filter(({ jobId }) => jobId !== job.jobId)];
  }

  function upload(what: Upload, key: string | undefined, into: string | null): UploadResult {
    const name = 'files' in what ? (what.files[0]?.name ?? '') : (what.images[0]?.url ?? '');
    const clientRef = ('files' in what ? what.files[0]?.metadata?.clientRef : what.images[0]?.clientRef) ?? null;
    service.uploads.push({ name, key, session: into });
    images += 1;
    const image = imageOf(`img_${images}`, { originalFilename: name, clientRef });
    session.images.push(image);
    return { sessionId: session.sessionId, createdAt: '', expiresAt: '', images: [image], rejected: [] };
  }

  const service: ScriptedService = {
    uploads: [],
    patches: [],
    exports: [],
    samples: [],
    analyses: [],
    follows: [],
    checks: [],
    session,
    jobs: new Map(),
    balance: 25,
    transport: {
      createSession: async (what, options) => upload(what, options?.idempotencyKey, null),
      addImages: async (id, what, options) => upload(what, options?.idempotencyKey, id),
      getSession: async () => session,
      async updateImage(_session, imageId, metadata) {
        service.patches.push({ imageId, metadata });
        return imageOf(imageId);
      },
      previewImage: async () => new Blob(['preview']),
      analyzeImages(_session, { images: ids = [], options = {} }, call) {
        const run = createScriptedStream<AnalysisResult>(nextJob(), call);
        service.analyses.push({ images: ids, options, run });
        return run.stream;
      },
      getAnalysis: async (sessionId) => ({ sessionId, status: 'none', images: [] }),
      sampleImages(_session, body, call) {
        const run = createScriptedStream<ImageResult>(nextJob(), call);
        service.samples.push({ images: body.images.map(({ id }) => id), run });
        return run.stream;
      },
      exportImages(_session, body, options) {
        const { settings } = body;
        const jobId = nextJob();
        const run = createScriptedStream<ImageResult>(jobId, options, ({ data }) => {
          const results = 'results' in data ? data.results : undefined;
          keepJob(
            jobOf(jobId, {
              settings: { ...jobOf(jobId).settings, ...(settings as object) } as Job['settings'],
              results,
            }),
          );
        });
        service.exports.push({ images: body.images.map(({ id }) => id), settings, key: options?.idempotencyKey, run });
        return run.stream;
      },
      async getJob(jobId) {
        const job = service.jobs.get(jobId);
        if (!job) throw apiError(404, 'job_not_found');
        return job;
      },
      cancelJob: async () => ({}),
      followJob(jobId, call) {
        const run = createScriptedStream<ImageResult | AnalysisResult>(jobId, call);
        service.follows.push({ jobId, run });
        return run.stream;
      },
      // As a proxy that does not know the address.
      getLimits: () => Promise.reject(apiError(404, 'not_found')),
      async checkCredits({ imageCount }) {
        service.checks.push(imageCount);
        const { balance } = service;
        const shortfall = Math.max(0, imageCount - balance);
        const price = { costPerImage: 1, cost: imageCount, balance, balanceAfter: balance - imageCount };
        return { operation: 'export', imageCount, ...price, sufficient: shortfall === 0, shortfall };
      },
      getBalance: async () => {
        const keys = { used: 1, limit: 2 };
        const limits = forEachLimit(() => null);
        return { balance: service.balance, plan: 'free', used: 0, granted: 25, keys, limits, updatedAt: '' };
      },
      downloadFile: async (space, filename) => new Blob([`${space}/${filename}`]),
      fetchMedia: async (url) => new Blob([url], { type: 'image/jpeg' }),
      ...replace,
    },
  };
  return service;
}

/** The end of an export. */
export function completed(results: ImageResult[], balance = 20): ResultEvent<ImageResult> {
  const charged = results.length;
  const refunded = results.filter(({ status }) => status === 'failed').length;
  return {
    event: 'complete',
    data: { jobId: 'job', status: 'completed', results, credits: { charged, refunded, balance } },
  };
}

/** A sign of life of one image. */
export function progressed(
  imageId: string,
  step: string,
  changes: { status?: 'queued' | 'processing' | 'completed' | 'failed'; metadata?: Metadata; current?: number } = {},
): ResultEvent<never> {
  const { status = 'processing', current = 0, ...rest } = changes;
  return { event: 'progress', data: { imageId, status, step, current, total: 1, clientRef: null, ...rest } };
}
