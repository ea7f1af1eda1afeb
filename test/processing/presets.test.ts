import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DEFAULT_INPUT_FORMATS, type EncodedFormat, PRESETS } from '#contract';
import { presetSettings, QUALITY_VERSION } from '../../server/processing/shared/presets.ts';
import { START_TABLE } from '../../server/processing/worker/quality/start-table.ts';

describe('the quality table', () => {
  it('changes only together with its version, which is part of every cache key', () => {
    const table = (DEFAULT_INPUT_FORMATS as EncodedFormat[]).map((format) =>
      PRESETS.flatMap((preset) => [presetSettings(format, preset), presetSettings(format, preset, true)]),
    );
    const hash = createHash('sha256')
      .update(JSON.stringify([table, START_TABLE]))
      .digest('hex')
      .slice(0, 16);
    // After an intended change, raise QUALITY_VERSION and update this hash.
    expect({ version: QUALITY_VERSION, hash }).toEqual({ version: 15, hash: 'a048dc24571cda2a' });
  });

  it('never increases from one preset to the next', () => {
    for (const format of ['webp', 'avif', 'jpeg'] as const) {
      const numbers = PRESETS.map((preset) => presetSettings(format, preset)).map((row) =>
        'quality' in row ? row.quality : 0,
      );
      expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
      expect(new Set(numbers).size).toBe(PRESETS.length);
    }
  });
});
