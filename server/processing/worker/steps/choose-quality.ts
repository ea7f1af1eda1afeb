import type { EncodedFormat, Preset } from '#contract';
import { MAX_LOSSLESS_PIXELS } from '../../shared/memory-estimate.ts';
import { type EncoderSettings, presetSettings } from '../../shared/presets.ts';
import type { Pixels } from '../pixels.ts';
import { countColours, sampleRows } from './pixel-statistics.ts';
import type { Scaling } from './resize.ts';

const MAX_PALETTE = 256;
/** Whatever has more in a sample is no flat art. */
const MAX_FLAT_COLOURS = 4096;
/** Half a millisecond for rows of 3,000 pixels. */
const ROWS_OF_PHOTOGRAPH = 32;

/**
 * Chooses the encoder settings to try for these pixels; the smallest result is kept, and none is worse than the preset promises.
 * @param resized the pixels are a smaller version of the image
 * The place for a search of the number per image; for now the preset's table and a look at the pixels.
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

/**
 * The settings of a smaller version that can be told before its pixels are made: of a whole photograph, which stays one, and
 * where a format has but one way. Undefined when the pixels have to be looked at.
 */
export function chooseBeforeScaling(
  { from, to }: Scaling,
  format: EncodedFormat,
  preset: Preset,
): EncoderSettings | undefined {
  const settings = presetSettings(format, preset, true);
  if (settings.format === 'png' || from.frames > 1 || from.channels !== 3) return undefined;
  // What is cropped out of a photograph may be flat.
  return settings.format !== 'webp' || (to.fit === 'fill' && isPhotograph(from)) ? settings : undefined;
}

/** Far from flat all over: what is scaled down from it is not flat either. */
function isPhotograph(pixels: Pixels): boolean {
  const { flatness, sampledColours } = sampleRows(pixels, Number.POSITIVE_INFINITY, ROWS_OF_PHOTOGRAPH);
  return flatness < 0.5 && sampledColours > MAX_FLAT_COLOURS;
}

/** Flat art, text and 1-bit art: exact is often smaller than lossy there (measured: 0.2 to 1.0 of it; photographs 5 to 10 times). */
function isFlat(pixels: Pixels): boolean {
  if (pixels.frames > 1 || pixels.width * pixels.height > MAX_LOSSLESS_PIXELS) return false;
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
