import { type Fit, MIN_SIDE, PLANES, SCALES } from './constants.ts';

/** One plane of an image at one scale, as far as the score depends on it. */
export interface PlanePart {
  plane: number;
  /** Whether its structure counts; its edges are always compared. */
  structure: boolean;
  /** Begin in the prepared part of the memory, in bytes. */
  prepared: number;
}

/** An image at one scale. */
export interface ScalePart {
  scale: number;
  width: number;
  height: number;
  planes: PlanePart[];
}

/** Addresses in the memory of the kernel for one size of image, in bytes. */
export interface Layout {
  scales: ScalePart[];
  pixels: number;
  /** Light at a scale and at the next one, in turns. */
  light: [number, number];
  planes: number;
  workspace: number;
  sums: number;
  prepared: number;
  preparedBytes: number;
  end: number;
}

/** Constants that the kernel reads lie before this address. */
const BEGIN = 4096;
/** The kernel may read so far beyond a plane. */
const SLACK = 64;

/** Bytes of a line: whole vectors of four floats. */
const lineBytes = (width: number) => Math.ceil(width / 4) * 16;

/** Lays out the memory for images of a size. Planes without any weight are left out. */
export function layOut(width: number, height: number, fit: Fit, workspaceBytes: number): Layout {
  const { scales, preparedBytes } = divide(width, height, fit);
  let end = BEGIN;
  const take = (bytes: number) => {
    const begin = end;
    end = Math.ceil((begin + bytes + SLACK) / 16) * 16;
    return begin;
  };
  return {
    scales,
    pixels: take(3 * width * height),
    light: [take(3 * lineBytes(width) * height), take(3 * lineBytes(Math.ceil(width / 2)) * Math.ceil(height / 2))],
    planes: take(3 * (lineBytes(width) + 32) * height),
    workspace: take(workspaceBytes),
    sums: take(6 * 8),
    prepared: take(preparedBytes),
    preparedBytes,
    end,
  };
}

function divide(width: number, height: number, { weights }: Fit) {
  const sizes = [{ width, height }];
  for (let last = { width, height }; sizes.length < SCALES && Math.min(last.width, last.height) >= MIN_SIDE; ) {
    last = { width: Math.ceil(last.width / 2), height: Math.ceil(last.height / 2) };
    sizes.push(last);
  }
  let preparedBytes = 0;
  const scales = sizes.map((size, scale): ScalePart => {
    const planes: PlanePart[] = [];
    for (let plane = 0; plane < PLANES; plane++) {
      const first = 6 * (plane * sizes.length + scale);
      const counting = weights.slice(first, first + 6).map((weight) => weight !== 0);
      if (!counting.includes(true)) continue;
      const structure = counting[0] === true || counting[3] === true;
      planes.push({ plane, structure, prepared: preparedBytes });
      preparedBytes += (structure ? 4 : 1) * lineBytes(size.width) * size.height;
    }
    return { ...size, scale, planes };
  });
  return { scales, preparedBytes };
}
