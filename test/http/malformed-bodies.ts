import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint, ERROR_CATALOGUE, errorCodesOf } from '#contract';
import { storedFiles, untilIdle } from '../support/aftermath.ts';
import { createRawClient, inParallel, type RawAnswer } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImage } from '../support/small-images.ts';

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const AT_ONCE = 8;

/** Ids of an existing session, image and job, by parameter name. */
let ids: Record<string, string>;

// Endpoints below /account need a cookie; their bodies are tested in test/account-api.
const endpoints = (Object.values(ENDPOINTS) as Endpoint[]).filter(({ path }) => path.startsWith('/v1/'));
const withJson = endpoints.filter(({ body }) => body);

/** Valid bodies of every endpoint that accepts JSON, from which the mutations start. */
function examples(): Record<string, unknown>[] {
  const image = { id: `img_${'z'.repeat(22)}`, uploadPath: 'sessions/x', originalFilename: 'a.jpg' };
  const metadata = { filename: 'golden-gate', title: 'Golden Gate', alt: 'A bridge' };
  const settings = {
    format: 'webp',
    preset: 'high',
    responsive: true,
    responsiveSizes: [480, { width: 768, fit: 'cover' }],
  };
  return [
    { sessionId: ids[':sessionId'], images: [{ ...image, metadata }], settings },
    { sessionId: ids[':sessionId'], images: [{ id: ids[':imageId'] }], settings: {} },
    { metadata: { ...metadata, caption: null, tags: ['a'], language: 'en', decorative: false } },
    { imageCount: 12, operation: 'export' },
    { images: [{ url: 'https://example.com/a.jpg', filename: 'a.jpg', clientRef: '42' }] },
  ];
}

const NASTY_VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e',
  '../../etc/passwd',
  'CON',
  'a'.repeat(3000),
  [],
  {},
  [[]],
  { $gt: '' },
  { $where: 'sleep(1000)' },
  { $ne: null },
  ['$gt'],
  { toString: 1 },
  { constructor: { prototype: {} } },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { length: 1e9 },
  Array(2000).fill({}),
  'NaN',
  '1e3',
  new Array(50).fill(null),
];

/** Replaces, removes or adds one value somewhere in a copy of an example. */
function mutate(example: unknown, steps: number[], value: unknown, kind: number): unknown {
  const copy = structuredClone(example) as Record<string, unknown>;
  let holder: Record<string, unknown> = copy;
  for (const step of steps) {
    const keys = Object.keys(holder);
    const key = keys[step % Math.max(1, keys.length)] ?? 'x';
    const next = holder[key];
    if (step % 3 !== 0 && typeof next === 'object' && next !== null) {
      holder = next as Record<string, unknown>;
      continue;
    }
    if (kind === 0) delete holder[key];
    else if (kind === 1) holder[`${key}x`] = value;
    else holder[key] = value;
    return copy;
  }
  return copy;
}

const mutated = fc
  .tuple(
    fc.nat({ max: 4 }),
    fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 6 }),
    fc.oneof(
      fc.constantFrom(...NASTY_VALUES),
      fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text) as unknown),
    ),
    fc.nat({ max: 3 }),
  )
  .map(([example, steps, value, kind]) => JSON.stringify(mutate(examples()[example], steps, value, kind)));

const broken = fc
  .tuple(mutated, fc.nat(), fc.constantFrom('', '}', '\u0000', '"', ',', '\ufeff', '[', '\\u12', 'é'))
  .map(([text, at, junk]) => text.slice(0, at % (text.length + 1)) + junk + text.slice((at + 3) % (text.length + 1)));

const bodies = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 2, arbitrary: broken },
  { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);

const types = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'text/plain',
      'application/json; charset=utf-99',
      'application/vnd.x+json',
      'multipart/form-data',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      '',
      'application/json;;;',
      '\u00ff',
    ),
  },
);

