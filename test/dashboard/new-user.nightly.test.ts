import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VERSION } from '../../widget/version.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { plainImages } from '../support/small-images.ts';
import { expectHeading, PASSWORD, REFUSED } from './dashboard-rig.ts';

let browser: SharedBrowser;
let dataDir: string;
beforeAll(async () => {
  browser = await sharedBrowser();
  dataDir = await mkdtemp(join(tmpdir(), 'imagewright-first-use-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts the built program on an empty directory, as `npm start` does. */
async function startFresh() {
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, LOG_FORMAT: 'json', MONGODB_URI: '', PRINT_FIRST_KEY: 'on' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk));
  return {
    printed: () => printed,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

it('from the first start to the first export: link, password, key, playground, balance, chart', async () => {
  const service = await startFresh();
  try {
    await expect.poll(service.printed).toMatch(/\/dashboard\/claim#token=\S+/);
    const link = /http\S+\/dashboard\/claim#token=\S+/.exec(service.printed())?.[0] ?? '';
    const tab = await browser.open();
    const { page } = tab;
    await page.goto(link);
    await expectHeading(tab, 'Set up your account');
    // The token is not left where it is copied from; a reload still finds it.
    expect(page.url()).not.toContain('token');
    await page.reload();
    await page.getByLabel('Email address').fill('owner@example.com');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create my log-in' }).click();
    await expectHeading(tab, 'Overview');
    const balance = page.locator('#balance');
    await expect.poll(() => balance.textContent()).toMatch(/^25\s+credits/);
    expect(await page.locator('header .foot').textContent()).toContain(`Imagewright ${VERSION}`);

    await page.getByRole('link', { name: 'API Keys' }).click();
    await expectHeading(tab, 'API Keys');
    // The first start has printed a key; who has lost it makes another one in its place.
    await page.getByRole('button', { name: 'Delete first key' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No keys yet.').waitFor();
    await page.getByRole('button', { name: 'Generate New Key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Website');
    await page.locator('dash-dialog').getByRole('button', { name: 'Generate New Key' }).click();
    // The owner is an operator.
    await page.locator('password-prompt').getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const key = await page.getByRole('textbox', { name: 'Your new key' }).inputValue();
    const answer = await fetch(`${new URL(link).origin}/v1/credits/balance`, { headers: { 'X-API-Key': key } });
    expect(answer.status).toBe(200);
    await page.getByRole('button', { name: 'I have saved it' }).click();

    await page.getByRole('link', { name: 'Playground' }).click();
    await expectHeading(tab, 'Playground');
    const images = await plainImages(3, { width: 320, height: 240 });
    const files = images.map(({ name, bytes }) => ({ name, mimeType: 'image/png', buffer: Buffer.from(bytes) }));
    const widget = page.locator('image-optimizer');
    await widget.locator('input[type=file]').first().setInputFiles(files);
    await widget.locator('button.export:not([aria-disabled=true], [disabled])').click();
    await widget.locator('dialog button[value=yes]').click();
    await page.getByRole('banner').getByText('22 credits').last().waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await expect.poll(() => balance.textContent()).toMatch(/^22\s+credits/);
    await page.getByRole('img', { name: /^3 images from/ }).waitFor();
    await expect.poll(() => page.locator('usage-chart rect.bar').count()).toBe(1);
    await page.getByRole('button', { name: 'Show as a table' }).click();
    await expect.poll(() => page.getByRole('cell').nth(1).textContent()).toBe('3');
    await page
      .getByRole('heading', { name: /^Export/ })
      .or(page.getByText('Export', { exact: false }).first())
      .waitFor();
    tab.expectQuiet([REFUSED]);

    // The owner is the operator of the service, and the link is used up.
    await page.getByRole('link', { name: 'Accounts' }).waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('This link is invalid').waitFor();
    const keyInLog = service.printed().includes(key);
    expect(keyInLog).toBe(false);
  } finally {
    await service.stop();
  }
});
