import { fileURLToPath } from 'node:url';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { hostFiles } from '../support/host-page.ts';
import { sharedService } from '../support/shared-service.ts';
import { fixture, type RecordedEvent } from '../support/widget-rig.ts';
import { CMS_PROXIES } from './cms-proxies.ts';

const WIDGET = fileURLToPath(new URL('../../dist/widget', import.meta.url));

it('the element uploads, exports and shows progress in a page of a CMS, with its cookie and without a key', async () => {
  const test = await sharedService();
  const account = await test.createAccount({ credits: 5 });
  const faults = await startFaultProxy(test.url);
  onTestFinished(() => faults.close());
  const files = hostFiles({
    elements: [{ endpoint: '/imagewright' }],
    headers: { 'X-CSRF-Token': 'token-of-the-page' },
  });
  const cms = await CMS_PROXIES.express({
    service: faults.url,
    apiKey: account.apiKey,
    extend(app) {
      app.use('/widget', express.static(WIDGET));
      for (const [path, { body, type, policy = '' }] of Object.entries(files)) {
        app.get(path, (_, res) => void res.set('Content-Security-Policy', policy).type(type).send(body));
      }
    },
  });
  onTestFinished(() => cms.stop());
  const { origin } = new URL(cms.endpoint);
  const { page, context, expectQuiet } = await (await sharedBrowser()).open();
  await context.addCookies([{ name: 'cms', value: 'ada', url: origin, httpOnly: true }]);
  await page.goto(`${origin}/host/`);
  const widget = page.locator('image-optimizer');
  const events = (name: string) =>
    page.evaluate(
      (type) => (window as unknown as { recorded: RecordedEvent[] }).recorded.filter((each) => each.type === type),
      name,
    );
  const photos = ['photos/photo-dogs-portrait.jpg', 'photos/render-tiles.webp'];
  await widget.locator('input[type=file]').first().setInputFiles(photos.map(fixture));
  await expect.poll(async () => (await events('io-upload')).length).toBe(2);
  await widget.locator('button.export').click();
  await widget.locator('dialog button[value=yes]').click();
  await expect.poll(async () => (await events('io-export')).length).toBe(1);
  expect((await events('io-export'))[0]?.detail.results.map(({ status }: { status: string }) => status)).toEqual([
    'completed',
    'completed',
  ]);
  expect((await events('io-export-progress')).length).toBeGreaterThan(0);
  expect(await account.api.balance()).toBe(3);
  expect(faults.seen.length).toBeGreaterThan(4);
  expect(faults.seen.filter(({ headers }) => headers.cookie || headers['x-api-key'] !== account.apiKey)).toEqual([]);
  expectQuiet();
});
