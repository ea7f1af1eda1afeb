import {
  type AnalysisReport,
  type AnalysisResult,
  type AnalysisState,
  type AnalyzeOptions,
  type AnalyzeRequest,
  emptyMetadataValues,
  pickFields,
  REQUEST_FIELDS,
} from '#contract';
import type { ImageRecord, JobRecord, Repositories } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { JobKind, NewJob, TaskOptions } from '../jobs/index.ts';
import type { Turn } from '../processing/index.ts';
import { type Sessions, showDescribed } from '../sessions/index.ts';
import { ANALYSIS_STEPS, type Analysis } from './analysis.ts';

interface AnalyzeImagesDeps {
  analysis: Analysis;
  sessions: Sessions;
  repositories: Pick<Repositories, 'images' | 'jobs' | 'jobImages' | 'imageResults'>;
  /** True if a description costs credits. */
  isPaid: boolean;
  /** Takes back one image from the count of the day on which its job was made. */
  giveBack: (job: Pick<JobRecord, 'accountId' | 'createdAt'>) => Promise<void>;
}

/** A validated analysis request. */
export interface AnalyzeOrder {
  accountId: string;
  sessionId: string;
  body: AnalyzeRequest;
}

/** Time that a paid analysis continues without a listener, in milliseconds, so that a cut-off client can return. */
const PAID_WITHOUT_LISTENER_MS = 30_000;

/** Attempts to store a description while concurrent edits change the image. */
const ATTEMPTS = 10;

/** Creates the use case of describing the images of a session and reporting their state. */
export function createAnalyzeImages(deps: AnalyzeImagesDeps) {
  const { sessions, repositories } = deps;
  return {
    kind: createKind(deps),

    /**
     * Checks a request against the images of the session.
     * @throws session_not_found, image_not_found, duplicate_image, session_mismatch, no_images
     */
    async resolve({ accountId, sessionId, body }: AnalyzeOrder): Promise<Omit<NewJob, 'jobId'>> {
      const held = await sessions.findImages(accountId, sessionId);
      const ids = wantedIds(body, sessionId, held);
      const wanted = ids.map((imageId) => ({ imageId, ...pickFields(emptyMetadataValues(), REQUEST_FIELDS) }));
      return { accountId, sessionId, kind: 'analyze', images: wanted, settings: body.options };
    },

    /** Counts the images of an order that need a new description, and are to be paid for. @throws session_not_found */
    async countNew({ accountId, sessionId, images, settings }: Omit<NewJob, 'jobId'>): Promise<number> {
      const wanted = new Set(images.map(({ imageId }) => imageId));
      const held = await sessions.findImages(accountId, sessionId);
      return deps.analysis.countNew(
        held.filter(({ _id }) => wanted.has(_id)),
        settings as AnalyzeOptions,
      );
    },

    /** True if a description costs credits. */
    isPaid: deps.isPaid,

    /** Returns the analysis state and metadata of a session's images. @throws session_not_found */
    report: (accountId: string, sessionId: string): Promise<AnalysisReport> => report(deps, accountId, sessionId),

    /** Returns the state of a session's newest analysis. */
    async status(accountId: string, sessionId: string): Promise<AnalysisState> {
      const job = await repositories.jobs.findNewest(accountId, sessionId, 'analyze');
      const isCancelled = job?.state === 'cancelled';
      return stateOf(job, isCancelled ? await repositories.imageResults.findOfJob(job._id) : []);
    },
  };
}

/** Describes the images of a session and reports their state. */
export type AnalyzeImages = ReturnType<typeof createAnalyzeImages>;

function createKind(deps: AnalyzeImagesDeps): JobKind<AnalysisResult> {
  const { analysis } = deps;
  // Without a model, the texts of the file are what is sold.
  const hasModel = analysis.state().place !== 'off';
  // Who asks the same question again gets the answer that was paid for.
  const isFree = (result: AnalysisResult) =>
    isInVain(result) || (hasModel && result.aiStatus === 'none') || (hasModel && result.fromCache);
  return {
    steps: ANALYSIS_STEPS.slice(0, 2),
    waits: ANALYSIS_STEPS.slice(2),
    concurrency: analysis.concurrency,
    // The vision service is the limit, not the processors.
    isShared: false,
    isPaid: deps.isPaid,
    stopsWithoutListenerAfterMs: deps.isPaid ? PAID_WITHOUT_LISTENER_MS : 0,
    async plan(job, held) {
      const pictures = new Set<string>();
      return job.images.flatMap(({ imageId }, index) => {
        const image = held.get(imageId);
        if (!image) return [];
        // Equal pictures were counted once.
        const isCounted = !deps.isPaid && !pictures.has(image.sha256);
        pictures.add(image.sha256);
        return [{ index, image, run: (options) => analyzeImage(deps, job, { imageId, isCounted }, options) }];
      });
    },
    failed: (_job, image, error) => ({
      ...resultOf(image),
      status: 'failed',
      aiStatus: null,
      aiReason: null,
      fromCache: false,
      error,
    }),
    isWithoutGain: isFree,
    show(result, perImage) {
      const isPaid = result.status === 'completed' && !isFree(result);
      return { ...result, creditsCharged: isPaid ? perImage : 0 };
    },
    summarize(results, durationMs) {
      const completed = results.filter(({ status }) => status === 'completed').length;
      return { total: results.length, completed, failed: results.length - completed, durationMs };
    },
    completeDetails: () => ({ provider: analysis.state().provider }),
    showSettings: ({ settings }) => ({ settings: null, options: settings as AnalyzeOptions }),
    finalProgress: ({ metadata, texts }) => (metadata ? { metadata, ...(texts ? { texts } : {}) } : {}),
    formatOf: () => 'metadata',
  };
}

