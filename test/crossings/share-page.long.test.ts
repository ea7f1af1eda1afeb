import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedShare, ImageResult } from '#contract';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createJudge, type Judge, WIDTH } from './judge-cell.ts';
import { SERVICE, SETTINGS } from './settings.ts';
import { type Cell, cellsOf, type Kind } from './table.ts';
import { type Upload, uploadsOfKinds } from './uploads.ts';

let service: TestService;
let browser: SharedBrowser;
let eye: ChromiumEye;
let judge: Judge;
let uploads: Record<Kind, Upload>;
beforeAll(async () => {
  service = await startTestService(SERVICE);
  browser = await sharedBrowser();
  eye = await openChromiumEye(browser);
  judge = await createJudge(eye);
  uploads = await uploadsOfKinds();
});
afterAll(async () => {
  await eye?.close();
  await service?.close();
});

/** Opens a link and compares before and after; returns every picture that came, by the end of its path. */
async function visit(url: string, kind: Kind): Promise<Map<string, { bytes: Buffer; type: string }>> {
  const { page } = await browser.open({ locale: 'en' });
  const came = new Map<string, { bytes: Buffer; type: string }>();
  await page.route('**/shared/images/**', async (route) => {
    const response = await route.fetch();
    const bytes = await response.body();
    const [, end] = /shared\/images\/[^/]+\/(\w+)/.exec(route.request().url()) ?? [];
    const type = response.headers()['content-type'] ?? '';
    if (end && type.startsWith('image/')) came.set(end, { bytes, type });
    await route.fulfill({ response, body: bytes });
  });
  await page.goto(url);
  await page.locator('share-image .frame img').first().waitFor();
  await page.getByRole('button', { name: 'Compare before and after' }).click();
  await page.getByRole('slider').waitFor();
  // Of a HEIC no browser shows the upload, so the comparison has its preview.
  const wanted = ['original', 'preview', 'result'].filter((end) => kind !== 'HEIC' || end !== 'original');
  await expect.poll(() => [...came.keys()].sort()).toEqual(wanted);
  return came;
}

describe('share page', () => {
  it.each(cellsOf('share page'))('$kind with $setting: $line', async ({ kind, setting }: Cell) => {
    const { api } = await service.createAccount({ credits: 5 });
    const uploaded = await api.upload([uploads[kind]]);
    const { last } = await api.run('export', uploaded, SETTINGS[setting]);
    const [made] = last.data.results as ImageResult[];
    const { url } = await api.readJson<CreatedShare>(`/v1/sessions/${uploaded.sessionId}/shares`, { json: {} });
    const came = await visit(url, kind);
    const all = [...came.values()].map(({ bytes }) => bytes);
    const [result, preview] = [came.get('result'), came.get('preview')];
    if (!result || !preview) throw new Error('expected both');
    // The page shows files of full size, and previews, which do not move.
    const width = setting === 'sizes' ? made?.original.width : WIDTH;
    const told = { score: made?.quality.score };
    await judge.expectRight({ kind, setting }, uploads[kind], { shown: result, all, told }, width);
    const still = kind === 'animated' ? 'still' : kind;
    await judge.expectRight({ kind: still, setting: 'formats' }, uploads[kind], { shown: preview, all });
  });
});
