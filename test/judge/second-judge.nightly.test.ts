import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { type Eye, openChromiumEye } from './chromium-eye.ts';
import { fixtureFiles } from './fixture-files.ts';
import { openMagickEye } from './magick-eye.ts';
import { avifMatrix, pngMatrix } from './matrix.ts';
import { photoMatrix } from './photo-matrix.ts';
import { judge } from './second-judge.ts';
import { tiffMatrix } from './tiff-matrix.ts';

const FORMATS = ['webp', 'avif', 'jpeg', 'png', 'original'] as const;

let browser: Eye;
let tiff: Eye | undefined;
beforeAll(async () => {
  browser = await openChromiumEye(await sharedBrowser());
  tiff = await openMagickEye();
});
afterAll(async () => {
  await browser.close();
  await tiff?.close();
});

describe('what another program shows of the upload', () => {
  it('is what the export shows, in every cell of the matrix', async () => {
    const files = [...pngMatrix(), ...(await avifMatrix()), ...tiffMatrix(), ...(await photoMatrix())];
    const { cells, defects } = await judge(files, FORMATS, { browser, tiff });
    expect(defects).toEqual([]);
    expect(cells).toBeGreaterThan(600);
  });

  it('is what the export shows, of the files from the field and of the hostile ones', async () => {
    // Photographs differ in lossy formats by more than patches do.
    const { cells, defects } = await judge(await fixtureFiles(), ['png'], { browser, tiff });
    expect(defects).toEqual([]);
    expect(cells).toBeGreaterThan(35);
  });
});
