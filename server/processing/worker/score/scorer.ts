import { compileKernel, ensureMemory, type Kernel } from './kernel.ts';
import {
  type Band,
  FIT,
  type Fit,
  FLAT,
  type Layout,
  layOut,
  lineBytes,
  MIN_SIDE,
  PLANES,
  planeLineBytes,
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
   * @param sampled true to estimate the score from a quarter of the lines at full size, half of them at half size, and all at the coarser
   *   scales, which takes half the time. @default false
   * @throws RangeError if a side is below 8 pixels, or `data` has another length than the size asks for
   */
  prepare(reference: Pixels, sampled?: boolean): PreparedReference;
  /** Gives back the memory that large images have taken, which a kernel would keep. */
  release(): void;
}

/** Memory that a scorer keeps, in bytes: that of two megapixels, with some to spare. New memory costs more than the score on virtual machines. */
export const KEPT_BYTES = 80_000_000;

/** Prepares a scorer, once for a process: compiles the kernel in a few milliseconds. Only tests fit it differently. */
export async function createScorer(fit: Fit = FIT): Promise<Scorer> {
  const start = await compileKernel(fit);
  let kernel = start();
  /** Original whose share is in the memory of the kernel. */
  let present: PreparedReference | undefined;
  return {
    prepare(reference, sampled = false) {
      checkPixels(reference);
      const layout = layOut(reference.width, reference.height, fit, kernel.WORKSPACE.value, sampled);
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
  for (const { address, edges, structure, width, height, from, to } of planesOf(kernel, layout, reference)) {
    kernel.prepare(address, edges, structure, width, height, from, to, kernel.blur, layout.workspace);
  }
}

function compare(kernel: Kernel, layout: Layout, distorted: Pixels): PlaneErrors[][] {
  const sums = Array.from({ length: PLANES }, () =>
    Array.from({ length: layout.scaleCount }, () => new Float64Array(6)),
  );
  const added = new Float64Array(kernel.memory.buffer, layout.sums, 6);
  for (const part of planesOf(kernel, layout, distorted)) {
    const { address, edges, structure, width, height, from, to, plane, scale } = part;
    added.fill(0);
    kernel.compare(
      ...([address, edges, structure, width, height, from, to] as const),
      ...([kernel.blur, FLAT, layout.workspace, layout.sums] as const),
    );
    const sum = sums[plane]?.[scale];
    sum?.forEach((value, index) => {
      sum[index] = value + (added[index] ?? 0) / part.counted;
    });
  }
  return sums.map((scales) => scales.map((sum) => toErrors([...sum])));
}

function toErrors([structure = 0, structure4 = 0, added = 0, added4 = 0, lost = 0, lost4 = 0]: number[]): PlaneErrors {
  return {
    structure: [structure, structure4 ** 0.25],
    added: [added, added4 ** 0.25],
    lost: [lost, lost4 ** 0.25],
  };
}

/** A band of a plane that is in the memory. */
interface BandInMemory extends Band {
  plane: number;
  scale: number;
  width: number;
  address: number;
  /** Addresses of the original's share; 0 where there is none. */
  edges: number;
  structure: number;
  /** Pixels of the scale that count. */
  counted: number;
}

/** Writes an image into the memory, and yields the bands of its planes at each scale while they are there. */
function* planesOf(kernel: Kernel, layout: Layout, { data, width, height }: Pixels): Generator<BandInMemory> {
  ensureMemory(kernel.memory, layout.end);
  new Uint8Array(kernel.memory.buffer, layout.pixels, data.length).set(data);
  let [light, half] = layout.light;
  for (const scale of layout.scales) {
    yield* bandsInMemory(kernel, layout, scale, light);
    if (scale === layout.scales.at(-1)) return;
    if (scale.scale === 0 && layout.banded) kernel.halveBytes(layout.pixels, kernel.table, half, width, height);
    else halveLight(kernel, scale, light, half);
    [light, half] = [half, light];
  }
}

function* bandsInMemory(kernel: Kernel, layout: Layout, part: ScalePart, light: number): Generator<BandInMemory> {
  const { scale, width, planes, bands } = part;
  const line = lineBytes(width);
  const [x = 0, b = 0] = [0, 2].map((plane) => Number(planes.some((one) => one.plane === plane)));
  const counted = width * bands.reduce((sum, { from, to }) => sum + to - from, 0);
  for (const band of bands) {
    const { top, height, before } = band;
    // At full size there is the light of this band alone.
    if (scale === 0) kernel.toLight(layout.pixels + 3 * width * top, kernel.table, light, width, height);
    const [first, lines] = scale === 0 ? [light, height] : [light + line * top, part.height];
    kernel.toPlanes(first, line * lines, layout.planes, width, height, kernel.colours, x, b);
    for (const { plane, edges, structure } of planes) {
      yield {
        ...{ ...band, plane, scale, width, counted },
        address: layout.planes + plane * planeLineBytes(width) * height,
        edges: edges === null ? 0 : layout.prepared + edges + line * before,
        structure: structure === null ? 0 : layout.prepared + structure + 3 * line * before,
      };
    }
  }
}

function halveLight(kernel: Kernel, { width, height }: ScalePart, light: number, half: number): void {
  const from = lineBytes(width) * height;
  const to = lineBytes(Math.ceil(width / 2)) * Math.ceil(height / 2);
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
