// Entry of every worker process: prepares the image library and runs tasks. Loaded by the pool, never imported.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { encodedFormat } from '#contract/constants';
import { describeFailure } from '../shared/failure.ts';
import { fullSizeCost } from '../shared/presets.ts';
import type {
  InspectReport,
  InspectTask,
  PlaceholderTask,
  PoolMessage,
  PreviewReport,
  PreviewTask,
  ProbeReport,
  ProbeTask,
  RenderReport,
  RenderTask,
  WorkerMessage,
  WorkerOutcome,
} from '../shared/protocol.ts';
import type { Signer } from '../shared/signer.ts';
import { unsupportedImage } from './detect.ts';
import { findOpenLoaders, prepareImageLibrary } from './image-library.ts';
import { inspectImage } from './inspect/inspect-image.ts';
import { makePlaceholder, makePreview } from './make-preview.ts';
import { renderImage } from './pipeline.ts';
import { probeImage } from './probe-image.ts';
import { trySigner } from './signing/sign-file.ts';
import { createVariantQueue, type VariantQueue } from './variant-queue.ts';

// Lower priority than the service process, which must respond while all cores encode.
const NICENESS = 5;

prepareImageLibrary(process.env.IMAGE_LOADERS !== 'all');
try {
  setPriority(NICENESS);
} catch {
  // Not permitted in some sandboxes.
}
try {
  // If memory is short, the kernel kills an encoder, which is replaced, and not the service.
  writeFileSync('/proc/self/oom_score_adj', '500');
} catch {
  // Exists on Linux only.
}
// Ends with a killed service process.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

/** Queue of the running render. */
let rendering: VariantQueue<RenderTask['variants'][number]> | undefined;
// Yields queued variants to an idle process.
process.on('message', (message: PoolMessage | { type?: undefined }) => {
  if (message?.type === 'yield') tell({ type: 'yielded', names: (rendering?.yield() ?? []).map(({ name }) => name) });
});

/** Renders the variants of one image. */
export async function render(task: RenderTask): Promise<WorkerOutcome<RenderReport[]>> {
  const format = encodedFormat(task.format, task.facts.format);
  const queue = createVariantQueue(task.facts, task.variants, fullSizeCost(format, task.preset));
  rendering = queue;
  const outcome = await answerOf(task, () => renderImage(task, queue, (step) => tell({ type: 'step', step })));
  rendering = undefined;
  setImmediate(freePixels);
  return outcome;
}

/** Reads an image's header. */
export function probe(task: ProbeTask): Promise<WorkerOutcome<ProbeReport>> {
  return answer(() => probeImage(task));
}

/** Renders a small WebP. */
export function preview(task: PreviewTask): Promise<WorkerOutcome<PreviewReport>> {
  return answerOf(task, () => makePreview(task));
}

/** Computes a placeholder. */
export function placeholder(task: PlaceholderTask): Promise<WorkerOutcome<string>> {
  return answerOf(task, () => makePlaceholder(task));
}

/** Inspects an image for its description. */
export function inspect(task: InspectTask): Promise<WorkerOutcome<InspectReport>> {
  return answerOf(task, () => inspectImage(task));
}

/** Names the loaders that should be blocked but still work in this process. */
export function openLoaders(): Promise<WorkerOutcome<string[]>> {
  return answer(() => findOpenLoaders());
}

/** Signs on trial and returns what is wrong with the signature. */
export function checkSigner(signer: Signer): Promise<WorkerOutcome<string[]>> {
  return answer(() => trySigner(signer));
}

// Memory of buffers that may remain after a minor collection: the pixels of a small image.
const TOLERATED_BYTES = 4_000_000;
/** Three times what is in use after a whole collection. */
const TOLERATED_HEAP_BYTES = 24_000_000;

/**
 * Frees the pixels of the finished image before the next one is decoded (peak of 276 MB against 322 MB). A minor collection is
 * enough for them and takes 0.4 ms, a full one 7 to 9 ms. Other remains of small images, 5 to 7 kB each, need a full one; without
 * it they would grow to more than 100 MB.
 */
function freePixels(): void {
  globalThis.gc?.({ type: 'minor' });
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  if (arrayBuffers > TOLERATED_BYTES || heapUsed > TOLERATED_HEAP_BYTES) globalThis.gc?.();
}

/** Answers a task about an image, unless its format was switched off since it was uploaded. */
function answerOf<T>(
  { facts, limits }: Pick<RenderTask, 'facts' | 'limits'>,
  work: () => Promise<T>,
): Promise<WorkerOutcome<T>> {
  return answer(async () => {
    if (!limits.formats.includes(facts.format)) throw unsupportedImage(facts.format, limits.formats);
    return work();
  });
}

async function answer<T>(work: () => Promise<T>): Promise<WorkerOutcome<T>> {
  tell({ type: 'started', pid: process.pid });
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return { ok: false, failure: describeFailure(error) };
  }
}

function tell(message: WorkerMessage): void {
  process.send?.(message);
}
