import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ImageResult, Metadata, UploadResult } from '#contract';
import { type EncodedFormat, placeOf } from '#contract/constants';
import { type BatchPorts, exportOnce, type JobEnd, readJob, type Uploaded } from '../batch/index.ts';
import { ApiError, type Client, newIdempotencyKey, type UploadFile } from '../sdk/index.ts';
import type { Delivery } from './deliver.ts';
import { endsTheRun, failureOf, isTooLarge } from './failures.ts';
import { hashBytes } from './files-on-disk.ts';
import type { Work } from './make-batches.ts';
import type { Manifest, PendingBatch, StoredResult } from './manifest.ts';
import type { Options } from './options.ts';
import type { PlannedSource } from './plan.ts';
import { addCredits, type Failure, type Outcome, type Report } from './report.ts';
import { type Progress, stepText } from './show-progress.ts';

/** Dependencies of the batches of one run. */
export interface BatchContext {
  client: Client;
  /** Address of the service. */
  endpoint: string;
  manifest: Manifest;
  delivery: Delivery;
  options: Options;
  progress: Progress;
  credits: Report['credits'];
  notices: Set<string>;
  signal: AbortSignal;
  /** Records the outcome of one source. */
  settle(outcome: Outcome): void;
}

/** An uploaded batch, and the sources of its images by key. */
export interface UploadedBatch {
  pending: PendingBatch;
  works: ReadonlyMap<string, Work>;
}

/** A source and its recorded result. */
interface SourceResult {
  source: PlannedSource;
  result: StoredResult;
}

/** Progress of an image after each step, 0-1. */
const UPLOADED = 0.3;
const EXPORTED = 0.8;

const GONE = new Error('The service has lost the upload');

/** Connects the batch engine to files on disk and the record in the output folder. */
export function createBatchPorts(context: BatchContext): BatchPorts<Work, UploadedBatch, SourceResult, Outcome> {
  const { manifest, settle } = context;
  return {
    journal: {
      begin({ pending }) {
        manifest.begin(pending);
        return manifest.save();
      },
      exported({ pending }) {
        manifest.end(pending);
        return manifest.save();
      },
      settle,
    },
    upload: (works) => uploadBatch(context, works),
    export: (batch) => exportBatch(context, batch),
    deliver: (delivery) => deliverOne(context, delivery),
    onLost: (batch) => failAll(context, batch, GONE),
  };
}

/** Pairs an uploaded batch with its sources. */
export function batchOf(pending: PendingBatch, works: readonly Work[]): UploadedBatch {
  return { pending, works: new Map(works.map((work) => [work.key, work])) };
}

/** Reads and uploads files; refused files fail. */
async function uploadBatch(context: BatchContext, works: readonly Work[]): Promise<Uploaded<Work, UploadedBatch>> {
  const { client, options, progress, signal } = context;
  const read = await readAll(context, works);
  if (read.length === 0) return null;
  const readable = read.map(({ work }) => work);
  let uploaded: UploadResult;
  try {
    uploaded = await client.createSession({ files: read.map(({ file }) => file) }, { signal });
  } catch (error) {
    if (isTooLarge(error) && read.length > 1) return { split: readable };
    const { rejected } = error instanceof ApiError ? error.details : {};
    if (!Array.isArray(rejected) && !isTooLarge(error) && endsTheRun(error)) throw error;
    refuse(context, readable, Array.isArray(rejected) ? rejected : [], failureOf(error));
    return null;
  }
  refuse(context, readable, uploaded.rejected);
  const images = uploaded.images.flatMap(({ id, size, clientRef }) => {
    const work = read.find(({ work }) => work.key === clientRef)?.work;
    for (const source of work?.sources ?? []) progress.at(source, UPLOADED, `uploaded ${source.below}`);
    return work ? [{ id, size, key: work.key }] : [];
  });
  const pending: PendingBatch = {
    endpoint: context.endpoint,
    sessionId: uploaded.sessionId,
    startedAt: new Date().toISOString(),
    images,
    settings: options.settings,
    analyze: options.analyze && { ...options.analyze, idempotencyKey: newIdempotencyKey() },
    idempotencyKey: newIdempotencyKey(),
  };
  return { batch: batchOf(pending, readable) };
}

/** Reads the files of a batch. A file that was changed since it was planned fails. */
async function readAll(context: BatchContext, works: readonly Work[]) {
  const read: { work: Work; file: UploadFile }[] = [];
  for (const work of works) {
    const [{ path, sha256 }] = work.sources;
    try {
      const bytes = await readFile(path);
      if (hashBytes(bytes) !== sha256) throw new Error('The file was changed while it was read');
      read.push({ work, file: { file: new Blob([bytes]), name: basename(path), metadata: { clientRef: work.key } } });
    } catch (error) {
      fail(context, work, failureOf(error));
    }
  }
  return read;
}

/** Fails the files an upload has not accepted: each with its own reason if it has one, else with the common one. */
function refuse(
  context: BatchContext,
  works: readonly Work[],
  rejected: UploadResult['rejected'],
  common?: Failure,
): void {
  for (const work of works) {
    const own = rejected.find(({ clientRef }) => clientRef === work.key);
    if (own) fail(context, work, { code: own.code, message: own.error });
    else if (common) fail(context, work, common);
  }
}

