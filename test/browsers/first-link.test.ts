import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { plainImage } from '../support/small-images.ts';
import { startFresh, WAYS } from './fresh-service.ts';

let browser: SharedBrowser;
beforeAll(async () => {
  browser = await sharedBrowser();
});

it.each(WAYS)('goes from the first link to a downloaded file on %s', async (way) => {
  const link = await startFresh(way);
  const { page, expectQuiet } = await browser.open({ ignoreHTTPSErrors: true });
  await page.goto(link);
  await page.locator('input[name=email]').fill('owner@example.com');
  await page.locator('input[name=password]').fill('a long enough sentence');
  await page.getByRole('button', { name: 'Create my log-in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Playground' }).first().click();
  const { name, bytes } = await plainImage('hill.png', { width: 320, height: 240 });
  const widget = page.locator('image-optimizer');
  const file = { name, mimeType: 'image/png', buffer: Buffer.from(bytes) };
  await widget.locator('input[type=file]').first().setInputFiles([file]);
  await widget.locator('button.export').click();
  await widget.locator('dialog button[value=yes]').click();
  const button = widget.locator('button[data-control=download]');
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect((await readFile(await download.path())).subarray(0, 16).toString('latin1')).toMatch(/^RIFF.*WEBP/s);
  // The question whether somebody is logged in is answered so.
  expectQuiet([/status of 401/]);
});
