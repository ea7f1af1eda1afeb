import { afterEach, expect, it } from 'vitest';
import { createRawClient } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

let test: TestService | undefined;
afterEach(async () => {
  await test?.close();
  test = undefined;
});

/** Returns the status of `/v1/openapi.json` under each `Host`. */
async function statusesOf(service: TestService, hosts: string[], path = '/v1/openapi.json'): Promise<number[]> {
  const client = createRawClient(service.url, { sockets: 1 });
  const statuses: number[] = [];
  for (const host of hosts) statuses.push((await client.send(path, { headers: { Host: host } })).status);
  return statuses;
}

const FOREIGN = ['evil.example.com', 'evil.example.com:8080', '127.0.0.1.evil.example', 'a b.c', 'evil.example.com.'];
const OWN = [
  '127.0.0.1',
  '127.0.0.1:8080',
  '[::1]:8080',
  '192.168.1.7',
  'localhost:1',
  'a.localhost',
  'imagewright:80',
];

it('a service on a loopback address refuses names that somebody else may own, and serves addresses and plain names', async () => {
  test = await startTestService();
  expect(await statusesOf(test, FOREIGN)).toEqual(FOREIGN.map(() => 421));
  expect(await statusesOf(test, OWN)).toEqual(OWN.map(() => 200));
  const answer = await createRawClient(test.url).send('/v1/credits/balance', { headers: { Host: 'evil.example.com' } });
  expect(JSON.parse(answer.text)).toMatchObject({ code: 'misdirected_request' });
  expect(await statusesOf(test, ['evil.example.com'], '/healthz')).toEqual([200]);
});

it('the names of PUBLIC_URL and ALLOWED_HOSTS are served', async () => {
  test = await startTestService({
    PUBLIC_URL: 'https://images.example.com',
    ALLOWED_HOSTS: 'Images.internal.example, other.example',
  });
  const served = ['images.example.com', 'IMAGES.example.com:443', 'images.internal.example', 'other.example.'];
  expect(await statusesOf(test, served)).toEqual([200, 200, 200, 200]);
  expect(await statusesOf(test, ['evil.example.com'])).toEqual([421]);
});

it('a service on all addresses checks names only with ALLOWED_HOSTS', async () => {
  test = await startTestService({ HOST: '0.0.0.0' });
  expect(await statusesOf(test, ['images.example.com'])).toEqual([200]);
  await test.close();
  test = await startTestService({ HOST: '0.0.0.0', ALLOWED_HOSTS: 'images.example.com' });
  expect(await statusesOf(test, ['images.example.com', 'evil.example.com', '10.0.0.1'])).toEqual([200, 421, 200]);
});
