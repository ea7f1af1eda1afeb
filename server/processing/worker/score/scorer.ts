import { compileKernel, ensureMemory, type Kernel } from './kernel.ts';
import {
  FIT,
  type Fit,
  FLAT,
  type Layout,
  layOut,
  MIN_SIDE,
  PLANES,
  type PlanePart,
  type ScalePart,
} from './layout.ts';

/** Pixels of an image: interleaved sRGB, 3 bytes a pixel, rows without padding. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/** An original to score versions of. */
export interface PreparedReference {
  /**
   * Scores a changed version of the original: 100 is identical, from 90 differences are invisible, below 50 obvious; far
   * worse ones are below 0.
   * @throws RangeError if it has another size
   */
  score(distorted: Pixels): number;
}

/** Scores versions of images. */
export interface Scorer {
  /**
   * Does the original's share of the work, and again if another original was used meanwhile: the memory of the kernel holds one. Keeps
   * the pixels, which must not change.
   * @throws RangeError if a side is below 8 pixels, or `data` has another length than the size asks for
   */
  prepare(reference: Pixels): PreparedReference;
  /** Gives back the memory that large images have taken, which a kernel would keep. */
  release(): void;
}

/** Memory that a scorer keeps, in bytes: that of one megapixel, with some to spare. */
const KEPT_BYTES = 64_000_000;

/** Prepares a scorer, once for a process: compiles the kernel in a few milliseconds. Only tests fit it differently. */
export async function createScorer(fit: Fit = FIT): Promise<Scorer> {
  const start = await compileKernel(fit);
  let kernel = start();
  /** Original whose share is in the memory of the kernel. */
  let present: PreparedReference | undefined;
  return {
    prepare(reference) {
      checkPixels(reference);
      const layout = layOut(reference.width, reference.height, fit, kernel.WORKSPACE.value);
      const prepared: PreparedReference = {
        score(distorted) {
          checkPixels(distorted);
          checkSize(distorted, reference);
          if (present !== prepared) prepare(kernel, layout, reference);
          present = prepared;
          return poolErrors(compare(kernel, layout, distorted), fit);
        },
      };
      return prepared;
    },
    release() {
      if (kernel.memory.buffer.byteLength <= KEPT_BYTES) return;
      kernel = start();
      present = undefined;
    },
  };
}

function prepare(kernel: Kernel, layout: Layout, reference: Pixels): void {
  for (const { part, address, width, height } of planesOf(kernel, layout, reference)) {
    const { edges, structure } = addressesOf(part, layout);
    kernel.prepare(address, edges, structure, width, height, kernel.blur, layout.workspace);
  }
}

function addressesOf({ edges, structure }: PlanePart, { prepared }: Layout) {
  return {
    edges: edges === null ? 0 : prepared + edges,
    structure: structure === null ? 0 : prepared + structure,
  };
}

function compare(kernel: Kernel, layout: Layout, distorted: Pixels): PlaneErrors[][] {
  const errors = Array.from({ length: PLANES }, () => Array.from({ length: layout.scaleCount }, () => NO_ERRORS));
  const sums = new Float64Array(kernel.memory.buffer, layout.sums, 6);
  for (const { part, address, width, height, scale } of planesOf(kernel, layout, distorted)) {
    const { edges, structure } = addressesOf(part, layout);
    sums.fill(0);
    kernel.compare(address, edges, structure, width, height, kernel.blur, FLAT, layout.workspace, layout.sums);
    errors[part.plane]?.splice(scale, 1, toErrors([...sums].map((sum) => sum / (width * height))));
  }
  return errors;
}

function toErrors([structure = 0, structure4 = 0, added = 0, added4 = 0, lost = 0, lost4 = 0]: number[]): PlaneErrors {
  return {
    structure: [structure, structure4 ** 0.25],
    added: [added, added4 ** 0.25],
    lost: [lost, lost4 ** 0.25],
  };
}

const NO_ERRORS: PlaneErrors = { structure: [0, 0], added: [0, 0], lost: [0, 0] };

/** Writes an image into the memory, and yields its planes at each scale while they are there. */
function* planesOf(
  kernel: Kernel,
  layout: Layout,
  { data, width, height }: Pixels,
): Generator<ScalePart & { part: PlanePart; address: number }> {
  ensureMemory(kernel.memory, layout.end);
  new Uint8Array(kernel.memory.buffer, layout.pixels, data.length).set(data);
  let [light, half] = layout.light;
  kernel.toLight(layout.pixels, kernel.table, light, width, height);
  for (const [index, scale] of layout.scales.entries()) {
    const planeBytes = (Math.ceil(scale.width / 4) * 16 + 32) * scale.height;
    const [x, b] = [0, 2].map((plane) => Number(scale.planes.some((part) => part.plane === plane)));
    kernel.toPlanes(light, layout.planes, scale.width, scale.height, kernel.colours, x ?? 0, b ?? 0);
    for (const part of scale.planes) yield { ...scale, part, address: layout.planes + part.plane * planeBytes };
    if (index + 1 < layout.scales.length) {
      halveLight(kernel, scale, light, half);
      [light, half] = [half, light];
    }
  }
}

function halveLight(kernel: Kernel, { width, height }: ScalePart, light: number, half: number): void {
  const from = Math.ceil(width / 4) * 16 * height;
  const to = Math.ceil(width / 8) * 16 * Math.ceil(height / 2);
  for (let plane = 0; plane < PLANES; plane++) kernel.halve(light + plane * from, half + plane * to, width, height);
}

function checkPixels({ data, width, height }: Pixels): void {
  if (width < MIN_SIDE || height < MIN_SIDE) {
    throw new RangeError(`Expected an image of at least ${MIN_SIDE} x ${MIN_SIDE} pixels, got ${width} x ${height}`);
  }
  if (data.length !== width * height * 3) {
    throw new RangeError(`Expected ${width * height * 3} bytes for ${width} x ${height} pixels, got ${data.length}`);
  }
}

function checkSize({ width, height }: Pixels, expected: Pixels): void {
  if (width !== expected.width || height !== expected.height) {
    const size = `${expected.width} x ${expected.height}`;
    throw new RangeError(`Expected ${size} pixels as in the original, got ${width} x ${height}`);
  }
}

/** Mean, and fourth root of the mean of the fourth powers. */
export type Norms = readonly [mean: number, fourth: number];
/** Errors of one plane at one scale. */
export interface PlaneErrors {
  structure: Norms;
  /** Edges that the original does not have. */
  added: Norms;
  /** Edges of the original that are gone. */
  lost: Norms;
}

/**
 * Sums up the errors of each plane, from the largest scale to the smallest, to a score. Of images that are too small for all scales
 * the reference takes the weights without gaps, and so does this.
 */
export function poolErrors(errors: readonly (readonly PlaneErrors[])[], fit: Fit): number {
  let weight = 0;
  let sum = 0;
  for (let plane = 0; plane < PLANES; plane++) {
    for (const { structure, added, lost } of errors[plane] ?? []) {
      for (const norm of [0, 1] as const) {
        for (const error of [structure[norm], added[norm], lost[norm]]) sum += (fit.weights[weight++] ?? 0) * error;
      }
    }
  }
  const difference = fit.toDifference(sum);
  return difference > 0 ? 100 - 10 * difference ** fit.power : 100;
}
