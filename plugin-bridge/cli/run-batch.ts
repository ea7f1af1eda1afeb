import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { CompleteEvent, ImageResult, Metadata, UploadResult } from '#contract';
import { ApiError, type Client, newIdempotencyKey, type UploadFile } from '../sdk/index.ts';
import type { Delivery } from './deliver.ts';
import { endsTheRun, failureOf, isTooMuchAtOnce } from './failures.ts';
import { hashBytes } from './files-on-disk.ts';
import type { Work } from './make-batches.ts';
import type { Manifest, PendingBatch, StoredResult } from './manifest.ts';
import type { Options } from './options.ts';
import type { PlannedSource } from './plan.ts';
import { addCredits, type Failure, type Outcome, type Report } from './report.ts';
import type { Progress } from './show-progress.ts';

interface BatchDeps {
  client: Client;
  manifest: Manifest;
  delivery: Delivery;
  options: Options;
  progress: Progress;
  credits: Report['credits'];
  notices: Set<string>;
  signal: AbortSignal;
  /** Hears what became of each source. */
  settle(outcome: Outcome): void;
}

/** How far an image is after each step. */
const UPLOADED = 0.3;
const EXPORTED = 0.8;

const GONE = new Error('The service has lost the upload');

/** Makes what takes batches from upload to files. Throws only what ends the whole run; the rest is settled. */
export function createBatchRunner(deps: BatchDeps) {
  const { client, manifest, delivery, options, progress, credits, notices, signal, settle } = deps;

  function fail(work: Work, error: Failure): void {
    for (const source of work.sources) settle({ source, status: 'failed', error });
  }

  /** Uploads a batch, in halves if it is too much at once, and exports what was accepted. */
  async function make(batch: Work[]): Promise<void> {
    const read = await readAll(batch, fail);
    if (read.length === 0) return;
    let uploaded: UploadResult;
    try {
      uploaded = await client.createSession({ files: read.map(({ file }) => file) }, { signal });
    } catch (error) {
      if (isTooMuchAtOnce(error) && read.length > 1) return makeInHalves(read.map(({ work }) => work));
      const { rejected } = error instanceof ApiError ? error.details : {};
      if (!Array.isArray(rejected) && !isTooMuchAtOnce(error) && endsTheRun(error)) throw error;
      return refuse(batch, Array.isArray(rejected) ? rejected : [], failureOf(error));
    }
    refuse(batch, uploaded.rejected);
    const images = uploaded.images.flatMap(({ id, size, clientRef }) => {
      const work = read.find(({ work }) => work.key === clientRef)?.work;
      for (const source of work?.sources ?? []) progress.at(source, UPLOADED, `uploaded ${source.below}`);
      return work ? [{ id, size, key: work.key }] : [];
    });
    const pending: PendingBatch = {
      endpoint: options.endpoint,
      sessionId: uploaded.sessionId,
      startedAt: new Date().toISOString(),
      images,
      settings: options.settings,
      analyze: options.analyze && { ...options.analyze, idempotencyKey: newIdempotencyKey() },
      idempotencyKey: newIdempotencyKey(),
    };
    manifest.begin(pending);
    // Before anything is paid: whoever kills us now finds the job again by its key.
    await manifest.save();
    if (!(await finish(pending, batch))) failAll(pending, new Map(batch.map((work) => [work.key, work])), GONE);
  }

  async function makeInHalves(batch: Work[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await make(batch.slice(0, middle));
    await make(batch.slice(middle));
  }

  /** Settles what an upload has not accepted: each file with its own reason, else all with the common one. */
  function refuse(batch: Work[], rejected: UploadResult['rejected'], common?: Failure): void {
    for (const work of batch) {
      const own = rejected.find(({ clientRef }) => clientRef === work.key);
      if (own) fail(work, { code: own.code, message: own.error });
      else if (common) fail(work, common);
    }
  }

  /**
   * Analyzes, exports and downloads an uploaded batch, or joins where an earlier run was.
   * @returns false when the service has forgotten the batch, and nothing came of it
   */
  async function finish(pending: PendingBatch, batch: Work[]): Promise<boolean> {
    const byKey = new Map(batch.map((work) => [work.key, work]));
    const texts = pending.analyze ? await analyze(pending, pending.analyze) : new Map<string, Metadata | null>();
    let complete: Pick<CompleteEvent, 'results' | 'credits'>;
    try {
      complete = await exportBatch(pending, byKey);
    } catch (error) {
      if (endsTheRun(error)) throw error;
      // The job has ended, and what it cost was given back.
      manifest.end(pending);
      await manifest.save();
      if (error instanceof ApiError && error.code === 'session_not_found') return false;
      failAll(pending, byKey, error);
      return true;
    }
    addCredits(credits, complete.credits);
    const made: [Work, StoredResult][] = [];
    for (const [index, { key, size }] of pending.images.entries()) {
      const work = byKey.get(key);
      const result = complete.results.find(({ imageId }) => imageId === pending.images[index]?.id);
      if (result?.status === 'completed') {
        const { endpoint, sessionId } = pending;
        const stored: StoredResult = {
          endpoint,
          sessionId,
          exportedAt: new Date().toISOString(),
          originalBytes: size,
          files: result.variants.map(({ name: variant, filename, sha256, size, width, height }) => {
            return { variant, filename, sha256, size, width, height };
          }),
          warnings: result.warnings,
          metadata: texts.get(result.imageId) ?? null,
        };
        manifest.content.results[key] = stored;
        if (work) made.push([work, stored]);
      } else if (work) {
        fail(work, result?.error ?? { code: 'unexpected', message: 'The service has no result for it' });
      }
    }
    manifest.end(pending);
    await manifest.save();
    for (const [{ sources }, stored] of made) for (const source of sources) await bring(source, stored);
    await manifest.save();
    return true;
  }

  /** Settles the images of a job of which nothing came: each with its own reason where the service says one. */
  function failAll({ images }: PendingBatch, byKey: Map<string, Work>, error: unknown): void {
    const { results } = error instanceof ApiError ? (error.details as { results?: ImageResult[] }) : {};
    for (const { id, key } of images) {
      const work = byKey.get(key);
      const own = results?.find(({ imageId }) => imageId === id)?.error;
      if (work) fail(work, own ?? failureOf(error));
    }
  }

  async function bring(source: PlannedSource, result: StoredResult): Promise<void> {
    try {
      await delivery.deliver(source, result);
      settle({ source, status: 'made', result });
    } catch (error) {
      if (endsTheRun(error)) throw error;
      settle({ source, status: 'failed', error: failureOf(error) });
    }
  }

  async function exportBatch({ sessionId, images, settings, idempotencyKey }: PendingBatch, byKey: Map<string, Work>) {
    const keys = new Map(images.map(({ id, key }) => [id, key]));
    const input = { images: images.map(({ id }) => ({ id })), settings };
    const stream = client.exportImages(sessionId, input, { idempotencyKey, signal });
    for await (const { event, data } of stream) {
      if (event !== 'progress') continue;
      for (const source of byKey.get(keys.get(data.imageId) ?? '')?.sources ?? []) {
        progress.at(source, data.step === 'done' ? EXPORTED : UPLOADED, `${data.step} ${source.below}`);
      }
    }
    return stream.result();
  }

  /** The texts by image id. An analysis that fails costs nothing and does not stop the export. */
  async function analyze(
    { sessionId, images }: PendingBatch,
    { language, idempotencyKey }: NonNullable<PendingBatch['analyze']>,
  ): Promise<Map<string, Metadata | null>> {
    try {
      const input = { images: images.map(({ id }) => id), options: { ...(language && { language }) } };
      const { results, ...complete } = await client
        .analyzeImages(sessionId, input, { idempotencyKey, signal })
        .result();
      addCredits(credits, complete.credits);
      return new Map(results.map(({ imageId, metadata }) => [imageId, metadata]));
    } catch (error) {
      if (endsTheRun(error)) throw error;
      notices.add(`The images were not described: ${failureOf(error).message}`);
      return new Map();
    }
  }

  return { make, finish };
}

/** Reads the files of a batch. One that is not what it was when it was looked at is settled as failed. */
async function readAll(batch: Work[], fail: (work: Work, error: Failure) => void) {
  const read: { work: Work; file: UploadFile }[] = [];
  for (const work of batch) {
    const [{ path, sha256 }] = work.sources;
    try {
      const bytes = await readFile(path);
      if (hashBytes(bytes) !== sha256) throw new Error('The file was changed while it was read');
      read.push({ work, file: { file: new Blob([bytes]), name: basename(path), metadata: { clientRef: work.key } } });
    } catch (error) {
      fail(work, failureOf(error));
    }
  }
  return read;
}
