// Numbers of SSIMULACRA2 2.1, after the reference implementation: `tools/ssimulacra2.cc` of libjxl, which is that of
// github.com/cloudinary/ssimulacra2 (J. Sneyers, BSD 3-clause licence). Numbers of the XYB colours: `lib/jxl/cms/opsin_params.h` there.

/** Scales, 1:1 to 1:32. Each halves the one before. */
export const SCALES = 6;
/** A scale whose shorter side is smaller has no smaller one (`ComputeSSIMULACRA2`). */
export const MIN_SIDE = 8;
/** Colour planes: X, Y and B - Y. */
export const PLANES = 3;

/** Share of red, green and blue light in the answers of the three kinds of cones (`kM00` to `kM22`). */
export const CONES = [
  [0.3, 1 - 0.3 - 0.078, 0.078],
  [0.23, 1 - 0.23 - 0.078, 0.078],
  [0.24342268924547819, 0.20476744424496821, 1 - 0.24342268924547819 - 0.20476744424496821],
] as const;
/** Added to each answer before its cube root is taken (`kB0`). */
export const CONE_BIAS = 0.0037930732552754493;

/** Keeps the structural similarity of flat areas finite (`kC2`). */
export const FLAT = 0.0009;

/**
 * Half of the blur, from its middle outwards: a Gaussian with a standard deviation of 1.5 pixels as the sum of three cosines,
 * `sum(beta[k] * cos(k * pi * m / 10))` for k = 1, 3, 5 (Charalampidis 2016, as in `CreateRecursiveGaussian` of
 * `tools/gauss_blur.cc`). The reference computes it recursively, but it ends after four pixels: cos(k * pi / 2) is 0.
 * Pixels outside the image are 0.
 */
export const BLUR = [0, 1, 2, 3, 4].map((m) =>
  [0.1789391416414913, 0.07272614473619017, 0.012955819110517075].reduce(
    (sum, beta, k) => sum + beta * Math.cos(((2 * k + 1) * Math.PI * m) / 10),
    0,
  ),
);

/** Parameters that were fitted to human judgements; they change from version to version. */
export interface Fit {
  /** Factor and offset that bring each plane into 0..1 (`MakePositiveXYB`). */
  toUnit: readonly [x: Range, y: Range, b: Range];
  /**
   * Weights of the errors (`Msssim::Score`): for each plane, each scale and each norm (mean, fourth root of the mean of the fourth
   * powers) those of structure, of edges that are new and of edges that are lost.
   */
  weights: readonly number[];
  /** Turns the weighted sum into the difference of which the score takes a power (end of `Msssim::Score`). */
  toDifference(sum: number): number;
  power: number;
  /**
   * Error that the reference's recursive blur, with 24 bits, has added to the mean of squares at the end of a line of 1,000 pixels, relative to the
   * square of the mean. It counts where an image is flat, and lowers the score there. Fitted to scores of the reference. 0: exact blurs.
   */
  rounding: number;
}
type Range = readonly [factor: number, offset: number];

/** Version 2.1 of April 2023. */
export const FIT: Fit = {
  toUnit: [
    [14, 0.42],
    [1, 0.01],
    [1, 0.55],
  ],
  weights: [
    ...[0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0], // X 1:1
    ...[0, 0.0004371155730107379, 0, 1.1041726426657346, 0.00066284834129271, 0.00015231632783718752], // X 1:2
    ...[0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666, 0], // X 1:4
    ...[0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0], // X 1:8
    ...[
      0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967, 0.00031949755934435053,
    ], // X 1:16
    ...[0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0], // X 1:32
    ...[0, 0, 0, 7.466890328078848, 0, 17.445833984131262], // Y 1:1
    ...[0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264], // Y 1:2
    ...[225.20515300849274, 0, 0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985], // Y 1:4
    ...[176.39317598450694, 0, 0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408], // Y 1:8
    ...[0, 0, 0, 34.77906344483772, 44.835625328877896, 0], // Y 1:16
    ...[0, 0, 0, 0, 0, 0], // Y 1:32
    ...[0, 0.0008680556573291698, 0, 0, 0, 0], // B - Y 1:1
    ...[0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0], // B - Y 1:2
    ...[0, 0, 0, 0.0004179171803251336, 0.0017290828234722833, 0], // B - Y 1:4
    ...[0.0020827005846636437, 0, 0, 8.826982764996862, 23.19243343998926, 0], // B - Y 1:8
    ...[
      95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493, 171.2667255897307,
      0.9807858872435379,
    ], // B - Y 1:16
    ...[0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537], // B - Y 1:32
  ],
  toDifference(sum) {
    const scaled = sum * 0.9562382616834844;
    return 2.326765642916932 * scaled - 0.020884521182843837 * scaled ** 2 + 6.248496625763138e-5 * scaled ** 3;
  },
  power: 0.6276336467831387,
  rounding: 1e-5,
};

