import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { OutputFormat, Preset } from '#contract';
import { METADATA_LEVELS, type MetadataLevel, PRESET_TARGETS } from '#contract/constants';
import { placesByExiftool } from '../judge/exiftool.ts';
import { type FileWithPlace, placesIn } from '../judge/places.ts';
import type { Harness } from './processor-harness.ts';

const FORMATS: OutputFormat[] = ['original', 'webp', 'avif', 'jpeg', 'png'];
const PRESETS = Object.keys(PRESET_TARGETS) as Preset[];

interface Choice {
  format: OutputFormat;
  preset: Preset;
  metadata: MetadataLevel;
}

/** How many of all settings a test tries with each file. */
export type Extent =
  /** Each format once, and `original` at each level. */
  | 'few'
  /** `original` with each preset at each level, and all pairs of a format and a level, with each preset among them. */
  | 'pairs'
  | 'all';

const ALL: Choice[] = FORMATS.flatMap((format) =>
  PRESETS.flatMap((preset) => METADATA_LEVELS.map((metadata) => ({ format, preset, metadata }))),
);

/** Lists settings for the file of a number. */
function choicesFor(number: number, extent: Extent): Choice[] {
  if (extent === 'all') return ALL;
  return ALL.filter(({ format, preset, metadata }) => {
    const [row, column] = [FORMATS.indexOf(format), METADATA_LEVELS.indexOf(metadata)];
    if (extent === 'few') {
      const isLevel = format === 'original' || column === (number + row) % METADATA_LEVELS.length;
      return isLevel && preset === PRESETS[(number + row) % PRESETS.length];
    }
    // Over the files each format meets each preset at each level.
    return (
      format === 'original' || preset === PRESETS[(number + row * METADATA_LEVELS.length + column) % PRESETS.length]
    );
  });
}

/** Renders files and expects no place, serial number or thumbnail in any output. */
export async function expectNoPlaces(harness: Harness, files: FileWithPlace[], extent: Extent): Promise<void> {
  const outputs: string[] = [];
  for (const [number, { name, bytes }] of files.entries()) {
    const source = await harness.store(name, bytes);
    for (const choice of choicesFor(number, extent)) {
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
