import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { type Eye, openChromiumEye } from './chromium-eye.ts';
import { avifMatrix, pngMatrix } from './matrix.ts';
import { photoMatrix } from './photo-matrix.ts';
import { judge } from './second-judge.ts';

/** Every how manieth file is judged here; all of them are in the long form. */
const STEP = 7;

let browser: Eye;
beforeAll(async () => {
  browser = await openChromiumEye(await sharedBrowser());
});
afterAll(() => browser.close());

it('what a browser shows of the upload is what exports show, in some cells of the matrix', async () => {
  const files = [...pngMatrix(), ...(await avifMatrix()), ...(await photoMatrix())].filter(
    ({ name }, index) => index % STEP === 0 || name.endsWith('icc of rgb'),
  );
  const { cells, defects } = await judge(files, ['webp', 'jpeg', 'original'], { browser, tiff: undefined });
  expect(defects).toEqual([]);
  expect(cells).toBeGreaterThan(30);
});
