import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint, type EndpointName, ERROR_CATALOGUE, errorCodesOf } from '#contract';
import { createPerson, type Person } from '../support/browser-client.ts';
import { createRawClient, inParallel } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const withJson = (Object.entries(ENDPOINTS) as [EndpointName, Endpoint][]).filter(
  ([name, { path, body }]) => path.startsWith('/account/') && body && name !== 'deleteAccount',
);

const nasty = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(null, true, -1, 1.5, '', ' ', '\u0000', '\ud800', 'a'.repeat(5000)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>([], {}, { $gt: '' }, ['$ne'], { $where: '1' }, 'x@y.example', '__proto__'),
  },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown) },
  { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
);
const fields = [
  'email',
  'password',
  'token',
  'currentPassword',
  'newPassword',
  'name',
  'active',
  'plan',
  'amount',
  'note',
];
const bodies = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.dictionary(fc.constantFrom(...fields), nasty, { maxKeys: 5 }).map((body) => JSON.stringify(body)),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
);

/** Defines a test that sends this number of malformed bodies to the endpoints below `/account`. */
export function testMalformedAccountBodies(count: number): void {
  let test: TestService;
  let operator: Person;
  let target: string;
  beforeAll(async () => {
    console.log(`seed of the malformed account bodies: ${seed} (FUZZ_SEED=${seed} repeats them)`);
    test = await startTestService();
    operator = await createPerson(test, { operator: true });
    target = (await createPerson(test, { plan: 'agency' })).accountId;
  });
  afterAll(() => test.close());

  it(`${count} over all endpoints: never a 5xx, always the one error shape with a documented code`, async () => {
    const raw = createRawClient(test.url, { sockets: 8 });
    const samples = fc.sample(fc.tuple(bodies, fc.nat()), { numRuns: count, seed });
    const faults: string[] = [];
    const statuses = new Map<number, number>();
    await inParallel(samples, 8, async ([body, pick]) => {
      const [, endpoint] = withJson[pick % withJson.length] as [EndpointName, Endpoint];
      const ids = { ':keyId': `key_${'a'.repeat(22)}`, ':accountId': target } as Record<string, string>;
      const answer = await raw.send(
        endpoint.path.replace(/:\w+/g, (part) => ids[part] ?? ''),
        {
          method: endpoint.method,
          headers: {
            Cookie: `__Host-imagewright=${operator.browser.cookie}`,
            'Sec-Fetch-Site': 'same-origin',
            'Content-Type': 'application/json',
          },
          body,
        },
      );
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status < 400) return;
      const { code, error, requestId } = JSON.parse(answer.text) as Record<string, string>;
      const known = code as keyof typeof ERROR_CATALOGUE;
      const fine = error && requestId && ERROR_CATALOGUE[known]?.status === answer.status && answer.status < 500;
      if (!fine || !errorCodesOf(endpoint).includes(known))
        faults.push(`${answer.status} ${code} ${endpoint.path} ${body.slice(0, 200)}`);
    });
    raw.close();
    expect(faults.slice(0, 10)).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(count / 2);
    expect((await operator.browser.get('/account/profile')).status).toBe(200);
  });
}
