import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type EndpointName, urlImportSchema } from '#contract';
import { type Client, createClient } from '../../../plugin-bridge/sdk/index.ts';

/** Operations with two addresses, which have one method. */
const ALIASES = { analyzeImagesFlat: 'analyzeImages', exportImagesFlat: 'exportImages' } as const;
const SESSION = `sess_${'a'.repeat(22)}`;
const IMAGE = `img_${'b'.repeat(22)}`;
const SHARE = `share_${'d'.repeat(22)}`;
const JOB = `job_${'c'.repeat(22)}`;

/** One call of every method. */
const CALLS: Record<keyof Client, (client: Client) => Promise<unknown>> = {
  createSession: (client) => client.createSession({ images: [{ url: 'https://example.com/a.jpg' }] }),
  addImages: (client) => client.addImages(SESSION, { images: [{ url: 'https://example.com/a.jpg' }] }),
  listSessions: (client) => client.listSessions({ limit: 5 }),
  getSession: (client) => client.getSession(SESSION),
  deleteSession: (client) => client.deleteSession(SESSION),
  updateImage: (client) => client.updateImage(SESSION, IMAGE, { alt: 'A hill' }),
  createToken: (client) => client.createToken({ origin: 'https://www.example.com', maxCredits: 5 }),
  createShare: (client) => client.createShare(SESSION, { days: 3 }),
  listShares: (client) => client.listShares(SESSION),
  revokeShare: (client) => client.revokeShare(SESSION, SHARE),
  previewImage: (client) => client.previewImage(SESSION, IMAGE, { width: 320 }),
  analyzeImages: (client) => client.analyzeImages(SESSION, { options: { language: 'de' } }).result(),
  getAnalysis: (client) => client.getAnalysis(SESSION),
  exportImages: (client) => client.exportImages(SESSION, { images: [{ id: IMAGE }], settings: {} }).result(),
  sampleImages: (client) => client.sampleImages(SESSION, { images: [{ id: IMAGE }], settings: {} }).result(),
  downloadFile: (client) => client.downloadFile(`${SESSION}-sample`, 'a b.webp'),
  getJob: (client) => client.getJob(JOB),
  followJob: (client) => client.followJob(JOB, { lastEventId: `${JOB}:3` }).result(),
  cancelJob: (client) => client.cancelJob(JOB),
  getBalance: (client) => client.getBalance(),
  checkCredits: (client) => client.checkCredits({ imageCount: 3 }),
  listTransactions: (client) => client.listTransactions({ cursor: 'abc', limit: 2 }),
  getLimits: (client) => client.getLimits(),
  getOpenApi: (client) => client.getOpenApi(),
};

const client = createClient({ endpoint: 'https://example.com/' });
/** Endpoints below /account require a log-in cookie and are for the service's own pages. */
const named = Object.entries(ENDPOINTS)
  .filter(([name, { path }]) => path.startsWith('/v1/') && !(name in ALIASES))
  .map(([name]) => name as keyof Client);

it('has a method for every endpoint below /v1, and no other', () => {
  expect(Object.keys(client).sort()).toEqual([...named].sort());
});

describe.each(named)('%s', (name) => {
  it('sends the request of the table of endpoints', async () => {
    const endpoint = ENDPOINTS[name as EndpointName] as (typeof ENDPOINTS)[EndpointName] & { query?: unknown };
    const sent: Request[] = [];
    const recording = createClient({
      endpoint: 'https://example.com/',
      fetch: async (input, init) => {
        sent.push(new Request(input as string, init));
        return Response.json({ error: 'seen enough', code: 'not_found' }, { status: 404 });
      },
    });
    await CALLS[name](recording).catch(() => {});
    const [request] = sent as [Request];
    expect(sent).toHaveLength(1);
    expect(request.method).toBe(endpoint.method);
    const pattern = endpoint.path.replace(/:\w+/g, '[\\w-]+');
    const { pathname, search } = new URL(request.url);
    expect(pathname).toMatch(new RegExp(`^${pattern}$`));
    expect(search !== '').toBe(endpoint.query !== undefined);
    expect(request.headers.has('Idempotency-Key')).toBe(endpoint.idempotent);
    expect(request.body !== null).toBe('body' in endpoint);
    if ('body' in endpoint) {
      const schema = 'takesFiles' in endpoint ? urlImportSchema : endpoint.body;
      expect(schema.safeParse(await request.json()).success).toBe(true);
    }
  });
});

describe('the two addresses of one operation', () => {
  it('are the only endpoints without a method, and have the same request and answer', () => {
    for (const [alias, name] of Object.entries(ALIASES) as [keyof typeof ALIASES, EndpointName][]) {
      expect(ENDPOINTS[alias].success).toEqual(ENDPOINTS[name].success);
      expect(ENDPOINTS[alias].tag).toBe(ENDPOINTS[name].tag);
    }
  });
});

describe('the page about the SDK', () => {
  let page: string;
  beforeAll(async () => {
    page = await readFile(new URL('../../../docs/sdk.md', import.meta.url), 'utf8');
  });

  it('names every method', () => {
    for (const name of named) expect(page).toContain(`\`${name}(`);
  });
});
