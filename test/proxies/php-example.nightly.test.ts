import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { FIXTURES } from '../support/api-client.ts';
import { sharedBrowser } from '../support/browser.ts';
import { sharedService } from '../support/shared-service.ts';
import { text } from '../support/widget-rig.ts';
import { findPhp } from '../wordpress/site/php.ts';
import { end } from '../wordpress/site/serve-native.ts';
import { freePort, untilListening } from './programs.ts';

const php = await findPhp();
if (!php)
  console.warn('SKIPPED: examples/php is not tested, since this machine has no PHP with the extensions it needs.');

/** Returns the commands of examples/README.md, with a key, a service and a port of this test. */
async function commands(changes: Record<string, string>): Promise<string> {
  const page = await readFile('examples/README.md', 'utf8');
  const block = /^```sh\n(cd php\n.*?)^```/ms.exec(page)?.[1] ?? '';
  expect(block.trim().split('\n')).toHaveLength(2);
  return Object.entries(changes).reduce((line, [from, to]) => {
    expect(line).toContain(from);
    return line.replace(from, to);
  }, block);
}

it.skipIf(!php)('examples/php: two commands start an admin whose editor logs in, uploads and exports', async () => {
  const service = await sharedService();
  const { apiKey, api } = await service.createAccount({ credits: 10 });
  const port = await freePort();
  const script = await commands({ iw_YOUR_KEY: apiKey, 'choose-one': 'secret', ':3000': `:${port}` });
  const child = spawn('sh', ['-ec', script], {
    cwd: 'examples',
    detached: true,
    env: { ...process.env, IMAGEWRIGHT_URL: service.url },
    stdio: 'ignore',
  });
  onTestFinished(() => end(child));
  await untilListening(port, child);
  const { page, expectQuiet } = await (await sharedBrowser()).open();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  expect(await page.locator('image-optimizer').count()).toBe(0);
  await page.getByLabel('Password').fill('secret');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('image-optimizer input[type=file]').first().setInputFiles(`${FIXTURES}/photos/photo-brushes.jpg`);
  await page.getByRole('button', { name: text('export.some', { count: 1 }) }).click();
  await page.getByRole('button', { name: text('confirm.yes', { count: 1 }) }).click();
  const download = page.getByRole('button', { name: text('row.download', { name: 'photo-brushes.webp' }) });
  await expect.poll(() => download.count()).toBeGreaterThan(0);
  expect(await api.balance()).toBe(9);
  expectQuiet();
});
