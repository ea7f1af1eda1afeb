import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ImageResult } from '#contract';
import type { HostSettings } from '../../plugin-bridge/host/cms-host.ts';
import { createRemoteHost } from '../../plugin-bridge/host/index.ts';
import { imagewright, openMedia } from '../../plugin-bridge/host/server/index.ts';
import { type ChromiumEye, openChromiumEye } from '../judge/chromium-eye.ts';
import { connectShelf } from '../plugin-bridge/host/connect-shelf.ts';
import { mediaFolder } from '../plugin-bridge/host/media-folder.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { serveLocally } from '../support/serve-locally.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createJudge, type Judge, TEXTS } from './judge-cell.ts';
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

/** Starts an admin with one image, and a page that shows it. */
async function startSite({ name, bytes }: Upload, alt: string) {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-site-'));
  await writeFile(join(folder, name), bytes);
  const account = await service.createAccount({ credits: 5 });
  const list = async () => (await readdir(folder)).sort().map((file) => ({ id: file, file, alt }));
  const media = openMedia({ folder, url: '/media', list });
  const app = express();
  app.use('/media', media.serve, express.static(folder));
  app.use(
    '/imagewright',
    imagewright({ service: service.url, apiKey: account.apiKey, userOf: () => 'editor', host: media }),
  );
  app.get('/page', async (_, response) => {
    response.send(
      `<!doctype html><img src="/media/${name}" srcset="${await media.srcset(name)}" sizes="100vw" alt="">`,
    );
  });
  const { url, close } = await serveLocally(createServer(app));
  onTestFinished(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });
  return { url, folder, account, host: createRemoteHost(`${url}/imagewright`) };
}

/** Returns the address that Chromium takes on the page, so wide. */
async function chosenOn(url: string, width: number): Promise<string> {
  const { page } = await browser.open({ viewport: { width, height: 600 } });
  await page.goto(`${url}/page`);
  return page.locator('img').evaluate(async (element) => {
    await (element as HTMLImageElement).decode();
    return (element as HTMLImageElement).currentSrc;
  });
}

describe('Express', () => {
  it.each(cellsOf('Express'))('$kind with $setting: $line', async ({ kind, setting }: Cell) => {
    const upload = uploads[kind];
    const site = await startSite(upload, setting === 'languages' ? TEXTS.german : TEXTS.alt);
    // A site takes one format, which stands in the place of its file.
    const { formats, ...settings } = SETTINGS[setting];
    const host = {
      ...site.host,
      settings: () => ({ ...settings, ...(formats && { format: 'webp' }) }) as HostSettings,
    };
    const { element, connection } = await connectShelf({ url: `${site.url}/imagewright`, host });
    let result: ImageResult | undefined;
    element.addEventListener('io-export', (event) => {
      [result] = (event as CustomEvent<{ results: ImageResult[] }>).detail.results;
    });
    expect(await connection.run([upload.name])).toMatchObject({ replaced: 1, failed: 0 });
    const address = await chosenOn(site.url, setting === 'sizes' ? 48 : 1280);
    const answer = await fetch(address);
    const shown = { bytes: Buffer.from(await answer.arrayBuffer()), type: answer.headers.get('content-type') ?? '' };
    const files = await mediaFolder(site.folder, () => `${site.url}/media`).files();
    const told = { score: result?.quality.score, placeholder: result?.placeholder };
    await judge.expectRight({ kind, setting }, upload, { shown, all: [...files.values()].map(Buffer.from), told });
  });

  it('HEIC: not listed; the file stays', async () => {
    const { url, folder, host } = await startSite(uploads.HEIC, '');
    expect(await host.list({})).toMatchObject({ images: [] });
    const answer = await fetch(`${url}/media/${uploads.HEIC.name}`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(uploads.HEIC.bytes);
    expect(await readFile(join(folder, uploads.HEIC.name))).toEqual(uploads.HEIC.bytes);
  });
});
