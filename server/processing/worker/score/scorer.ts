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
  MOST_LINES,
  PLANES,
  planeLineBytes,
  roundingOf,
  type ScalePart,
} from './layout.ts';
import { addErrors, errorsOf, poolErrors, startTally, type Tally } from './pool.ts';

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
   * Does the original's share of the work, and again if another original was used meanwhile: the memory of the kernel holds one of up to
   * two megapixels. Of larger ones it does that share anew for each version. Keeps the pixels, which must not change.
   * @param sampled true to estimate the score from a quarter of the lines at full size, half of them at half size, and all at the coarser
   *   scales, which takes half the time. @default false
   * @param lineWidth pixels of a line of the image that this one stands for: the rounding of the reference grows with them. @default its own
   * @throws RangeError if a side is below 8 pixels, or `data` has another length than the size asks for
   */
  prepare(reference: Pixels, sampled?: boolean, lineWidth?: number): PreparedReference;
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
    prepare(reference, sampled = false, lineWidth = reference.width) {
      checkPixels(reference);
      const layout = layOut(reference.width, reference.height, fit, kernel.WORKSPACE.value, sampled);
      const prepared: PreparedReference = {
        score(distorted) {
          checkPixels(distorted);
          checkSize(distorted, reference);
          if (Buffer.compare(distorted.data, reference.data) === 0) return 100;
          if (!layout.streamed && present !== prepared) prepareAll(kernel, layout, reference);
          present = prepared;
          const rounding = (width: number) => roundingOf((width * lineWidth) / reference.width, fit);
          return poolErrors(errorsOf(compare(kernel, layout, reference, distorted, rounding)), fit);
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

function prepareAll(kernel: Kernel, layout: Layout, reference: Pixels): void {
  for (const band of planesOf(kernel, layout, reference, layout.sides[0])) prepareBand(kernel, layout, band);
}

function prepareBand(kernel: Kernel, { workspace }: Layout, band: BandInMemory): void {
  const { address, edges, structure, width, height, from, to } = band;
  kernel.prepare(address, edges, structure, width, height, from, to, kernel.blur, workspace);
}

/** Sums up the errors of all bands, with the rounding of the reference at a width. */
function compare(
  kernel: Kernel,
  layout: Layout,
  reference: Pixels,
  distorted: Pixels,
  rounding: (width: number) => number,
): Tally {
  const tally = startTally(layout.scaleCount);
  const originals = layout.streamed ? planesOf(kernel, layout, reference, layout.sides[1]) : undefined;
  for (const part of planesOf(kernel, layout, distorted, layout.sides[0])) {
    const original = originals?.next();
    if (original && !original.done) prepareBand(kernel, layout, original.value);
    const { address, edges, structure, width, height, from, to, plane, scale } = part;
    const added = new Float64Array(kernel.memory.buffer, layout.sums, 6).fill(0);
    kernel.compare(
      ...([address, edges, structure, width, height, from, to] as const),
      ...([kernel.blur, FLAT, rounding(width), layout.workspace, layout.sums] as const),
    );
    addErrors(tally, { plane, scale, sums: added, pixels: width * (to - from) });
  }
  return tally;
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
}

/** Yields the bands of an image's planes at each scale while they are in the memory. */
function* planesOf(kernel: Kernel, layout: Layout, image: Pixels, side = layout.sides[0]): Generator<BandInMemory> {
  if (!side) return;
  ensureMemory(kernel.memory, layout.end);
  let [light, half] = side.light;
  for (const scale of layout.scales) {
    yield* bandsInMemory(kernel, layout, image, scale, { light, planes: side.planes });
    if (scale === layout.scales.at(-1)) return;
    if (scale.scale === 0 && layout.banded) halvePixels(kernel, layout, image, half);
    else halveLight(kernel, scale, light, half);
    [light, half] = [half, light];
  }
}

function* bandsInMemory(
  kernel: Kernel,
  layout: Layout,
  image: Pixels,
  part: ScalePart,
  at: { light: number; planes: number },
): Generator<BandInMemory> {
  const { scale, width, planes, bands } = part;
  const line = lineBytes(width);
  const [x = 0, b = 0] = [0, 2].map((plane) => Number(planes.some((one) => one.plane === plane)));
  for (const band of bands) {
    const { top, height, before } = band;
    // At full size there is the light of this band alone.
    if (scale === 0) {
      writeRows(kernel, layout, image, top, height);
      kernel.toLight(layout.pixels, kernel.table, at.light, width, height);
    }
    const [first, lines] = scale === 0 ? [at.light, height] : [at.light + line * top, part.height];
    kernel.toPlanes(first, line * lines, at.planes, width, height, kernel.colours, x, b);
    for (const { plane, edges, structure } of planes) {
      yield {
        ...{ ...band, plane, scale, width },
        address: at.planes + plane * planeLineBytes(width) * height,
        edges: edges === null ? 0 : layout.prepared + edges + line * before,
        structure: structure === null ? 0 : layout.prepared + structure + 3 * line * before,
      };
    }
  }
}

function writeRows(kernel: Kernel, layout: Layout, { data, width }: Pixels, top: number, rows: number): void {
  const bytes = data.subarray(3 * width * top, 3 * width * (top + rows));
  new Uint8Array(kernel.memory.buffer, layout.pixels, bytes.length).set(bytes);
}

/** Makes light of half the size. */
function halvePixels(kernel: Kernel, layout: Layout, image: Pixels, half: number): void {
  const { width, height } = image;
  const line = lineBytes(Math.ceil(width / 2));
  const plane = line * Math.ceil(height / 2);
  for (let top = 0; top < height; top += MOST_LINES) {
    const rows = Math.min(MOST_LINES, height - top);
    writeRows(kernel, layout, image, top, rows);
    kernel.halveBytes(layout.pixels, kernel.table, half + (line * top) / 2, plane, width, rows);
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
