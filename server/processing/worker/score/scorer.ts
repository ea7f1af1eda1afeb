import { FIT, type Fit, FLAT, MIN_SIDE, PLANES } from './constants.ts';
import { ensureMemory, type Kernel, startKernel } from './kernel.ts';
import { type Layout, layOut, type PlanePart, type ScalePart } from './layout.ts';
import { type PlaneErrors, poolErrors } from './pool-errors.ts';

/** Pixels of an image: interleaved sRGB, 3 bytes a pixel, rows without padding. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/** An original whose share of the work is done. */
export interface PreparedReference {
  /**
   * Scores a changed version of the original: 100 is identical, from 90 nobody sees a difference, below 50 everybody does; far
   * worse ones are below 0.
   * @throws RangeError if it has another size
   */
  score(distorted: Pixels): number;
}

/** Scores versions of images. */
export interface Scorer {
  /**
   * Does the original's share of the work. Takes about 40 bytes a pixel until it is no longer used.
   * @throws RangeError if a side is below 8 pixels, or `data` has another length than the size asks for
   */
  prepare(reference: Pixels): PreparedReference;
}

/** Prepares a scorer, once for a process: compiles the kernel in a few milliseconds. Only tests fit it differently. */
export async function createScorer(fit: Fit = FIT): Promise<Scorer> {
  const kernel = await startKernel(fit);
  return {
    prepare(reference) {
      checkPixels(reference);
      const layout = layOut(reference.width, reference.height, fit, kernel.workspaceBytes(reference.width));
      const prepared = prepare(kernel, layout, reference);
      return {
        score(distorted) {
          checkPixels(distorted);
          checkSize(distorted, reference);
          return poolErrors(compare(kernel, layout, prepared, distorted), fit);
        },
      };
    },
  };
}

function prepare(kernel: Kernel, layout: Layout, reference: Pixels): Uint8Array {
  for (const { part, address, width, height } of planesOf(kernel, layout, reference)) {
    const target = layout.prepared + part.prepared;
    kernel.prepare(address, target, width, height, Number(part.structure), kernel.blur, layout.workspace);
  }
  return new Uint8Array(kernel.memory.buffer, layout.prepared, layout.preparedBytes).slice();
}

function compare(kernel: Kernel, layout: Layout, prepared: Uint8Array, distorted: Pixels): PlaneErrors[][] {
  const errors = Array.from({ length: PLANES }, () => layout.scales.map(() => NO_ERRORS));
  ensureMemory(kernel.memory, layout.end);
  new Uint8Array(kernel.memory.buffer, layout.prepared, prepared.length).set(prepared);
  const sums = new Float64Array(kernel.memory.buffer, layout.sums, 6);
  for (const { part, address, width, height, scale } of planesOf(kernel, layout, distorted)) {
    const original = layout.prepared + part.prepared;
    sums.fill(0);
    const { blur, compare } = kernel;
    compare(address, original, width, height, Number(part.structure), blur, FLAT, layout.workspace, layout.sums);
    const [structure, structure4, added, added4, lost, lost4] = [...sums].map((sum) => sum / (width * height));
    errors[part.plane]?.splice(scale, 1, {
      structure: [structure ?? 0, (structure4 ?? 0) ** 0.25],
      added: [added ?? 0, (added4 ?? 0) ** 0.25],
      lost: [lost ?? 0, (lost4 ?? 0) ** 0.25],
    });
  }
  return errors;
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
    kernel.toPlanes(light, layout.planes, scale.width, scale.height, kernel.colours);
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
