import type { EncodedFormat, Preset } from '#contract';
import { MAX_LOSSLESS_PIXELS } from '../../shared/memory-estimate.ts';
import { type EncoderSettings, presetSettings } from '../../shared/presets.ts';
import type { Pixels } from '../pixels.ts';
import { countColours, sampleRows } from './pixel-statistics.ts';
import type { Scaling } from './resize.ts';

const MAX_PALETTE = 256;
/** Most colours of flat art in a sample. */
const MAX_FLAT_COLOURS = 4096;
/** Pixels of all frames up to which an animation is tried exactly, whatever it shows: frames differ little, and that is cheap. */
const SMALL_ANIMATION = 1_000_000;
/** Sampled rows; takes half a millisecond for rows of 3,000 pixels. */
const ROWS_OF_PHOTOGRAPH = 32;

/**
 * Chooses the encoder settings to try for these pixels, from the preset's table and pixel statistics; the smallest result is
 * kept. Each has at least the quality of the preset.
 * @param resized true if the pixels are a smaller version of the image
 */
export function chooseQuality(
  pixels: Pixels,
  format: EncodedFormat,
  preset: Preset,
  resized: boolean,
): EncoderSettings[] {
  const settings = presetSettings(format, preset, resized);
  if (settings.format === 'webp' && isFlat(pixels)) return [settings, { ...settings, lossless: true }];
  if (settings.format === 'png') return pngCandidates(pixels, settings.colours);
  return [settings];
}

/** Returns true for settings that keep every pixel. */
export function isExact(settings: EncoderSettings): boolean {
  if (settings.format === 'webp') return settings.lossless;
  return settings.format === 'tiff' || (settings.format === 'png' && settings.exact);
}

/**
 * Returns the settings of a smaller version if they are known before scaling: for an uncropped photograph, and for formats
 * with a single choice. Undefined if they depend on the scaled pixels.
 */
export function chooseBeforeScaling(
  { from, crop }: Scaling,
  format: EncodedFormat,
  preset: Preset,
): EncoderSettings | undefined {
  const settings = presetSettings(format, preset, true);
  if (settings.format === 'png' || from.frames > 1 || from.channels !== 3) return undefined;
  // A crop of a photograph may be flat.
  return settings.format !== 'webp' || (!crop && isPhotograph(from)) ? settings : undefined;
}

/** Returns true for pixels that stay far from flat when they are scaled down. */
function isPhotograph(pixels: Pixels): boolean {
  const { flatness, sampledColours } = sampleRows(pixels, Number.POSITIVE_INFINITY, ROWS_OF_PHOTOGRAPH);
  return flatness < 0.5 && sampledColours > MAX_FLAT_COLOURS;
}

/** Detects flat art, text and 1-bit art, where exact is often smaller than lossy (0.2 to 1.0 times; photographs 5 to 10 times). */
function isFlat(pixels: Pixels): boolean {
  const { width, height, frames } = pixels;
  if (width * height > MAX_LOSSLESS_PIXELS) return false;
  if (frames > 1 && width * height * frames <= SMALL_ANIMATION) return true;
  const { flatness, sampledColours } = sampleRows(pixels, MAX_FLAT_COLOURS);
  return sampledColours <= 16 || (flatness >= 0.8 && sampledColours <= MAX_FLAT_COLOURS);
}

/**
 * Measured per megapixel: filters at level 6 take 75 ms and make photographs a quarter smaller than level 9 without filters (80 ms);
 * level 9 with filters takes 170-990 ms for 0-12 %. Without filters flat art is up to a third smaller.
 */
function pngCandidates(pixels: Pixels, presetColours: number | null): EncoderSettings[] {
  const flat = sampleRows(pixels).flatness >= 0.5;
  const exactColours = countColours(pixels, MAX_PALETTE);
  const palette = { format: 'png', compressionLevel: 9, adaptiveFiltering: false } as const;
  if (exactColours <= (presetColours ?? MAX_PALETTE)) {
    return [{ ...palette, colours: Math.max(2, exactColours), effort: 7, exact: true }, ...lossless(flat)];
  }
  // Palette effort 7 takes five times as long on photographs as 4, for 6 %; on flat art little more, for 5-20 %.
  if (presetColours !== null) return [{ ...palette, colours: presetColours, effort: flat ? 7 : 4, exact: false }];
  return lossless(flat);
}

function lossless(flat: boolean): EncoderSettings[] {
  const filtered = {
    format: 'png',
    colours: null,
    compressionLevel: 6,
    adaptiveFiltering: true,
    effort: 7,
    exact: true,
  } as const;
  return flat ? [filtered, { ...filtered, compressionLevel: 9, adaptiveFiltering: false }] : [filtered];
}
