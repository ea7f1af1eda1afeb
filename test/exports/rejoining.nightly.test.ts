import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Balance, UploadResult } from '#contract';
import { type ClientEvent, readEvents } from '../support/api-client.ts';
import { type SharedBrowser, sharedBrowser } from '../support/browser.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage } from '../support/small-images.ts';

let test: SharedService;
let proxy: FaultProxy;
let browser: SharedBrowser;
beforeAll(async () => {
  [test, browser] = await Promise.all([sharedService(), sharedBrowser()]);
  proxy = await startFaultProxy(test.url);
});
afterAll(() => proxy.close());

let seed = 9000;
async function uploadNoise(count: number): Promise<UploadResult> {
  seed += count;
  const files = Array.from({ length: count }, (_, index) => noiseImage(`n${index}.png`, { seed: seed - index }));
  return test.api.upload(await Promise.all(files));
}

const KINDS = ['export', 'sample', 'analyze'] as const;

function post(uploaded: UploadResult, kind: (typeof KINDS)[number], lastEventId: string, settings: object = {}) {
  const body = kind === 'analyze' ? { options: settings } : test.api.exportBody(uploaded, settings);
  return test.api.request(`/v1/sessions/${uploaded.sessionId}/${kind}`, {
    json: body,
    headers: { 'Last-Event-ID': lastEventId },
  });
}

async function eventsOf(response: Response): Promise<ClientEvent[]> {
  expect(response.status).toBe(200);
  const events: ClientEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

describe('a repeated request with Last-Event-ID', () => {
  it.each(KINDS)('continues the %s after that event, and starts and charges nothing', async (kind) => {
    const uploaded = await uploadNoise(2);
    const all = await eventsOf(await post(uploaded, kind, ''));
    const { balance, limits } = await test.api.readJson<Balance>('/v1/credits/balance');
    const jobs = async () => (await test.api.readJson<{ jobs: unknown[] }>(`/v1/sessions/${uploaded.sessionId}`)).jobs;
    const again = await post(uploaded, kind, all[1]?.id ?? '');
    expect(again.headers.get('X-Job-Id')).toBe(all[1]?.id.split(':')[0]);
    expect((await eventsOf(again)).map(({ id }) => id)).toEqual(all.slice(2).map(({ id }) => id));
    // A client that has seen the last event gets an empty stream, which it takes for the end.
    expect(await eventsOf(await post(uploaded, kind, all.at(-1)?.id ?? ''))).toEqual([]);
    expect(await jobs()).toHaveLength(1);
    expect(await test.api.readJson('/v1/credits/balance')).toMatchObject({ balance, limits });
  });

  it('is refused for a job of another account, session or kind, and for other settings; nothing is charged', async () => {
    const [mine, other] = [await uploadNoise(1), await uploadNoise(1)];
    const { api: stranger } = await test.createAccount({ credits: 10 });
    const strangers = await stranger.upload([await noiseImage('s.png', { seed: 1 })]);
    const foreign = (await stranger.run('export', strangers)).events[0]?.id ?? '';
    const own = (await eventsOf(await post(mine, 'export', '')))[0]?.id ?? '';
    const before = await test.api.balance();
    for (const [uploaded, kind, id] of [
      [mine, 'export', foreign],
      [mine, 'export', `job_${'0'.repeat(22)}:1`],
      [other, 'export', own],
      [mine, 'sample', own],
      [mine, 'analyze', own],
    ] as const) {
      const response = await post(uploaded, kind, id);
      expect([response.status, (await response.json()).code]).toEqual([404, 'job_not_found']);
    }
    const changed = await post(mine, 'export', own, { format: 'avif' });
    expect([changed.status, (await changed.json()).code]).toEqual([422, 'idempotency_mismatch']);
    expect(await test.api.balance()).toBe(before);
  });

  it('starts a job if the header is no id of this service', async () => {
    const uploaded = await uploadNoise(1);
    expect((await eventsOf(await post(uploaded, 'sample', '42'))).at(-1)?.event).toBe('complete');
  });
});

it('@microsoft/fetch-event-source gets each event once and pays once, although each stream is cut twice', async () => {
  const { page } = await browser.open();
  const library = 'node_modules/@microsoft/fetch-event-source/lib/esm/';
  await page.route('**/fetch-event-source/*', async (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)?.replace('.js', '');
    await route.fulfill({ contentType: 'text/javascript', body: await readFile(`${library}${name}.js`, 'utf8') });
  });
  // An empty page of the same origin: events that a busy page has not read when its connection breaks are lost to it.
  await page.route('**/empty', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(`${proxy.url}/empty`);
  await page.evaluate("import('/fetch-event-source/index.js').then((library) => Object.assign(window, { library }))");
  const uploads = await Promise.all(KINDS.map(() => uploadNoise(2)));
  for (const kind of KINDS)
    proxy.inject({ kind: 'cut', afterEvents: 2 }, { method: 'POST', path: new RegExp(`/${kind}$`), times: 2 });
  const before = await test.api.balance();
  const streams = await page.evaluate(
    async ({ streams, apiKey }) => {
      const { fetchEventSource } = (window as unknown as { library: typeof import('@microsoft/fetch-event-source') })
        .library;
      const read = async ({ url, body }: { url: string; body: unknown }) => {
        const ids: string[] = [];
        await fetchEventSource(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
          body: JSON.stringify(body),
          openWhenHidden: true,
          onmessage: ({ id }) => void (id && ids.push(id)),
        });
        return ids;
      };
      return Promise.all(streams.map(read));
    },
    {
      apiKey: test.api.apiKey ?? '',
      streams: KINDS.map((kind, index) => {
        const uploaded = uploads[index] as UploadResult;
        const body = kind === 'analyze' ? {} : test.api.exportBody(uploaded, {});
        return { url: `/v1/sessions/${uploaded.sessionId}/${kind}`, body };
      }),
    },
  );
  for (const ids of streams) {
    const [jobId] = (ids[0] ?? '').split(':');
    expect(ids.length).toBeGreaterThan(4);
    const numbers = ids.map((id) => Number(id.split(':')[1]));
    expect(ids).toEqual(numbers.map((number) => `${jobId}:${number}`));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  }
  expect(proxy.seen.filter(({ fault }) => fault === 'cut')).toHaveLength(6);
  expect(before - (await test.api.balance())).toBe(2);
});