/** Expects JSON, except from streams, and of a refusal the error shape and a documented code of its endpoint. */
function judge(endpoint: Endpoint, answer: RawAnswer): string | null {
  if (answer.status >= 500) return `status ${answer.status}`;
  if (answer.status < 400) return null;
  const body = JSON.parse(answer.text) as { error?: unknown; code?: keyof typeof ERROR_CATALOGUE; requestId?: unknown };
  if (typeof body.error !== 'string' || body.error === '') return 'no message';
  if (typeof body.requestId !== 'string' || !body.code) return 'no code or request id';
  if (!errorCodesOf(endpoint).includes(body.code)) return `${body.code} is not documented`;
  if (ERROR_CATALOGUE[body.code].status !== answer.status) return `${body.code} with status ${answer.status}`;
  return answer.body.length > 20_000 ? `an answer of ${answer.body.length} bytes` : null;
}

const pathOf = ({ path }: Endpoint) => path.replace(/:\w+/g, (name) => ids[name] ?? '');

/**
 * Defines a test that sends `count` malformed bodies to all endpoints below `/v1`: never a 5xx, always the same error shape,
 * nothing left behind.
 */
export function testMalformedBodies(count: number): void {
  let test: TestService;
  let raw: ReturnType<typeof createRawClient>;
  let headers: Record<string, string>;
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);

  beforeAll(async () => {
    console.log(`seed of the malformed bodies: ${seed} (FUZZ_SEED=${seed} repeats them)`);
    process.on('uncaughtExceptionMonitor', note);
    process.on('unhandledRejection', note);
    test = await startTestService({ MAX_FILE_MB: '1' });
    raw = createRawClient(test.url, { sockets: AT_ONCE });
    headers = { 'X-API-Key': test.api.apiKey ?? '' };
    const uploaded = await test.api.upload([await plainImage('one.png')]);
    const { jobId } = await test.api.run('sample', uploaded);
    ids = { ':sessionId': uploaded.sessionId, ':imageId': uploaded.images[0]?.id ?? '', ':jobId': jobId };
  });
  afterAll(async () => {
    process.off('uncaughtExceptionMonitor', note);
    process.off('unhandledRejection', note);
    raw.close();
    await test.close();
  });

  describe('malformed bodies', () => {
    it(`${count} over all endpoints: never a 5xx, always the same error shape, nothing left behind`, async () => {
      const filesBefore = await storedFiles(test);
      const samples = fc.sample(fc.tuple(bodies, types, fc.nat()), { numRuns: count, seed });
      const faults: string[] = [];
      const statuses = new Map<number, number>();
      await inParallel(samples, AT_ONCE, async ([body, type, pick]) => {
        const endpoint = (pick % 10 === 0 ? endpoints : withJson)[
          pick % (pick % 10 === 0 ? endpoints : withJson).length
        ];
        if (!endpoint || endpoint.method === 'DELETE' || endpoint.path.endsWith('/preview')) return;
        const answer = await raw.send(pathOf(endpoint), {
          method: endpoint.method,
          headers: { ...headers, 'Content-Type': Buffer.from(type).toString('latin1') },
          body: endpoint.method === 'GET' ? undefined : body,
        });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const fault = judge(endpoint, answer);
        if (fault) faults.push(`${fault}: ${endpoint.method} ${endpoint.path} ${type} ${body.slice(0, 300)}`);
      });
      expect(faults.slice(0, 10)).toEqual([]);
      expect(statuses.get(400)).toBeGreaterThan(count / 2);
      expect(uncaught).toEqual([]);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      await untilIdle(test);
      // Mutations that are valid by chance export into the session; no other file may appear.
      const added = (await storedFiles(test)).filter((file) => !filesBefore.includes(file));
      const elsewhere = added.filter((file) => !/^variants\//.test(file));
      expect(elsewhere).toEqual([]);
      expect((await raw.send('/v1/credits/balance', { headers })).status).toBe(200);
    }, 600_000);
  });
}
