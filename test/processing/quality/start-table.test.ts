import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { libraryVersions } from '../../../server/processing/cache-key.ts';
import { FITTED_WITH, START_TABLE } from '../../../server/processing/worker/quality/start-table.ts';
import { type FitRow, fitTable } from '../../bench/quality/fit.ts';

describe('the start table', () => {
  it('was fitted with this version of the image library; after an update run `npm run fit:quality`', () => {
    expect(FITTED_WITH).toEqual(libraryVersions());
  });

  it('is what the measured rows give', async () => {
    const file = await readFile(new URL('../../bench/quality/fit-rows.json', import.meta.url), 'utf8');
    const { rows, ...versions } = JSON.parse(file) as { rows: FitRow[]; sharp: string; libvips: string };
    expect(versions).toEqual(FITTED_WITH);
    expect(fitTable(rows)).toEqual(START_TABLE);
  });
});
