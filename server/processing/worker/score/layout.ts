import { type Fit, MIN_SIDE, PLANES, SCALES } from './constants.ts';

/** One plane of an image at one scale, as far as the score depends on it. */
export interface PlanePart {
  plane: number;
  /** Offset of the original's blurred plane in the prepared memory, in bytes, for the errors at edges. Null: edges have no weight here. */
  edges: number | null;
  /** Offset of the original's three planes there, in bytes, for the structural error. Null: it has no weight here. */
  structure: number | null;
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
  /** Scales of an image of this size, with those that do not count. */
  scaleCount: number;
  pixels: number;
  /** Light at a scale and at the next one, in turns. */
  light: [number, number];
  planes: number;
  workspace: number;
  sums: number;
  prepared: number;
  end: number;
}

/** Constants that the kernel reads lie before this address. */
const BEGIN = 4096;
/** The kernel may read so far beyond a plane. */
const SLACK = 64;

/** Bytes of a line: whole vectors of four floats. */
const lineBytes = (width: number) => Math.ceil(width / 4) * 16;

/** Errors with less weight change no score by a hundredth, and are not computed: that is half of the work. */
const LEAST_WEIGHT = 0.01;

/** Lays out the memory for images of a size. */
export function layOut(width: number, height: number, fit: Fit, workspaceBytes: number): Layout {
  const { scales, scaleCount, preparedBytes } = divide(width, height, fit);
  let end = BEGIN;
  const take = (bytes: number) => {
    const begin = end;
    end = Math.ceil((begin + bytes + SLACK) / 16) * 16;
    return begin;
  };
  return {
    scales,
    scaleCount,
    pixels: take(3 * width * height),
    light: [take(3 * lineBytes(width) * height), take(3 * lineBytes(Math.ceil(width / 2)) * Math.ceil(height / 2))],
    planes: take(3 * (lineBytes(width) + 32) * height),
    workspace: take(workspaceBytes),
    sums: take(6 * 8),
    prepared: take(preparedBytes),
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
  const take = (parts: number, { width, height }: { width: number; height: number }) => {
    const begin = preparedBytes;
    preparedBytes += parts * lineBytes(width) * height;
    return begin;
  };
  const scales = sizes.map((size, scale): ScalePart => {
    const planes: PlanePart[] = [];
    for (let plane = 0; plane < PLANES; plane++) {
      const first = 6 * (plane * sizes.length + scale);
      const counts = weights.slice(first, first + 6).map((weight) => weight > LEAST_WEIGHT);
      const hasStructure = counts[0] || counts[3];
      const hasEdges = counts[1] || counts[2] || counts[4] || counts[5];
      if (!hasStructure && !hasEdges) continue;
      planes.push({ plane, edges: hasEdges ? take(1, size) : null, structure: hasStructure ? take(3, size) : null });
    }
    return { ...size, scale, planes };
  });
  // Scales below the last one that counts are not even made.
  while (scales.at(-1)?.planes.length === 0) scales.pop();
  return { scales, scaleCount: sizes.length, preparedBytes };
}