/** True if the model was to describe an image and did not. */
function isInVain({ aiStatus }: Pick<AnalysisResult, 'aiStatus'>): boolean {
  return aiStatus !== null && aiStatus !== 'none' && aiStatus !== 'completed';
}

/** An image of a job; `isCounted`: it counts towards the limit of the day. */
interface OrderedImage {
  imageId: string;
  isCounted: boolean;
}

/** Describes an image and stores the result. An edit made meanwhile is never overwritten: the image is described again. */
async function analyzeImage(
  { analysis, repositories: { images }, isPaid, giveBack }: AnalyzeImagesDeps,
  job: JobRecord,
  { imageId, isCounted }: OrderedImage,
  options: TaskOptions,
): Promise<AnalysisResult> {
  const turn: Turn = { account: job.accountId, job: job._id, urgency: () => (isPaid ? 'paid' : 'free') };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const image = await images.find(job.accountId, job.sessionId, imageId);
    if (!image) break;
    const described = await analysis.describe(image, job.settings as AnalyzeOptions, { ...options, turn });
    options.signal.throwIfAborted();
    const stored = await images.replaceMetadata(image, described);
    if (stored) {
      const { aiStatus, aiReason, answerKey, replied } = described;
      if (isCounted && isInVain(described) && !replied) await giveBack(job);
      const pays = !answerKey || (await analysis.claim(image, answerKey, { ...options, turn }));
      const fromCache = answerKey !== null && !pays;
      return { ...resultOf(stored), status: 'completed', aiStatus, aiReason, fromCache, error: null };
    }
  }
  const message = `Image ${imageId} was removed, or edited ${ATTEMPTS} times while it was described`;
  throw new AppError('image_not_found', message);
}

async function report(
  { sessions, repositories: { jobs, jobImages, imageResults } }: AnalyzeImagesDeps,
  accountId: string,
  sessionId: string,
): Promise<AnalysisReport> {
  const held = await sessions.findImages(accountId, sessionId);
  const job = await jobs.findNewest(accountId, sessionId, 'analyze');
  const records = job ? await imageResults.findOfJob(job._id) : [];
  const results = new Map(records.map(({ result }) => [result.imageId, result]));
  const status = stateOf(job, records);
  const running = job && status === 'running' ? await jobImages.findOfJob(job._id) : [];
  const inJob = new Set(running.map(({ imageId }) => imageId));
  const statusOf = ({ _id, metadata }: ImageRecord) => {
    const stored = metadata ? 'completed' : 'none';
    return results.get(_id)?.status ?? (inJob.has(_id) ? 'running' : stored);
  };
  return {
    sessionId,
    status,
    images: held.map((image) => ({
      imageId: image._id,
      clientRef: image.clientRef,
      originalFilename: image.originalFilename,
      status: statusOf(image),
      ...showDescribed(image),
      error: results.get(image._id)?.error ?? null,
    })),
  };
}

function resultOf(
  image: ImageRecord,
): Pick<AnalysisResult, 'imageId' | 'clientRef' | 'originalFilename' | 'metadata' | 'texts' | 'creditsCharged'> {
  const { _id: imageId, clientRef, originalFilename } = image;
  return { imageId, clientRef, originalFilename, ...showDescribed(image), creditsCharged: 0 };
}

function wantedIds(body: AnalyzeRequest, sessionId: string, held: ImageRecord[]): string[] {
  if (body.sessionId !== undefined && body.sessionId !== sessionId) {
    const message = `sessionId: expected ${sessionId} as in the path, but received ${body.sessionId}`;
    throw new AppError('session_mismatch', message);
  }
  const ids = body.images?.map((image) => (typeof image === 'string' ? image : image.id)) ?? held.map(({ _id }) => _id);
  if (ids.length === 0) throw new AppError('no_images', `Session ${sessionId} holds no image`);
  const known = new Set(held.map(({ _id }) => _id));
  const seen = new Set<string>();
  for (const [index, imageId] of ids.entries()) {
    const details = { imageId };
    if (seen.has(imageId))
      throw new AppError('duplicate_image', `images[${index}]: ${imageId} occurs twice`, { details });
    seen.add(imageId);
    if (known.has(imageId)) continue;
    throw new AppError('image_not_found', `images[${index}]: no image ${imageId} in session ${sessionId}`, { details });
  }
  return ids;
}

function stateOf(job: JobRecord | null, records: { result: { status: string } }[]): AnalysisState {
  switch (job?.state) {
    case undefined:
      return 'none';
    case 'completed':
    case 'partial':
    case 'failed':
      return job.state;
    case 'cancelled':
      return records.some(({ result }) => result.status === 'completed') ? 'partial' : 'failed';
    default:
      return 'running';
  }
}
