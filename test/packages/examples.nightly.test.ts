import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Balance } from '#contract';
import { createApiClient, FIXTURES } from '../support/api-client.ts';
import { sharedBrowser } from '../support/browser.ts';
import { envOutside } from '../support/install-packages.ts';
import { sharedService } from '../support/shared-service.ts';
import { text } from '../support/widget-rig.ts';
import { createEmptyProject, type EmptyProject, packAll } from './empty-project.ts';

const run = promisify(execFile);

let archives: Record<string, string>;
beforeAll(async () => {
  archives = await packAll();
});

/** Copies an example and installs its packages: ours as they are packed, others from the registry. */
async function install(name: string, ...ours: string[]): Promise<EmptyProject> {
  const project = await createEmptyProject(`examples/${name}`);
  onTestFinished(() => rm(project.folder, { recursive: true, force: true }));
  await project.install(ours.map((one) => archives[one] ?? one));
  return project;
}

/** Starts an example by `npm start` or another script of it; returns the page at the address that it prints. */
async function open(project: EmptyProject, env: Record<string, string>, script = 'start', words: string[] = []) {
  const { url, stop } = await project.start(script, words, env);
  onTestFinished(stop);
  const tab = await (await sharedBrowser()).open();
  await tab.page.goto(url);
  return { url, ...tab };
}

/** Uploads a photograph by the element of a page, and exports it. */
async function exportPhoto(page: Page): Promise<void> {
  await page.locator('image-optimizer input[type=file]').first().setInputFiles(`${FIXTURES}/photos/photo-brushes.jpg`);
  await page.getByRole('button', { name: text('export.some', { count: 1 }) }).click();
  await page.getByRole('button', { name: text('confirm.yes', { count: 1 }) }).click();
}

interface ServiceSettings extends Record<string, string> {
  IMAGEWRIGHT_URL: string;
  IMAGEWRIGHT_API_KEY: string;
}

async function serviceSettings(): Promise<ServiceSettings> {
  const service = await sharedService();
  const { apiKey } = await service.createAccount({ credits: 10 });
  return { IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: apiKey };
}

/** Reads the credits that are left. */
async function balanceOf({ IMAGEWRIGHT_URL: url, IMAGEWRIGHT_API_KEY: apiKey }: ServiceSettings): Promise<number> {
  return (await createApiClient({ url, apiKey }).readJson<Balance>('/v1/credits/balance')).balance;
}

it('react: the page uploads and exports while it is worked on, and a build has optimized images', async () => {
  const project = await install('react', 'imagewright-element', 'imagewright-engine', 'imagewright-unplugin');
  const free = ['--host', '127.0.0.1', '--port', '0'];
  const { page } = await open(project, await serviceSettings(), 'start', free);
  await exportPhoto(page);
  await expect
    .poll(() => page.locator('main > ul > li').allTextContents())
    .toEqual([expect.stringMatching(/^photo-brushes\.webp: \d+ bytes/)]);

  await run('npm', ['run', '--silent', 'build'], { cwd: project.folder, env: envOutside() });
  const built = await open(project, {}, 'preview', free);
  const source = built.page.locator('main > picture source');
  expect(await source.getAttribute('type')).toBe('image/avif');
  expect(await source.getAttribute('srcset')).toMatch(/^\/assets\/header-[\w-]+\.avif 960w, .* 640w, .* 320w$/);
  const width = () =>
    built.page.locator('main > picture img').evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(width).toBeGreaterThan(0);
});

it('express: an admin that replaces media, keeps what was paid for over a reload, and restores', async () => {
  const project = await install('express', 'imagewright-element', 'imagewright-host');
  await cp(`${FIXTURES}/photos/photo-brushes.jpg`, join(project.folder, 'media/photo-brushes.jpg'));
  const settings = { ...(await serviceSettings()), PORT: '0', ADMIN_PASSWORD: 'secret' };
  const { url, page } = await open(project, settings);
  await page.setExtraHTTPHeaders({ Authorization: `Basic ${btoa('editor:secret')}` });
  await page.goto(`${url}/admin/`);
  const shown = async () => Buffer.from(await (await fetch(`${url}/media/photo-brushes.jpg`)).arrayBuffer());
  const before = await shown();
  const replace = page.getByRole('button', { name: /^Replace / }).first();
  await page.getByRole('button', { name: 'Optimize all' }).click();
  await page.getByRole('button', { name: text('export.some', { count: 1 }) }).click();
  await page.getByRole('button', { name: text('confirm.yes', { count: 1 }) }).click();
  await replace.waitFor();
  expect(await balanceOf(settings)).toBe(9);
  await page.reload();
  await replace.click();
  await expect.poll(async () => (await shown()).length).toBeLessThan(before.length);
  expect(await balanceOf(settings)).toBe(9);
  await page.getByRole('button', { name: 'Restore all' }).click();
  await expect.poll(async () => (await shown()).equals(before)).toBe(true);
});

it('server rendering: the tag is in the page, and the element uploads and exports in the browser', async () => {
  const project = await install('server-rendering', 'imagewright-element');
  const settings = { ...(await serviceSettings()), PORT: '0' };
  const { url, page } = await open(project, settings);
  expect(await (await fetch(url)).text()).toContain(
    `<image-optimizer endpoint="${settings.IMAGEWRIGHT_URL}" locale="en"></image-optimizer>`,
  );
  await exportPhoto(page);
  const download = page.getByRole('button', { name: text('row.download', { name: 'photo-brushes.webp' }) });
  await expect.poll(() => download.count()).toBeGreaterThan(0);
});
