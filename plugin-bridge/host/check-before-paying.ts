import pLimit from 'p-limit';
import type { AnalysisResult, CreditCheck, ImageResult, Settings } from '#contract';
import type { ResultEvent, ResultStream } from '../sdk/index.ts';
import type { Checked, CmsHost } from './cms-host.ts';
import type { HostElement, HostItem } from './host-element.ts';
import { type HostError, toHostError } from './host-error.ts';

/** Error code of images left out; the element shows the message as it is. */
const CODE = 'cms';

/** Images a host is asked about at once. */
const CHECKS_AT_ONCE = 4;

type Options = { signal?: AbortSignal };
type ExportBody = { images: readonly ({ id: string } & Checked)[]; settings: Settings };
type AnalysisBody = { images?: readonly string[] };

/** The element's calls that cost credits, and the one that returns a price. */
export interface PaidCalls {
  exportImages(sessionId: string, body: ExportBody, options?: Options): ResultStream<ImageResult>;
  analyzeImages(sessionId: string, body: AnalysisBody, options?: Options): ResultStream<AnalysisResult>;
  checkCredits(body: { imageCount: number; operation: 'analyze' }, options?: Options): Promise<CreditCheck>;
}

/** Dependencies of the checks. */
export interface CheckDependencies {
  element: HostElement;
  check: NonNullable<CmsHost['check']>;
  /** The calls without the checks. */
  calls(): PaidCalls;
}

/** Calls that ask the host before they pay. */
export interface CheckedCalls {
  calls: Pick<PaidCalls, 'exportImages' | 'analyzeImages'>;
  /** Returns why an image was left out of the last request; null if it was not. */
  refusalOf(item: HostItem): HostError | null;
}

/**
 * Wraps the element's paid calls: the host is asked about each image right before the request is sent. An image that could
 * not be replaced, for example one changed since its upload, is left out and fails with the host's reason. Errors that may
 * pass do not stop a request: a paid result is kept.
 */
export function checkBeforePaying({ element, check, calls }: CheckDependencies): CheckedCalls {
  const checks: Checks = { element, check, refusals: new Map(), replaces: new Map() };
  return {
    refusalOf: ({ imageId }) => checks.refusals.get(imageId ?? '') ?? null,
    calls: {
      exportImages: (sessionId, body, options) =>
        checkedJob(checks, {
          ids: body.images.map(({ id }) => id),
          signal: options?.signal,
          isPaid: async () => true,
          open(ids) {
            const { onlySmaller } = body.settings;
            const images = body.images
              .filter(({ id }) => ids.includes(id))
              .map((image) => (onlySmaller ? { ...image, ...checks.replaces.get(image.id) } : image));
            return calls().exportImages(sessionId, { ...body, images }, options);
          },
          describe: (item, error) => failedExport(item, body.settings, error),
        }),
      analyzeImages(sessionId, body, options) {
        const ids = body.images ?? element.items.flatMap(({ imageId }) => imageId ?? []);
        return checkedJob(checks, {
          ids,
          signal: options?.signal,
          async isPaid() {
            const wanted = { imageCount: ids.length, operation: 'analyze' } as const;
            const { cost } = await calls().checkCredits(wanted, { signal: options?.signal });
            return cost > 0;
          },
          open: (images) => calls().analyzeImages(sessionId, { ...body, images }, options),
          describe: failedAnalysis,
        });
      },
    },
  };
}

interface Checks {
  element: HostElement;
  check: NonNullable<CmsHost['check']>;
  /** Refusals by image id of the service. */
  refusals: Map<string, HostError>;
  /** Files in use by image id of the service. */
  replaces: Map<string, Checked>;
}

/** A job whose images are checked first. */
interface JobRequest<Result> {
  ids: readonly string[];
  signal: AbortSignal | undefined;
  isPaid(): Promise<boolean>;
  open(ids: readonly string[]): ResultStream<Result>;
  /** Makes the result of an image that was left out. */
  describe(item: HostItem, error: Failure): Result;
}

type Failure = { code: string; message: string };

