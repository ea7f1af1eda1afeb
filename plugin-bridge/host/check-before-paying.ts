import type { AnalysisResult, CreditCheck, ImageResult, Settings } from '#contract';
import type { CmsHost } from './cms-host.ts';
import type { HostElement, HostItem } from './host-element.ts';
import { type HostError, toHostError } from './host-error.ts';

/** The element shows such a failure in the words that come with it. */
const CODE = 'cms';

/** Images that a host is asked about at once. */
const AT_ONCE = 4;

/** What of a job's events is read here. */
interface JobEvent {
  event: string;
  data: object & { results?: readonly unknown[] };
}

/** A job as the element reads it. */
interface JobStream extends AsyncIterable<JobEvent> {
  jobId(): Promise<string>;
  cancel(): Promise<void>;
}

type Options = { signal?: AbortSignal };
type ExportBody = { images: readonly { id: string }[]; settings: Settings };
type AnalysisBody = { images?: readonly string[] };

/** The calls of the element that cost something, and the one that tells a price. */
export interface PaidCalls {
  exportImages(sessionId: string, body: ExportBody, options?: Options): JobStream;
  analyzeImages(sessionId: string, body: AnalysisBody, options?: Options): JobStream;
  checkCredits(body: { imageCount: number; operation: 'analyze' }, options?: Options): Promise<CreditCheck>;
}

/** What the checks need. */
export interface CheckDependencies {
  element: HostElement;
  check: NonNullable<CmsHost['check']>;
  /** The calls as they are without the checks. */
  calls(): PaidCalls;
}

/** Calls that ask the host before they pay. */
export interface CheckedCalls {
  calls: Pick<PaidCalls, 'exportImages' | 'analyzeImages'>;
  /** Why an image was left out of what was last asked for; null when it was not. */
  refusalOf(item: HostItem): HostError | null;
}

/**
 * Makes the element's paid calls ask the host once more, right before they are sent: an image that could not be replaced any
 * more, such as one that was changed since it was uploaded, is left out of them and fails with the host's reason. What a second
 * try can mend stops nothing: a result that is paid for is kept.
 */
export function checkBeforePaying({ element, check, calls }: CheckDependencies): CheckedCalls {
  /** By image of the service. */
  const refusals = new Map<string, HostError>();
  const itemOf = (imageId: string) => element.items.find((item) => item.imageId === imageId);

  async function ask(imageId: string, signal: AbortSignal | undefined): Promise<void> {
    const { clientRef, image } = itemOf(imageId) ?? {};
    refusals.delete(imageId);
    if (!clientRef || !image) return;
    try {
      await check(clientRef, { uploaded: image, signal });
    } catch (cause) {
      const error = toHostError(cause);
      if (!error.retryable) refusals.set(imageId, error);
    }
  }

  /** Asks about images, a few at once. */
  async function askAll(ids: readonly string[], { signal, isOver }: Asking): Promise<void> {
    const queue = [...ids];
    const take = async () => {
      for (let id = queue.shift(); id !== undefined && !isOver(); id = queue.shift()) await ask(id, signal);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, take));
  }

  /** A job of those images that may be paid for; the others fail in its results, as `describe` puts it. */
  function job(
    ids: readonly string[],
    { signal, isPaid, open, describe }: JobOfImages & { signal: AbortSignal | undefined },
  ): JobStream {
    let cancelled = false;
    let stream: JobStream | null = null;
    let leftOut: readonly string[] = [];
    let prepared: Promise<void> | null = null;
    const isOver = () => cancelled || signal?.aborted === true;
    const prepare = () => {
      prepared ??= (async () => {
        if (await isPaid()) {
          await askAll(ids, { signal, isOver });
          leftOut = ids.filter((id) => refusals.has(id));
        }
        if (isOver()) throw Object.assign(new Error('Cancelled.'), { code: 'aborted' });
        const allowed = ids.filter((id) => !leftOut.includes(id));
        if (allowed.length > 0) stream = open(allowed);
      })();
      return prepared;
    };
    return {
      async jobId() {
        await prepare();
        return stream?.jobId() ?? '';
      },
      async cancel() {
        cancelled = true;
        await stream?.cancel();
      },
      async *[Symbol.asyncIterator]() {
        await prepare();
        const left = leftOut.flatMap((id) => {
          const error = refusals.get(id);
          const item = itemOf(id);
          return error && item ? [describe(item, { code: CODE, message: error.message })] : [];
        });
        if (!stream) yield { event: 'complete', data: { jobId: '', status: 'failed', results: left } };
        else {
          for await (const event of stream) {
            const { results = [] } = event.data;
            // A job that came to nothing says why by having no results.
            const isEnd = event.event === 'complete' || (event.event === 'error' && results.length > 0);
            yield isEnd ? { ...event, data: { ...event.data, results: [...results, ...left] } } : event;
          }
        }
      },
    };
  }

  return {
    refusalOf: ({ imageId }) => refusals.get(imageId ?? '') ?? null,
    calls: {
      exportImages: (sessionId, body, options) =>
        job(
          body.images.map(({ id }) => id),
          {
            signal: options?.signal,
            isPaid: async () => true,
            open(ids) {
              const images = body.images.filter(({ id }) => ids.includes(id));
              return calls().exportImages(sessionId, { ...body, images }, options);
            },
            describe: (item, error) => failedExport(item, body.settings, error),
          },
        ),
      analyzeImages(sessionId, body, options) {
        const all = body.images ?? element.items.flatMap(({ imageId }) => imageId ?? []);
        return job(all, {
          signal: options?.signal,
          async isPaid() {
            const wanted = { imageCount: all.length, operation: 'analyze' } as const;
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

/** How long a host is asked. */
interface Asking {
  signal: AbortSignal | undefined;
  isOver(): boolean;
}

/** What a job of some images is. */
interface JobOfImages {
  isPaid(): Promise<boolean>;
  open(ids: readonly string[]): JobStream;
  describe(item: HostItem, error: Failure): object;
}

type Failure = { code: string; message: string };

function failedExport(item: HostItem, { format, preset }: Settings, error: Failure): ImageResult {
  const { imageId, clientRef, name, image } = item;
  const original = { size: image?.size ?? 0, width: image?.width ?? 0, height: image?.height ?? 0 };
  return {
    ...{ imageId: imageId ?? '', clientRef, status: 'failed', originalFilename: name, filename: null },
    ...{ format, mimeType: null, original: { ...original, format: image?.format ?? '' }, variants: [] },
    ...{ savedBytes: 0, savedPercent: 0, quality: { preset, used: null }, largerThanOriginal: false },
    ...{ keptOriginal: false, fromCache: false, skippedSizes: [], warnings: [], creditsCharged: 0, error },
  };
}

function failedAnalysis({ imageId, clientRef, name }: HostItem, error: Failure): AnalysisResult {
  return {
    ...{ imageId: imageId ?? '', clientRef, status: 'failed', originalFilename: name, metadata: null },
    ...{ aiStatus: null, fromCache: false, creditsCharged: 0, error },
  };
}
