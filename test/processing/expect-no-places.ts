import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { OutputFormat, Preset } from '#contract';
import { METADATA_LEVELS, type MetadataLevel, PRESET_TARGETS } from '#contract/constants';
import { type FileWithPlace, placesByExiftool, placesIn } from '../judge/places.ts';
import type { Harness } from './processor-harness.ts';

const FORMATS: OutputFormat[] = ['original', 'webp', 'avif', 'jpeg', 'png'];
const PRESETS = Object.keys(PRESET_TARGETS) as Preset[];

interface Choice {
  format: OutputFormat;
  preset: Preset;
  metadata: MetadataLevel;
}

/** Lists settings for the file of a number: all of them, or each format once and `original` at each level. */
function choicesFor(number: number, whole: boolean): Choice[] {
  const all = FORMATS.flatMap((format) =>
    PRESETS.flatMap((preset) => METADATA_LEVELS.map((metadata) => ({ format, preset, metadata }))),
  );
  if (whole) return all;
  return FORMATS.flatMap((format, index) => {
    const preset = PRESETS[(number + index) % PRESETS.length];
    const level = METADATA_LEVELS[(number + index) % METADATA_LEVELS.length];
    return all.filter(
      (one) => one.format === format && one.preset === preset && (format === 'original' || one.metadata === level),
    );
  });
}

/** Renders files and expects no place, serial number or thumbnail in any output. @param whole all formats with all presets and levels */
export async function expectNoPlaces(harness: Harness, files: FileWithPlace[], whole: boolean): Promise<void> {
  const outputs: string[] = [];
  for (const [number, { name, bytes }] of files.entries()) {
    const source = await harness.store(name, bytes);
    for (const choice of choicesFor(number, whole)) {
      const made = await harness.render(source, { ...choice, widths: choice.format === 'webp' ? [32] : [] });
      for (const { file } of made) {
        outputs.push(file);
        const note = [name, ...Object.values(choice)];
        expect([...note, ...placesIn(await readFile(file))]).toEqual(note);
      }
    }
  }
  expect(outputs.length).toBeGreaterThan(files.length * 6);
  expect(placesByExiftool(outputs)).toEqual([]);
}
