import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestAccount } from '../support/service.ts';
import { fixture, openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';

const [FIRST, SECOND] = ['small/graphic-badge-alpha.png', 'photos/render-tiles.webp'] as const;

let rig: WidgetRig;
let account: TestAccount;
let site: Server;
let origin: string;

// A real server, since the browser's test interface answers preflights itself where it serves a page.
beforeAll(async () => {
  rig = await openWidgetRig();
  account = await rig.test.createAccount({ credits: 10, plan: 'agency' });
  const html = `<!doctype html><title>Another origin</title><link rel="icon" href="data:,">
    <script type="module" src="${rig.test.url}/widget/define.js"></script>
    <image-optimizer endpoint="${rig.test.url}"></image-optimizer>
    <script>
      window.failures = [];
      document.addEventListener('io-error', ({ detail }) => failures.push(detail.error.serviceCode));
    </script>`;
  site = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(html));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => site.close());

interface Wanted {
  apiKey: string;
  sessionId?: string;
  maxCredits: number;
}

/** Makes a token, as the backend of the page does. */
async function createToken({ apiKey, ...wanted }: Wanted): Promise<string> {
  const headers = { 'X-API-Key': apiKey };
  const json = { origin, ...wanted };
  return (await account.api.readJson<{ token: string }>('/v1/tokens', { json, headers })).token;
}

const handOver = (widget: Locator, apiKey: string) =>
  widget.evaluate((element, value) => Object.assign(element, { apiKey: value }) && undefined, apiKey);

async function exportAll(widget: Locator): Promise<void> {
  await widget.locator('button.export').click();
  await widget.locator('dialog button[value=yes]').click();
}

it('works with the service from another origin by a session token, and goes on with a new one', async () => {
  const { page, complaints } = await rig.browser.open();
  await page.goto(origin);
  const widget = page.locator('image-optimizer');
  const state = () => widget.evaluate((element) => (element as unknown as { state: string }).state);
  const button = (name: string) => widget.getByRole('button', { name, exact: true });
  const lent = await rig.test.service.accounts.keys.create({ accountId: account.accountId, name: 'lent' });
  await handOver(widget, await createToken({ apiKey: lent.apiKey, maxCredits: 1 }));

  const input = widget.locator('input[type=file]').first();
  await input.setInputFiles(fixture(FIRST));
  await expect.poll(state).toBe('ready');
  await button(text('toolbar.analyze')).click();
  await expect.poll(() => rig.vision.questions().length).toBe(1);
  await expect.poll(state).toBe('ready');
  await button(text('export.sample')).click();
  await expect.poll(() => widget.locator('io-compare').count()).toBe(1);
  await page.keyboard.press('Escape');
  await exportAll(widget);
  await expect.poll(state).toBe('done');
  const arriving = page.waitForEvent('download');
  await widget
    .getByRole('button', { name: /^Download .*\.webp$/ })
    .first()
    .click();
  expect((await arriving).suggestedFilename()).toMatch(/\.webp$/);
  expect(await account.api.balance()).toBe(9);
  expect(complaints).toEqual([]);

  await rig.test.service.accounts.keys.remove(account.accountId, lent.keyId);
  await input.setInputFiles(fixture(SECOND));
  await expect.poll(state).toBe('error');
  await expect.poll(() => widget.getByText(text('error.unauthorized')).count()).toBeGreaterThan(0);
  expect(await page.evaluate('window.failures')).toContain('invalid_api_key');

  const sessionId = (await widget.getAttribute('session-id')) ?? '';
  await handOver(widget, await createToken({ apiKey: account.apiKey, sessionId, maxCredits: 1 }));
  await expect.poll(state).toBe('ready');
  await exportAll(widget);
  await expect.poll(state).toBe('done');
  expect(await account.api.balance()).toBe(8);
  await expect.poll(() => widget.getAttribute('session-id')).toBe(sessionId);
});
