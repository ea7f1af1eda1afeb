import type { InputFormat, Preset } from '#contract';
import type { Pixels } from '../pixels.ts';
import { type EncoderSettings, presetSettings } from '../presets.ts';

/**
 * Chooses the encoder settings for these pixels, best candidates together: the encoder keeps the smallest.
 * The place for a search of the number per image; for now the preset's table.
 */
export function chooseQuality(_pixels: Pixels, format: InputFormat, preset: Preset): EncoderSettings[] {
  return [presetSettings(format, preset)];
}
