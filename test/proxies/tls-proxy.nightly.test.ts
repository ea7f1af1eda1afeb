import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formOf } from '../support/api-client.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import type { TestAccount } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { findProgram, type RunningProgram } from './programs.ts';
import { checkCut, checkDownload, checkStreamed, largeImage, type Way } from './streams.ts';
import { type Certificate, createCertificate, createHttp2Fetch, createTlsFetch, HOST } from './tls-client.ts';
import { TLS_PROXIES } from './tls-proxies.ts';

const openssl = findProgram('openssl');

describe.each(Object.keys(TLS_PROXIES) as (keyof typeof TLS_PROXIES)[])('the %s block before the service', (name) => {
  const file = openssl && findProgram(name);

  describe.skipIf(!file)('run by the real program', () => {
    let tls: Certificate;
    let faults: FaultProxy;
    let proxy: RunningProgram;
    let account: TestAccount;
    let way: Way & { fetch: typeof fetch };
    const endpoint = `https://${HOST}`;

    beforeAll(async () => {
      const test = await sharedService();
      tls = await createCertificate(openssl ?? '');
      faults = await startFaultProxy(test.url);
      proxy = await TLS_PROXIES[name]({ file: file ?? '', service: new URL(faults.url).host, tls });
      account = await test.createAccount({ credits: 100 });
      way = { endpoint, headers: { 'X-API-Key': account.apiKey }, fetch: createTlsFetch(proxy.port, tls), faults };
    });

    afterAll(async () => {
      await proxy?.stop();
      await faults?.close();
      await tls?.remove();
    });

    it('passes each event on at once', () => checkStreamed(way));

    it('does so over HTTP/2, as browsers ask it', () =>
      checkStreamed({ ...way, fetch: createHttp2Fetch(proxy.port, tls) }));

    it('lets a client resume a stream that was cut', () => checkCut(way));

    it('passes downloads, their validators and ranges on', () => checkDownload(way));

    it('passes an upload of 45 MB on, and its first bytes before the last have come', async () => {
      const bytes = await largeImage();
      const encoded = new Response(await formOf([{ name: 'noise.png', bytes }]));
      const type = encoded.headers.get('Content-Type') ?? '';
      const body = Buffer.from(await encoded.arrayBuffer());
      const headers = { ...way.headers, Host: HOST, 'Content-Type': type, 'Content-Length': body.length };
      const to = { host: '127.0.0.1', port: proxy.port, ca: tls.pem, servername: HOST };
      const outgoing = request({ ...to, path: '/v1/sessions', method: 'POST', headers });
      const answered = new Promise<number | undefined>((resolve, reject) => {
        outgoing.on('error', reject);
        outgoing.on('response', (answer) => resolve(answer.resume().statusCode));
      });
      const before = faults.seen.length;
      outgoing.write(body.subarray(0, 1_000_000));
      await expect.poll(() => faults.seen.length).toBe(before + 1);
      outgoing.end(body.subarray(1_000_000));
      expect(await answered).toBe(201);
    });

    it('gives the service its name, its scheme and the client’s true address', async () => {
      const headers = { ...way.headers, 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http' };
      expect((await way.fetch(`${endpoint}/v1/credits/balance`, { headers })).status).toBe(200);
      const seen = faults.seen.at(-1)?.headers;
      expect(seen).toMatchObject({ host: HOST, 'x-forwarded-proto': 'https' });
      expect(String(seen?.['x-forwarded-for']).split(', ').at(-1)).toBe('127.0.0.1');
    });

    it.each(['/metrics', '/METRICS/', '//metrics', '/%6detrics', '/healthz', '/readyz'])(
      'keeps %s private',
      async (path) => {
        const before = faults.seen.length;
        const { status } = await way.fetch(`${endpoint}${path}`);
        expect([403, 404]).toContain(status);
        const passed = faults.seen.slice(before).filter((each) => /metrics|healthz|readyz/i.test(each.path));
        expect(passed.filter((each) => !each.path.startsWith('//'))).toEqual([]);
      },
    );
  });
});
