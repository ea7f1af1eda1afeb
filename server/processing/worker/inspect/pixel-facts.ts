import sharp from 'sharp';
import type { PixelReport } from '../../shared/protocol.ts';
import type { SourceFacts } from '../../shared/variants.ts';
import { type OpenSource, openUpright } from '../open-source.ts';
import type { Pixels } from '../pixels.ts';
import { sampleRows } from '../steps/pixel-statistics.ts';

/** A small RGBA copy of an image and sums over its pixels. */
export interface SmallCopy {
  pixels: Pixels;
  /** Mean lightness of the opaque pixels, 0-255. */
  meanLightness: number;
  transparent: boolean;
}

const COPY_EDGE = 256;
const SAMPLE_EDGE = 512;
/** Entropy in bits below which an image counts as blank. */
const BLANK_ENTROPY = 0.5;
const PHOTO_ENTROPY = 6.5;
const SQUARE_TOLERANCE = 0.05;
const PAPER_RATIOS = [Math.SQRT2, 11 / 8.5];
const PAPER_TOLERANCE = 0.03;

/** Screen sizes by which screenshots are recognised, in pixels, shorter edge first. */
const SCREENS = new Set(
  (
    '720x1280 750x1334 768x1366 768x1024 828x1792 900x1440 900x1600 1050x1680 1080x1920 1080x2340 1080x2400 1125x2436 ' +
    '1170x2532 1179x2556 1206x2622 1242x2208 1242x2688 1284x2778 1290x2796 1320x2868 1200x1920 1440x2560 1440x3040 ' +
    '1440x3120 1440x3200 1440x3440 1536x2048 1600x2560 1620x2160 1640x2360 1668x2224 1668x2388 1800x2880 2048x2732 ' +
    '1964x3024 2160x3840 2234x3456 1600x1200 1024x1280'
  ).split(' '),
);

