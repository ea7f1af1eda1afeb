import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { type Eye, openChromiumEye } from './chromium-eye.ts';
import { openMagickEye } from './magick-eye.ts';
import { avifMatrix, pngMatrix, tiffMatrix } from './matrix.ts';
import { judge } from './second-judge.ts';

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
    const files = [...pngMatrix(), ...(await avifMatrix()), ...tiffMatrix()];
    const { cells, defects } = await judge(files, FORMATS, { browser, tiff });
    expect(defects).toEqual([]);
    expect(cells).toBeGreaterThan(400);
  });
});
