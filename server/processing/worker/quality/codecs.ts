import { type EncodedFormat, PRESET_TARGETS, type Preset } from '#contract/constants';
import { type EncoderSettings, presetSettings } from '../../shared/presets.ts';
import { type Curve, numberAt, scoreAt } from './search-number.ts';
import type { Extent } from './tiles.ts';
import type { Traits } from './traits.ts';

/** Ways to encode with losses; one number steers each. */
export type CodecName = 'webp' | 'jpeg420' | 'jpeg444' | 'avif420' | 'avif444' | 'palette';

/** Parameters of a codec, fitted to a corpus. */
export interface CodecFit {
  /** Mean score by number. */
  curve: Curve;
  /** By preset: weights of 1, flatness, detail, noise and chroma, whose sum is the number to start from. */
  starts: Readonly<Record<Preset, readonly number[]>>;
  /** Weights of 1, the traits and the points of the tiles above 70, whose sum is what a file scores above its tiles. */
  offset: readonly number[];
}

/** Fitted parameters of all codecs. */
export type StartTable = Readonly<Record<CodecName, CodecFit>>;

/** A codec for one image. */
export interface Codec {
  name: CodecName;
  bounds: { least: number; most: number };
  /** Number from which on one more point of the score may cost more than 12 % of a file. */
  steep: number;
  /** Settings of the encoder for a number. */
  settings(number: number): EncoderSettings;
  /** Settings to encode tiles with. */
  tileSettings(number: number): EncoderSettings;
}

/** Formats whose quality can be searched. */
export type SearchedFormat = Exclude<EncodedFormat, 'tiff'>;

/** Sizes of palettes: the library chooses one, two, four or eight bits a pixel, and then uses all colours that these can tell apart. */
export const PALETTES = [2, 4, 16, 256] as const;

const SIX_TILES = { area: 6 * 256 * 256, edge: 256 };
/** Tiles that each probe of the search encodes. AVIF has fewer, since its encoder takes five to ten times as long. */
export const PROBED: Readonly<Record<SearchedFormat, Extent>> = {
  webp: SIX_TILES,
  jpeg: SIX_TILES,
  avif: { area: 4 * 256 * 256, edge: 256 },
  png: SIX_TILES,
  gif: SIX_TILES,
};

/**
 * WebP's effort for tiles. Above 2 the encoder weighs errors by its past decisions, and tiles that do not belong together mislead it: their
 * score is 5 points off on average, and up to 20, while at effort 2 it predicts that of the file at effort 4 within 1.2.
 */
export const TILE_EFFORT = 2;

/**
 * Chroma from which on a quarter of the colours is not enough. Measured on 33 images: above, 4:2:0 needs 4 to 49 more of JPEG's numbers for
 * the same score, below 1 to 7, and a whole set of colours costs as much as 8.
 */
const FULL_CHROMA = 3;

/** Numbers from which on the knee is looked for. Some images have one below, which is not found: stars as AVIF from 76, a facade as WebP from 84. */
const STEEP = { webp: 91, jpeg: 92, avif: 84 } as const;

const LEAST_NUMBER = 10;
const MOST_BELOW_TABLE = 30;

/**
 * Chooses the codec of a format for an image: full chroma where it has fine colours.
 * @param fullChroma true to have it anyway
 */
export function chooseCodec(
  format: SearchedFormat,
  preset: Preset,
  { traits, resized, fullChroma }: { traits: Traits; resized: boolean; fullChroma: boolean },
): Codec {
  const codec = codecOf(format, preset, { traits, resized, fullChroma });
  const tileSettings = (number: number) => {
    const settings = codec.settings(number);
    return settings.format === 'webp' ? { ...settings, effort: TILE_EFFORT } : settings;
  };
  return { ...codec, tileSettings };
}

function codecOf(
  format: SearchedFormat,
  preset: Preset,
  { traits, resized, fullChroma }: { traits: Traits; resized: boolean; fullChroma: boolean },
): Omit<Codec, 'tileSettings'> {
  const full = fullChroma || traits.chroma > (preset === 'maximum' ? 0 : FULL_CHROMA);
  const base = presetSettings(format, preset, resized);
  const chroma = { chromaSubsampling: full ? '4:4:4' : '4:2:0' } as const;
  switch (base.format) {
    case 'webp':
      return {
        name: 'webp',
        steep: STEEP.webp,
        bounds: boundsOf(base.quality),
        settings: (quality) => ({ ...base, quality, smartSubsample: full }),
      };
    case 'jpeg':
      return {
        name: full ? 'jpeg444' : 'jpeg420',
        steep: STEEP.jpeg,
        bounds: boundsOf(base.quality),
        settings: (quality) => ({ ...base, ...chroma, quality }),
      };
    case 'avif':
      return {
        name: full ? 'avif444' : 'avif420',
        steep: STEEP.avif,
        bounds: boundsOf(base.quality),
        settings: (quality) => ({ ...base, ...chroma, quality }),
      };
    case 'gif':
      return { ...palette(), settings: (number) => ({ ...base, colours: PALETTES[number] ?? 256 }) };
    case 'png':
      return {
        ...palette(),
        settings: (number) => ({
          ...{ format: 'png', compressionLevel: 9, adaptiveFiltering: false, exact: false },
          ...{ colours: PALETTES[number] ?? 256, effort: traits.flatness >= 0.5 ? 7 : 4 },
        }),
      };
    default:
      throw new Error(`expected a lossy format but received ${base.format}`);
  }
}

/** The score hardly notices an even shift of plain colours, as low numbers cause it: an image may need far less than most, within bounds. */
function boundsOf(numberOfTable: number) {
  return { least: Math.max(LEAST_NUMBER, numberOfTable - MOST_BELOW_TABLE), most: 100 };
}

function palette() {
  return { name: 'palette', bounds: { least: 0, most: PALETTES.length - 1 }, steep: Number.POSITIVE_INFINITY } as const;
}

/** Predicts the number at which an image reaches a score. */
export function predictNumber(
  table: StartTable,
  codec: CodecName,
  preset: Preset,
  aim: number,
  traits: Traits,
): number {
  const { curve, starts } = table[codec];
  const sum = weigh(starts[preset], traits);
  return numberAt(curve, scoreAt(curve, sum) + aim - PRESET_TARGETS[preset]);
}

/** Predicts the score of a file from that of its tiles. */
export function scoreOfFile({ offset }: CodecFit, tiles: number, traits: Traits): number {
  return tiles + weigh(offset, traits, tiles - 70);
}

/** Sum of weights of 1, the traits, and one more value. */
function weigh(weights: readonly number[], { flatness, detail, noise, chroma }: Traits, more = 0): number {
  return [1, flatness, detail, noise, chroma, more].reduce(
    (total, value, index) => total + value * (weights[index] ?? 0),
    0,
  );
}