/** Streams a job of the images that may be paid for; the others fail in its results. */
function checkedJob<Result>(checks: Checks, request: JobRequest<Result>): ResultStream<Result> {
  const { ids, signal, isPaid, open, describe } = request;
  let isCancelled = false;
  let stream: ResultStream<Result> | null = null;
  let leftOut: readonly string[] = [];
  let prepared: Promise<void> | null = null;
  const isOver = () => isCancelled || signal?.aborted === true;
  const prepare = async () => {
    if (await isPaid()) {
      await pLimit(CHECKS_AT_ONCE).map(ids, async (id) => (isOver() ? undefined : checkImage(checks, id, signal)));
      leftOut = ids.filter((id) => checks.refusals.has(id));
    }
    if (isOver()) throw Object.assign(new Error('Cancelled.'), { code: 'aborted' });
    const allowed = ids.filter((id) => !leftOut.includes(id));
    if (allowed.length > 0) stream = open(allowed);
  };
  const prepareOnce = () => {
    prepared ??= prepare();
    return prepared;
  };
  return {
    async jobId() {
      await prepareOnce();
      return stream?.jobId() ?? '';
    },
    async cancel() {
      isCancelled = true;
      await stream?.cancel();
    },
    async *[Symbol.asyncIterator]() {
      await prepareOnce();
      const refused = leftOut.flatMap((id) => {
        const error = checks.refusals.get(id);
        const item = itemOf(checks, id);
        return error && item ? [describe(item, { code: CODE, message: error.message })] : [];
      });
      if (!stream) yield { event: 'complete', data: { jobId: '', status: 'failed', results: refused } };
      else for await (const event of stream) yield withResults(event, refused);
    },
  };
}

async function checkImage(checks: Checks, imageId: string, signal: AbortSignal | undefined): Promise<void> {
  const { clientRef, image } = itemOf(checks, imageId) ?? {};
  checks.refusals.delete(imageId);
  checks.replaces.delete(imageId);
  if (!clientRef || !image) return;
  try {
    const { replaces, leastGain } = (await checks.check(clientRef, { uploaded: image, signal })) ?? {};
    if (replaces) checks.replaces.set(imageId, { replaces, ...(leastGain ? { leastGain } : {}) });
  } catch (cause) {
    const error = toHostError(cause);
    if (!error.retryable) checks.refusals.set(imageId, error);
  }
}

const itemOf = ({ element }: Checks, imageId: string) => element.items.find((item) => item.imageId === imageId);

/** Adds results to the last event. An error without results stays as it is: the job did not run. */
function withResults<Result>(event: ResultEvent<Result>, added: readonly Result[]): ResultEvent<Result> {
  if (event.event === 'complete') {
    return { ...event, data: { ...event.data, results: [...(event.data.results ?? []), ...added] } };
  }
  if (event.event === 'error' && event.data.results?.length) {
    return { ...event, data: { ...event.data, results: [...event.data.results, ...added] } };
  }
  return event;
}

function failedExport(item: HostItem, { preset, ...settings }: Settings, error: Failure): ImageResult {
  const format = settings.formats?.[0] ?? settings.format;
  const { imageId, clientRef, name, image } = item;
  const original = { size: image?.size ?? 0, width: image?.width ?? 0, height: image?.height ?? 0 };
  return {
    ...{ imageId: imageId ?? '', clientRef, status: 'failed', originalFilename: name, filename: null },
    ...{ format, mimeType: null, original: { ...original, format: image?.format ?? '' }, variants: [] },
    ...{
      savedBytes: 0,
      savedPercent: 0,
      quality: { preset, score: null, used: null, unscored: 'no_file' },
      largerThanOriginal: false,
    },
    ...{ keptOriginal: false, fromCache: false, skippedSizes: [], warnings: [], creditsCharged: 0, error },
  };
}

function failedAnalysis({ imageId, clientRef, name }: HostItem, error: Failure): AnalysisResult {
  return {
    ...{ imageId: imageId ?? '', clientRef, status: 'failed', originalFilename: name, metadata: null },
    ...{ aiStatus: null, fromCache: false, creditsCharged: 0, error },
  };
}