/** Analyzes and exports a batch and records its results. Null if the service no longer has it. */
async function exportBatch(context: BatchContext, batch: UploadedBatch): Promise<SourceResult[] | null> {
  const { pending, works } = batch;
  const texts = pending.analyze ? await analyze(context, pending, pending.analyze) : new Map<string, Metadata | null>();
  let end: JobEnd<ImageResult>;
  try {
    end = await exportImages(context, batch);
  } catch (error) {
    if (endsTheRun(error)) throw error;
    // The job has ended and was refunded.
    if (error instanceof ApiError && error.code === 'session_not_found') return null;
    failAll(context, batch, error);
    return [];
  }
  if (end.credits) addCredits(context.credits, end.credits);
  return pending.images.flatMap(({ id, key, size }) => {
    const work = works.get(key);
    const result = end.results.find(({ imageId }) => imageId === id);
    if (result?.status === 'completed') {
      const stored = storedResult(pending, result, { size, metadata: texts.get(id) ?? null });
      context.manifest.content.results[key] = stored;
      return (work?.sources ?? []).map((source) => ({ source, result: stored }));
    }
    const missing = { code: 'unexpected', message: 'The service has no result for it' };
    if (work) fail(context, work, result?.error ?? end.error ?? missing);
    return [];
  });
}

function storedResult(
  { endpoint, sessionId, settings }: PendingBatch,
  { variants, warnings, placeholder }: ImageResult,
  { size, metadata }: { size: number; metadata: Metadata | null },
): StoredResult {
  return {
    endpoint,
    sessionId,
    exportedAt: new Date().toISOString(),
    originalBytes: size,
    files: variants.map(({ name: variant, format, filename, url, sha256, size, width, height, quality, lacks }) => {
      const { filename: address } = placeOf(url);
      const named = settings.formats === undefined ? { variant } : { variant, format: format as EncodedFormat };
      const told = { ...(quality && { quality }), ...(lacks && { lacks }) };
      return { ...named, filename, address, sha256, size, width, height, ...told };
    }),
    warnings,
    metadata,
    ...(placeholder === undefined ? {} : { placeholder }),
  };
}

/** Exports a batch under its recorded key: a job that an earlier run started is joined. */
async function exportImages(context: BatchContext, { pending, works }: UploadedBatch): Promise<JobEnd<ImageResult>> {
  const { client, progress, signal } = context;
  const { sessionId, settings, idempotencyKey } = pending;
  const images = pending.images.map(({ id, key }) => ({ imageId: id, work: works.get(key) }));
  const ends: JobEnd<ImageResult>[] = [];
  const send = async () => {
    const input = { images: images.map(({ imageId }) => ({ id: imageId })), settings };
    const end = await readJob<ImageResult>(
      {
        open: (closing) => client.exportImages(sessionId, input, { idempotencyKey, signal: closing }),
        getJob: client.getJob,
        onProgress({ imageId, step }) {
          const { work } = images.find((image) => image.imageId === imageId) ?? {};
          for (const source of work?.sources ?? []) {
            progress.at(source, step === 'done' ? EXPORTED : UPLOADED, `${stepText(step)} ${source.below}`);
          }
        },
        timers: { setTimeout, clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout) },
      },
      signal,
    );
    const { error, results } = end;
    if (error && !results.some(({ status }) => status === 'completed')) {
      throw new ApiError(error.message, 200, { code: error.code, results });
    }
    ends.push(end);
    return end;
  };
  await exportOnce(
    {
      pending: (tried) => images.filter(({ imageId }) => !tried.has(imageId)),
      readJournal: async () => ({ found: [], running: [], state: idempotencyKey }),
      send,
    },
    images.length,
    signal,
  );
  return ends[0] ?? { jobId: '', results: [], credits: null, error: null };
}

/** Returns texts by image id. An analysis that fails costs nothing and does not stop the export. */
async function analyze(
  { client, credits, notices, signal }: BatchContext,
  { sessionId, images }: PendingBatch,
  { language, idempotencyKey }: NonNullable<PendingBatch['analyze']>,
): Promise<Map<string, Metadata | null>> {
  try {
    const input = { images: images.map(({ id }) => id), options: { ...(language && { language }) } };
    const { results, ...complete } = await client.analyzeImages(sessionId, input, { idempotencyKey, signal }).result();
    addCredits(credits, complete.credits);
    return new Map(results.map(({ imageId, metadata }) => [imageId, metadata]));
  } catch (error) {
    if (endsTheRun(error)) throw error;
    notices.add(`The images were not described: ${failureOf(error).message}`);
    return new Map();
  }
}

async function deliverOne({ delivery }: BatchContext, { source, result }: SourceResult): Promise<Outcome> {
  try {
    await delivery.deliver(source, result);
    return { source, status: 'made', result };
  } catch (error) {
    if (endsTheRun(error)) throw error;
    return { source, status: 'failed', error: failureOf(error) };
  }
}

/** Fails the images of a job without results: each with its own reason if the service gives one. */
function failAll(context: BatchContext, { pending, works }: UploadedBatch, error: unknown): void {
  const { results } = error instanceof ApiError ? (error.details as { results?: ImageResult[] }) : {};
  for (const { id, key } of pending.images) {
    const work = works.get(key);
    const own = results?.find(({ imageId }) => imageId === id)?.error;
    if (work) fail(context, work, own ?? failureOf(error));
  }
}

function fail({ settle }: BatchContext, { sources }: Work, error: Failure): void {
  for (const source of sources) settle({ source, status: 'failed', error });
}
