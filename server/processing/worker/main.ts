// The entry of every child process: prepares the image library and answers tasks. Loaded by the pool, never imported.
import { setPriority } from 'node:os';
import { encodedFormat } from '#contract/constants';
import { describeFailure } from '../shared/failure.ts';

import type { InspectReport, InspectTask } from '../shared/inspection.ts';
import { fullSizeCost } from '../shared/presets.ts';
import type {
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
import { prepareImageLibrary } from './image-library.ts';
import { inspectImage } from './inspect/inspect-image.ts';
import { findOpenLoaders } from './loader-check.ts';
import { makePreview } from './make-preview.ts';
import { renderImage } from './pipeline.ts';
import { probeImage } from './probe-image.ts';
import { createVariantQueue, type VariantQueue } from './variant-queue.ts';

// Encoding may use every core; the service process must still answer at once.
const NICENESS = 5;

prepareImageLibrary(process.env.IMAGE_LOADERS !== 'all');
try {
  setPriority(NICENESS);
} catch {
  // Not permitted in some sandboxes: only the priority is lost.
}
// A service that was killed must not leave processes that go on encoding.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

/** The variants of the render under way. */
let rendering: VariantQueue<RenderTask['variants'][number]> | undefined;
// An idle process next to this one can take some of them over.
process.on('message', (message: PoolMessage | { type?: undefined }) => {
  if (message?.type === 'yield') tell({ type: 'yielded', names: (rendering?.yield() ?? []).map(({ name }) => name) });
});

/** Makes the variants of one image. */
export async function render(task: RenderTask): Promise<WorkerOutcome<RenderReport[]>> {
  const format = encodedFormat(task.format, task.facts.format);
  const queue = createVariantQueue(task.facts, task.variants, fullSizeCost(format, task.preset));
  rendering = queue;
  const outcome = await answer(() => renderImage(task, queue, (step) => tell({ type: 'step', step })));
  rendering = undefined;
  setImmediate(freePixels);
  return outcome;
}

/** Reads an image's header. */
export function probe(task: ProbeTask): Promise<WorkerOutcome<ProbeReport>> {
  return answer(() => probeImage(task));
}

/** Makes a small WebP. */
export function preview(task: PreviewTask): Promise<WorkerOutcome<PreviewReport>> {
  return answer(() => makePreview(task));
}

/** Looks at an image for its description. */
export function inspect(task: InspectTask): Promise<WorkerOutcome<InspectReport>> {
  return answer(() => inspectImage(task));
}

/** Names the loaders that should be blocked but still work in this process. */
export function openLoaders(): Promise<WorkerOutcome<string[]>> {
  return answer(() => findOpenLoaders());
}

// What is left after a collection of the young; the pixels of a small image may wait.
const TOLERATED_BYTES = 4_000_000;
/** Three times what is in use after a whole collection. */
const TOLERATED_HEAP_BYTES = 24_000_000;

/**
 * The pixels of this image would else stay until long after those of the next one are decoded (measured: 322 MB against 276).
 * They are young, so a collection of the young frees them: 0.4 ms, where a whole one takes 7 to 9. What small images leave beside
 * their pixels, 5 to 7 kB each, is old by then, and the engine would let it grow to more than 100 MB.
 */
function freePixels(): void {
  globalThis.gc?.({ type: 'minor' });
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  if (arrayBuffers > TOLERATED_BYTES || heapUsed > TOLERATED_HEAP_BYTES) globalThis.gc?.();
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