/** Error of the reference's blur on lines of a width: it adds up along a line, up and down. */
export const roundingOf = (width: number, { rounding }: Fit) => rounding * Math.sqrt(width / 1000);

/** One plane of an image at one scale, as far as the score depends on it. */
export interface PlanePart {
  plane: number;
  /** Offset of the original's blurred plane in the prepared memory, in bytes, for the errors at edges. Null: edges have no weight here. */
  edges: number | null;
  /** Offset of the original's three planes there, in bytes, for the structural error. Null: it has no weight here. */
  structure: number | null;
}

/** Lines of a scale whose errors count, with what their blurs reach: an image of its own for the kernel. */
export interface Band {
  /** First line of the band at this scale, and how many it has. */
  top: number;
  height: number;
  /** The lines that count, within the band: from the first up to the last, exclusive. */
  from: number;
  to: number;
  /** Lines of the bands before, whose share is kept. */
  before: number;
}

/** An image at one scale. */
export interface ScalePart {
  scale: number;
  width: number;
  height: number;
  planes: PlanePart[];
  bands: Band[];
}

/** Addresses of an image that is worked on. */
export interface Side {
  /** Light at a scale and at the next one, in turns. */
  light: [number, number];
  /** Planes of a band. */
  planes: number;
}

/** Addresses in the memory of the kernel for one size of image, in bytes. */
export interface Layout {
  scales: ScalePart[];
  /** Scales of an image of this size, including unweighted ones. */
  scaleCount: number;
  /** True if the full size is worked on in several bands, so that its light is never there as a whole. */
  banded: boolean;
  /** True if the image is so large that the original's share of a band is made when the band is compared, and not kept. */
  streamed: boolean;
  /** Rows of an image. */
  pixels: number;
  /** Place of an image; if it is streamed, of the changed version and of the original. */
  sides: Side[];
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
export const lineBytes = (width: number) => Math.ceil(width / 4) * 16;
/** Bytes of a line of a plane, with its margins. */
export const planeLineBytes = (width: number) => lineBytes(width) + 32;

/** Errors with less weight change no score by a hundredth, and are not computed: that is half of the work. */
const LEAST_WEIGHT = 0.01;

/** Lines of a band of a scale of which not all count: a multiple of the blocks of the encoders. */
const BAND = 32;
/** Most lines of a band where all lines count, and rows of an image that are in the memory at once. An even number. */
export const MOST_LINES = 128;
/** Pixels up to which the original's share is kept: that takes up to 40 bytes for each. */
const KEPT_PIXELS = 2_000_000;
/** In a sample, one band counts in so many lines, at the two finest scales. */
const PERIODS = [128, 64];
/** Lines that the blur of one line reaches beyond it. */
const REACH = 4;

/**
 * Lays out the memory for images of a size.
 * @param sampled true to count a quarter of the lines at full size and half of them at half size
 */
export function layOut(width: number, height: number, fit: Fit, workspaceBytes: number, sampled: boolean): Layout {
  const streamed = width * height > KEPT_PIXELS;
  const { scales, scaleCount, preparedBytes } = divide(width, height, fit, { sampled, streamed });
  let end = BEGIN;
  const take = (bytes: number) => {
    const begin = end;
    end = Math.ceil((begin + bytes + SLACK) / 16) * 16;
    return begin;
  };
  const light = (first: number) =>
    Math.max(
      ...scales.filter(({ scale }) => scale % 2 === first).map((one) => 3 * lineBytes(one.width) * linesOf(one)),
    );
  const side = (): Side => ({
    light: [take(light(0)), take(scales.length > 1 ? light(1) : 0)],
    planes: take(Math.max(...scales.map((one) => 3 * planeLineBytes(one.width) * highestBand(one)))),
  });
  return {
    scales,
    scaleCount,
    banded: scales[0]?.bands.length !== 1,
    streamed,
    pixels: take(3 * width * Math.min(height, MOST_LINES + 2 * REACH)),
    sides: streamed ? [side(), side()] : [side()],
    workspace: take(workspaceBytes),
    sums: take(6 * 8),
    prepared: take(preparedBytes),
    end,
  };
}

/** Lines of light that are there at once: of the full size, only those of a band. */
const linesOf = (scale: ScalePart) => (scale.scale === 0 ? highestBand(scale) : scale.height);
const highestBand = ({ bands }: ScalePart) => Math.max(...bands.map(({ height }) => height));

function divide(
  width: number,
  height: number,
  { weights }: Fit,
  { sampled, streamed }: { sampled: boolean; streamed: boolean },
) {
  const sizes = [{ width, height }];
  for (let last = { width, height }; sizes.length < SCALES && Math.min(last.width, last.height) >= MIN_SIDE; ) {
    last = { width: Math.ceil(last.width / 2), height: Math.ceil(last.height / 2) };
    sizes.push(last);
  }
  let [preparedBytes, end] = [0, 0];
  const scales = sizes.map((size, scale): ScalePart => {
    const planes: PlanePart[] = [];
    const bands = bandsOf(scale, size.height, sampled).map((band) => (streamed ? { ...band, before: 0 } : band));
    const lines = Math.max(...bands.map(({ before, height: own }) => before + own));
    if (streamed) end = 0;
    const take = (parts: number) => {
      const begin = end;
      end += parts * lineBytes(size.width) * lines;
      preparedBytes = Math.max(preparedBytes, end);
      return begin;
    };
    for (let plane = 0; plane < PLANES; plane++) {
      const first = 6 * (plane * sizes.length + scale);
      const counts = weights.slice(first, first + 6).map((weight) => weight > LEAST_WEIGHT);
      const hasStructure = counts[0] || counts[3];
      const hasEdges = counts[1] || counts[2] || counts[4] || counts[5];
      if (!hasStructure && !hasEdges) continue;
      planes.push({ plane, edges: hasEdges ? take(1) : null, structure: hasStructure ? take(3) : null });
    }
    return { ...size, scale, planes, bands };
  });
  // Scales below the last one that counts are not even made.
  while (scales.at(-1)?.planes.length === 0) scales.pop();
  return { scales, scaleCount: sizes.length, preparedBytes };
}

/**
 * Lists the bands of a scale. All lines count, in bands so short that the memory of one is small; or those of one band in the middle of each
 * period.
 */
function bandsOf(scale: number, height: number, sampled: boolean): Band[] {
  const period = sampled ? PERIODS[scale] : undefined;
  const skips = period !== undefined && height >= 2 * period;
  const count = skips ? Math.round(height / period) : Math.ceil(height / MOST_LINES);
  let before = 0;
  return Array.from({ length: count }, (_, index) => {
    const middle = Math.round(((index + 0.5) * height) / count);
    const first = skips ? middle - BAND / 2 : Math.round((index * height) / count);
    const last = skips ? first + BAND : Math.round(((index + 1) * height) / count);
    const top = Math.max(0, first - REACH);
    const end = Math.min(height, last + REACH);
    const band = { top, height: end - top, from: first - top, to: last - top, before };
    before += band.height;
    return band;
  });
}