/** Decodes an upright copy of at most 256 pixels a side; shrinks on load if the format can. */
export async function makeSmallCopy(source: OpenSource): Promise<SmallCopy> {
  const size = { width: COPY_EDGE, height: COPY_EDGE };
  const image = await openUpright(source, size);
  const { data, info } = await image
    .resize({ ...size, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const pixels: Pixels = { data, width: info.width, height: info.height, channels: 4, frames: 1 };
  let weight = 0;
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = rgba(data, at);
    weight += alpha;
    sum += (0.2126 * red + 0.7152 * green + 0.0722 * blue) * alpha;
  }
  return { pixels, meanLightness: weight === 0 ? 255 : sum / weight, transparent: weight < (data.length / 4) * 255 };
}

/** Measures an image and guesses its kind. */
export async function measurePixels(
  task: { source: string; facts: SourceFacts; camera: boolean; maxPixels: number },
  copy: SmallCopy,
): Promise<PixelReport> {
  const { source, facts, camera, maxPixels } = task;
  const shares = sharesOf(copy.pixels);
  const { entropy } = shares;
  const kind = async (): Promise<PixelReport['kind']> => {
    if (entropy < BLANK_ENTROPY && !copy.transparent) return 'blank';
    if (Math.max(facts.width, facts.height) <= 256 && copy.transparent) return 'icon';
    if (camera) return 'photo';
    if (looksLikePaper(facts) && shares.nearWhite > 0.6 && shares.grey > 0.85) return 'document';
    if (isScreenFormat(facts) && (isScreen(facts) || (await flatness(source, facts, maxPixels)) > 0.85))
      return 'screenshot';
    return entropy > PHOTO_ENTROPY && !copy.transparent ? 'photo' : null;
  };
  return {
    facts: {
      orientation: orientationOf(facts),
      dominantColour: shares.dominant,
      transparent: copy.transparent,
      animated: facts.pages > 1 && facts.format !== 'tiff',
    },
    kind: await kind(),
  };
}

function orientationOf({ width, height }: SourceFacts): 'landscape' | 'portrait' | 'square' {
  if (Math.abs(width / height - 1) <= SQUARE_TOLERANCE) return 'square';
  return width > height ? 'landscape' : 'portrait';
}

function sharesOf({ data }: Pixels) {
  const counts = new Map<string, number>();
  const histogram = new Uint32Array(256);
  let seen = 0;
  let nearWhite = 0;
  let grey = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = rgba(data, at);
    if (alpha < 128) continue;
    seen += 1;
    const lightness = Math.round(0.2126 * red + 0.7152 * green + 0.0722 * blue);
    histogram[lightness] = (histogram[lightness] ?? 0) + 1;
    if (Math.min(red, green, blue) > 225) nearWhite += 1;
    if (Math.max(red, green, blue) - Math.min(red, green, blue) < 24) grey += 1;
    const name = colourName(red, green, blue);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [dominant] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [null];
  const total = Math.max(1, seen);
  // Shannon entropy in bits: 0 for one shade of grey, 8 for equally frequent ones.
  const entropy = histogram.reduce(
    (sum, count) => (count === 0 ? sum : sum - (count / total) * Math.log2(count / total)),
    0,
  );
  return { dominant, entropy, nearWhite: nearWhite / total, grey: grey / total };
}

function looksLikePaper({ width, height }: SourceFacts): boolean {
  const ratio = Math.max(width, height) / Math.min(width, height);
  return PAPER_RATIOS.some((paper) => Math.abs(ratio / paper - 1) <= PAPER_TOLERANCE);
}

function isScreenFormat({ format, pages, width, height }: SourceFacts): boolean {
  return (format === 'png' || format === 'webp') && pages === 1 && Math.min(width, height) >= 320;
}

function isScreen({ width, height }: SourceFacts): boolean {
  return SCREENS.has(`${Math.min(width, height)}x${Math.max(width, height)}`);
}

/** Measures straight runs of one colour on a full-size crop from the centre, since scaling removes them. */
async function flatness(source: string, { width, height }: SourceFacts, maxPixels: number): Promise<number> {
  const size = { width: Math.min(width, SAMPLE_EDGE), height: Math.min(height, SAMPLE_EDGE) };
  const place = { left: Math.floor((width - size.width) / 2), top: Math.floor((height - size.height) / 2) };
  const { data, info } = await sharp(source, { failOn: 'none', limitInputPixels: maxPixels })
    .autoOrient()
    .extract({ ...place, ...size })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return sampleRows({ data, width: info.width, height: info.height, channels: 4, frames: 1 }).flatness;
}

function rgba(data: Buffer, at: number): [number, number, number, number] {
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, data[at + 3] ?? 0];
}

/** The twelve colour names. */
type ColourName =
  | 'black'
  | 'white'
  | 'grey'
  | 'red'
  | 'orange'
  | 'brown'
  | 'yellow'
  | 'green'
  | 'turquoise'
  | 'blue'
  | 'purple'
  | 'pink';

// Difference between the channels below which a colour counts as grey.
const GREY_CHROMA = 28;

/** Upper limits of the hues, in degrees; red is on both sides of 0. */
const HUES: [number, ColourName][] = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [160, 'green'],
  [190, 'turquoise'],
  [255, 'blue'],
  [295, 'purple'],
  [345, 'pink'],
  [360, 'red'],
];

/** Names an sRGB colour (channels 0-255). */
function colourName(red: number, green: number, blue: number): ColourName {
  const highest = Math.max(red, green, blue);
  const lowest = Math.min(red, green, blue);
  const chroma = highest - lowest;
  const lightness = (highest + lowest) / 510;
  if (highest < 36) return 'black';
  if (chroma < GREY_CHROMA) return lightness > 0.9 ? 'white' : lightness < 0.16 ? 'black' : 'grey';
  const sector =
    highest === red
      ? ((green - blue) / chroma + 6) % 6
      : highest === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4;
  const hue = sector * 60;
  if (hue >= 12 && hue < 50 && lightness < 0.42) return 'brown';
  const name = HUES.find(([end]) => hue < end)?.[1] ?? 'red';
  return name === 'red' && lightness > 0.72 ? 'pink' : name;
}
