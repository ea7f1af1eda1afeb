import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { CheckLine } from '#contract';
import { inspectSettings } from '../../server/config/index.ts';
import { checkInstallation } from '../../server/doctor/index.ts';
import { serveLocally } from '../support/serve-locally.ts';
import { startTestService, type TestService } from '../support/service.ts';

let test: TestService;
let trusting: TestService;
beforeAll(async () => {
  [test, trusting] = await Promise.all([startTestService(), startTestService({ TRUST_PROXY: '1' })]);
});
afterAll(() => Promise.all([test.close(), trusting.close()]));

interface ProxyFaults {
  /** Keeps an answer until its end. */
  buffers?: boolean;
  /** Most bytes of a request. */
  mostBytes?: number;
  /** What it sends as X-Forwarded-For. @default replaces */
  addresses?: 'appends' | 'replaces' | 'passes';
  keepsHost?: boolean;
}

/** Starts a proxy in front of a service, as its operator has set it up. */
async function startProxy(target: string, faults: ProxyFaults = {}): Promise<string> {
  const { url, close } = await serveLocally(
    createServer((incoming, response) => forward(target, faults, incoming, response)),
  );
  onTestFinished(close);
  return url;
}

function forward(target: string, faults: ProxyFaults, incoming: IncomingMessage, response: ServerResponse): void {
  const { buffers = false, mostBytes = Number.POSITIVE_INFINITY, addresses = 'replaces', keepsHost = true } = faults;
  if (Number(incoming.headers['content-length'] ?? 0) > mostBytes) {
    response.writeHead(413).end('<html>too large</html>');
    return;
  }
  const own = '127.0.0.1';
  const given = incoming.headers['x-forwarded-for'];
  const forwarded = { appends: `${given}, ${own}`, replaces: own, passes: given }[addresses];
  const headers = {
    ...incoming.headers,
    ...(!keepsHost && { host: 'upstream' }),
    ...(forwarded && { 'x-forwarded-for': forwarded }),
  };
  const outgoing = request(`${target}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
    const head = () => response.writeHead(answer.statusCode ?? 502, answer.headers);
    if (!buffers) {
      head();
      answer.pipe(response);
      return;
    }
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('end', () => head().end(Buffer.concat(chunks)));
  });
  outgoing.on('error', () => response.destroy());
  incoming.on('error', () => outgoing.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** The lines about the address, of a program with the settings of a service. */
async function check({ dataDir }: Pick<TestService, 'dataDir'>, env: Record<string, string>) {
  const { config, faults } = inspectSettings({ DATA_DIR: dataDir, ...env });
  const { checks } = await checkInstallation({ config, settings: { faults, nearMisses: [] } });
  return checks.filter(({ part }) => ['address', 'proxy', 'streams', 'uploads'].includes(part));
}

const brief = (lines: CheckLine[]) => lines.map(({ part, state, code }) => `${part} ${state} ${code}`);

const WELL = ['address ok this_installation', 'proxy ok right', 'streams ok at_once', 'uploads ok let_through'];

describe('the public address', () => {
  it('is this installation, directly and behind a proxy', async () => {
    const proxy = await startProxy(trusting.url);
    const appending = await startProxy(trusting.url, { addresses: 'appends' });
    const found = await Promise.all([
      check(test, { PUBLIC_URL: test.url }),
      check(trusting, { PUBLIC_URL: proxy }),
      check(trusting, { PUBLIC_URL: appending }),
    ]);
    expect(found.map(brief)).toEqual([WELL, WELL, WELL]);
  });

  it('without PUBLIC_URL is that of host and port', async () => {
    const port = new URL(test.url).port;
    const found = brief(await check(test, { PORT: port }));
    expect(found).toEqual(['address ok this_installation', 'streams ok at_once', 'uploads ok let_through']);
    expect(brief(await check(test, { PORT: port, HOST: '0.0.0.0' }))).toContain('address warning no_public_url');
  });

  it('of another installation, of another program, and of nothing', async () => {
    expect(brief(await check(test, { PUBLIC_URL: trusting.url }))).toEqual(['address fault other_installation']);
    const answer = (status: number, headers = {}) =>
      serveLocally(createServer((_, response) => response.writeHead(status, headers).end('<html></html>')));
    for (const [status, expected, headers] of [
      [200, 'not_imagewright', {}],
      [404, 'not_imagewright', {}],
      [502, 'gateway', {}],
      [301, 'redirect', { Location: 'https://elsewhere.example/' }],
    ] as const) {
      const { url, close } = await answer(status, headers);
      expect(brief(await check(test, { PUBLIC_URL: url }))).toEqual([`address fault ${expected}`]);
      await close();
      expect(brief(await check(test, { PUBLIC_URL: url }))).toEqual(['address fault refused']);
    }
    expect(brief(await check(test, { PUBLIC_URL: 'https://images.invalid' }))).toEqual(['address fault unknown_host']);
    const tls = test.url.replace('http:', 'https:');
    expect(brief(await check(test, { PUBLIC_URL: tls }))).toEqual(['address fault tls']);
  });
});

describe('the proxy in front', () => {
  it('that holds streams back is told', async () => {
    const proxy = await startProxy(trusting.url, { buffers: true });
    const lines = await check(trusting, { PUBLIC_URL: proxy });
    expect(brief(lines)).toEqual([...WELL.slice(0, 2), 'streams fault held_back', WELL[3]]);
    expect(lines[2]?.remedy).toContain('docs/proxies.md');
  });

  it('that refuses the largest upload is told, without an upload', async () => {
    const proxy = await startProxy(trusting.url, { mostBytes: 1_000_000 });
    expect(brief(await check(trusting, { PUBLIC_URL: proxy }))).toEqual([
      ...WELL.slice(0, 3),
      'uploads fault too_small',
    ]);
  });

  it.each([
    ['of which the service does not know', () => test, {}, 'warning too_little_trust'],
    ['that passes on what clients invent', () => trusting, { addresses: 'passes' }, 'fault believes_clients'],
    ['that changes the host', () => trusting, { keepsHost: false }, 'warning other_host'],
  ] as const)('%s', async (_, service, faults, expected) => {
    const proxy = await startProxy(service().url, faults);
    expect(brief(await check(service(), { PUBLIC_URL: proxy }))).toContain(`proxy ${expected}`);
  });

  it('that is expected, but is not there', async () => {
    expect(brief(await check(trusting, { PUBLIC_URL: trusting.url }))).toContain('proxy fault believes_clients');
  });
});

describe('the proof', () => {
  it('is given to nobody without the secret', async () => {
    for (const question of ['', 'nonsense', `${Date.now()}.${'0'.repeat(24)}.${'0'.repeat(64)}`]) {
      const response = await fetch(`${test.url}/v1/installation`, { headers: { 'X-Imagewright-Check': question } });
      expect([response.status, (await response.json()).code]).toEqual([404, 'not_found']);
    }
  });
});
