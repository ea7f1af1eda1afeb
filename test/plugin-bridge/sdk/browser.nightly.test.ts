import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type * as Sdk from '../../../plugin-bridge/sdk/index.ts';
import { type SharedBrowser, sharedBrowser } from '../../support/browser.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { noiseImage } from '../../support/small-images.ts';
import { expectOneCharge, type SdkHarness, startSdkHarness } from './sdk-harness.ts';

const BUILT = fileURLToPath(new URL('../../../dist/sdk/index.js', import.meta.url));
const PAGE = `<script type="module">import * as sdk from '/sdk.js'; globalThis.sdk = sdk;</script>`;

let harness: SdkHarness;
let browser: SharedBrowser;
beforeAll(async () => {
  harness = await startSdkHarness();
  browser = await sharedBrowser();
});
afterAll(async () => {
  await harness?.close();
});
afterEach(() => harness.proxy.reset());

/** Globals of the page's scripts. */
interface PageGlobals {
  sdk: typeof Sdk;
  client: Sdk.Client;
}

/** A page on the service's own address, with the built SDK and a client of a new account. */
async function openPage(): Promise<{ page: Page; client: Sdk.Client }> {
  const { page } = await browser.open();
  const script = await readFile(BUILT, 'utf8');
  await page.route('**/page', (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
  await page.route('**/sdk.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await page.goto(`${harness.proxy.url}/page`);
  const { apiKey } = await harness.test.createAccount();
  await page.evaluate((apiKey) => {
    const { sdk } = globalThis as unknown as PageGlobals;
    Object.assign(globalThis, { client: sdk.createClient({ endpoint: '', apiKey, retryDelayMs: 10 }) });
  }, apiKey);
  return { page, client: await harness.createClient({ apiKey }) };
}

/** Picture as serializable data. */
async function noise(seed: number, edge = 200): Promise<string> {
  return Buffer.from((await noiseImage('n.png', { width: edge, height: edge, seed })).bytes).toString('base64');
}

/** Uploads in the page. Returns the result and the reported progress. */
function uploadInPage(page: Page, base64: string) {
  return page.evaluate(async (base64) => {
    const { client } = globalThis as unknown as PageGlobals;
    const file = await (await fetch(`data:image/png;base64,${base64}`)).blob();
    const told: [number, number][] = [];
    const onProgress = (loaded: number, total: number) => void told.push([loaded, total]);
    const result = await client
      .createSession({ files: [{ file, name: 'Zürich.png' }] }, { onProgress })
      .catch(({ name, code, status }) => ({ name, code, status }) as never);
    return { result, told, size: file.size };
  }, base64);
}

describe('the built SDK in a browser', () => {
  it('uploads with progress', async () => {
    const { page } = await openPage();
    const { result, told, size } = await uploadInPage(page, await noise(1, 1200));
    expect(result.images[0]).toMatchObject({ originalFilename: 'Zürich.png', size });
    expect(told.length).toBeGreaterThan(0);
    expect(told.map(([loaded]) => loaded)).toEqual(told.map(([loaded]) => loaded).sort((a, b) => a - b));
    const [loaded = 0, total] = told.at(-1) ?? [];
    expect(loaded).toBe(total);
    expect(loaded).toBeGreaterThan(size);
  });

  it.each<[string, Fault]>([
    ['the answer is lost', { kind: 'lose-answer' }],
    ['the connection breaks on the way', { kind: 'lose-request', afterBytes: 50_000 }],
    ['a gateway has no service behind it', { kind: 'answer', status: 502 }],
  ])('uploads once although %s', async (_, fault) => {
    const { page, client } = await openPage();
    harness.proxy.inject(fault, { method: 'POST' });
    const { result } = await uploadInPage(page, await noise(2));
    expect((await client.getSession(result.sessionId)).images).toHaveLength(1);
    const keys = harness.proxy.seen
      .filter(({ method }) => method === 'POST')
      .map((seen) => seen.headers['idempotency-key']);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('reports a rejected upload as an error of the service', async () => {
    const { page } = await openPage();
    harness.proxy.inject({ kind: 'answer', status: 413, json: { error: 'Too large', code: 'file_too_large' } });
    const { result } = await uploadInPage(page, await noise(3));
    expect(result).toEqual({ name: 'ApiError', code: 'file_too_large', status: 413 });
  });

  it('aborts an upload by its signal', async () => {
    const { page } = await openPage();
    harness.proxy.inject({ kind: 'hang' }, { method: 'POST' });
    const failure = page.evaluate(async () => {
      const { client } = globalThis as unknown as PageGlobals;
      const controller = new AbortController();
      Object.assign(globalThis, { controller });
      const files = [{ file: new Blob(['x']), name: 'a.png' }];
      return client
        .createSession({ files }, { onProgress() {}, signal: controller.signal })
        .catch(({ code }) => code as string);
    });
    await expect.poll(() => harness.proxy.seen.length).toBeGreaterThan(0);
    await page.evaluate(() => (globalThis as unknown as { controller: AbortController }).controller.abort());
    expect(await failure).toBe('aborted');
  });

  it.each<[string, Fault]>([
    ['comes byte by byte', { kind: 'bytewise' }],
    ['is cut', { kind: 'cut', afterEvents: 2 }],
    ['is held back', { kind: 'buffer' }],
    ['is lost before its head', { kind: 'lose-answer' }],
  ])('exports once although the stream %s', async (_, fault) => {
    const { page, client } = await openPage();
    const { result } = await uploadInPage(page, await noise(4));
    harness.proxy.inject(fault, { path: /\/export$/ });
    const seen = await page.evaluate(
      async ({ sessionId, images }) => {
        const { client } = globalThis as unknown as PageGlobals;
        const input = { images: images.map(({ id }) => ({ id })), settings: { format: 'webp' } } as const;
        const ids: string[] = [];
        const stream = client.exportImages(sessionId, input);
        for await (const { id } of stream) ids.push(id);
        const { results } = await stream.result();
        const blob = await client.downloadFile(sessionId, results[0]?.filename ?? '');
        const { width } = await createImageBitmap(blob);
        return { ids, type: blob.type, width };
      },
      { sessionId: result.sessionId, images: result.images },
    );
    expect(new Set(seen.ids).size).toBe(seen.ids.length);
    expect(seen).toMatchObject({ type: 'image/webp', width: 200 });
    await expectOneCharge(client, 1);
  });

  it('closes the connection of a loop that was left', async () => {
    const { page } = await openPage();
    const { result } = await uploadInPage(page, await noise(5));
    harness.proxy.inject({ kind: 'stall', afterEvents: 1 }, { path: /\/export$/ });
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/export'));
    await page.evaluate(
      async ({ sessionId, images }) => {
        const { client } = globalThis as unknown as PageGlobals;
        const input = { images: images.map(({ id }) => ({ id })), settings: {} };
        for await (const _ of client.exportImages(sessionId, input)) break;
      },
      { sessionId: result.sessionId, images: result.images },
    );
    await closed;
  });
});
