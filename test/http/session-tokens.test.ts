import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, type Endpoint, type UploadResult } from '#contract';
import { formOf, readEvents } from '../support/api-client.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';
import { plainImage, type SmallImage } from '../support/small-images.ts';
import { untilAnswered } from '../support/until-answered.ts';
import { callWithToken, createTokenOf, type Init, ORIGIN, outcomeOf } from './token-calls.ts';

const LISTED = 'http://localhost:5173';

let test: TestService;
let owner: TestAccount;
let image: SmallImage;
let own: UploadResult;
let foreign: UploadResult;

beforeAll(async () => {
  test = await startTestService({ CORS_ORIGINS: `${LISTED}, https://dev.example.com` });
  owner = await test.createAccount({ credits: 20, plan: 'agency' });
  image = await plainImage('one.png');
  own = await owner.api.upload([image]);
  foreign = await owner.api.upload([image]);
});
afterAll(() => test.close());

const createToken = (wanted: Record<string, unknown> = {}, account = owner) => createTokenOf(account, wanted);

const callAs = (token: string, path: string, init?: Init) => callWithToken(owner.api, token, path, init);

/** Sends an export of all images of a session. */
function exportAs(token: string, { sessionId, images }: UploadResult, headers = {}) {
  const json = { images: images.map(({ id }) => ({ id })), settings: { format: 'png' } };
  return callAs(token, `/v1/sessions/${sessionId}/export`, { json, headers });
}

describe('a session token', () => {
  it('works for all of its session, and for nothing else', async () => {
    const { token, sessionId } = await createToken({ sessionId: own.sessionId, maxCredits: 1 });
    expect(sessionId).toBe(own.sessionId);
    const exported = await exportAs(token, own);
    const jobId = exported.headers.get('X-Job-Id') ?? '';
    await exported.text();
    const theirs = await owner.api.run('export', foreign, { format: 'png' });
    const fill = ({ path }: Endpoint, session: UploadResult, job: string) =>
      path
        .replace(':sessionId', session.sessionId)
        .replace(':imageId', session.images[0]?.id ?? '')
        .replace(':jobId', job)
        .replace(/download$/, 'download?filename=one.png');
    const outcomes: Record<string, [own: string, foreign: string]> = {};
    for (const [name, row] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
      // They end what the others need.
      if (row.auth !== 'key' || name === 'deleteSession' || name === 'createSession') continue;
      const bodies: Record<string, unknown> = { updateImage: { metadata: {} }, checkCredits: { imageCount: 1 } };
      const json = bodies[name] ?? { images: [] };
      const asked = { method: row.method, ...(row.method === 'GET' ? {} : { json }) };
      outcomes[name] = [
        await outcomeOf(callAs(token, fill(row, own, jobId), asked)),
        await outcomeOf(callAs(token, fill(row, foreign, theirs.jobId), asked)),
      ];
    }
    const closed = ['403 token_not_allowed', '403 token_not_allowed'];
    expect(outcomes).toEqual({
      addImages: ['400 invalid_request', '404 session_not_found'],
      getSession: ['200', '404 session_not_found'],
      updateImage: ['200', '404 session_not_found'],
      previewImage: ['200', '404 session_not_found'],
      analyzeImages: ['400 invalid_request', '404 session_not_found'],
      getAnalysis: ['200', '404 session_not_found'],
      exportImages: ['400 invalid_request', '404 session_not_found'],
      sampleImages: ['400 invalid_request', '404 session_not_found'],
      downloadFile: ['200', '404 session_not_found'],
      getJob: ['200', '404 job_not_found'],
      followJob: ['200', '404 job_not_found'],
      cancelJob: ['409 job_finished', '404 job_not_found'],
      checkCredits: ['200', '200'],
      getLimits: ['200', '200'],
      analyzeImagesFlat: closed,
      exportImagesFlat: closed,
      getBalance: closed,
      listTransactions: closed,
      createToken: closed,
      listSessions: closed,
      createShare: closed,
      listShares: closed,
      revokeShare: closed,
    });
    const rejoined = exportAs(token, own, { 'Last-Event-ID': `${theirs.jobId}:0` });
    expect(await outcomeOf(rejoined)).toBe('404 job_not_found');
    expect(await outcomeOf(callAs(token, '/account/keys'))).toBe('401 not_logged_in');
  });

  it('shows what it may spend in place of the balance', async () => {
    const { token } = await createToken({ sessionId: own.sessionId, maxCredits: 2 });
    const check = await (await callAs(token, '/v1/credits/check', { json: { imageCount: 1 } })).json();
    expect(check).toMatchObject({ cost: 1, balance: 2, sufficient: true });
    const response = await exportAs(token, own);
    const events: unknown[] = [];
    for await (const { data } of readEvents(response)) events.push(data);
    expect(events.at(-1)).toMatchObject({ credits: { charged: 1, balance: 1 } });
    const job = await (await callAs(token, `/v1/jobs/${response.headers.get('X-Job-Id')}`)).json();
    expect(job).toMatchObject({ credits: { charged: 1, balance: 1 } });
    const { jobs } = await (await callAs(token, `/v1/sessions/${own.sessionId}`)).json();
    expect(jobs.map(({ credits }: { credits: object }) => credits)).toContainEqual({
      charged: 1,
      refunded: 0,
      balance: 1,
    });
    expect(jobs.filter(({ credits }: { credits: { balance: number } }) => credits.balance !== 1)).toEqual([]);
  });

  it('spends no more than its credits in exports sent at once, and gets refunds back', async () => {
    const { token } = await createToken({ maxCredits: 3 });
    const body = await formOf([image, 'nasty/jpeg-truncated.jpg']);
    const made = await callAs(token, '/v1/sessions', { method: 'POST', body });
    const { sessionId, images } = (await made.json()) as UploadResult;
    const before = await owner.api.balance();
    const good = { sessionId, images: images.slice(0, 1) } as UploadResult;
    const responses = await Promise.all(Array.from({ length: 8 }, () => exportAs(token, good)));
    const refused = responses.filter(({ status }) => status === 402);
    expect(refused).toHaveLength(5);
    for (const response of responses) await response.clone().text();
    expect(await refused[0]?.json()).toMatchObject({
      code: 'insufficient_credits',
      error: 'The session token has spent 3 of its 3 credits, and 1 more are needed',
      ...{ limitName: 'maxCredits', limit: 3, used: 3, balance: 0, required: 1, shortfall: 1 },
    });
    expect(before - (await owner.api.balance())).toBe(3);

    const second = await createToken({ sessionId, maxCredits: 2 });
    const all = { sessionId, images } as UploadResult;
    // One of two images fails, so one credit comes back and pays for another export.
    await (await exportAs(second.token, all)).text();
    expect(await outcomeOf(exportAs(second.token, good))).toBe('200');
    expect(await outcomeOf(exportAs(second.token, good))).toBe('402 insufficient_credits');
  });

  it('may export nothing unless it was given credits, and takes samples', async () => {
    const { token } = await createToken({ sessionId: own.sessionId });
    expect(await outcomeOf(exportAs(token, own))).toBe('402 insufficient_credits');
    const json = { images: own.images.map(({ id }) => ({ id })), settings: { format: 'png' } };
    expect(await outcomeOf(callAs(token, `/v1/sessions/${own.sessionId}/sample`, { json }))).toBe('200');
    expect(await outcomeOf(callAs(token, `/v1/sessions/${own.sessionId}-sample/download?filename=one.png`))).toBe(
      '200',
    );
  });

  it('keeps its credits when the account has too few', async () => {
    const poor = await test.createAccount({ credits: 0, plan: 'agency' });
    const session = await poor.api.upload([image]);
    const { token } = await createToken({ sessionId: session.sessionId, maxCredits: 1 }, poor);
    expect(await outcomeOf(exportAs(token, session))).toBe('402 insufficient_credits');
    await test.service.accounts.ledger.grant({ accountId: poor.accountId, amount: 1 });
    expect(await outcomeOf(exportAs(token, session))).toBe('200');
  });

  it('creates one session, once in any race, and another try only after a failure', async () => {
    const { token } = await createToken();
    const upload = async (name: string, headers = {}) =>
      callAs(token, '/v1/sessions', { method: 'POST', body: await formOf([{ ...image, name }]), headers });
    const text = { name: 'a.txt', bytes: Buffer.from('no image') };
    const failed = callAs(token, '/v1/sessions', { method: 'POST', body: await formOf([text]) });
    expect(await outcomeOf(failed)).toBe('415 unsupported_image');
    const headers = { 'Idempotency-Key': 'first' };
    const raced = await Promise.all([1, 2, 3].map(() => untilAnswered(() => upload('a.png', headers))));
    const sessions = await Promise.all(raced.map(async (it) => ((await it.json()) as UploadResult).sessionId));
    expect(new Set(sessions).size).toBe(1);
    expect(await outcomeOf(upload('b.png'))).toBe('403 token_not_allowed');
    expect(await outcomeOf(callAs(token, `/v1/sessions/${sessions[0]}`))).toBe('200');
    expect(await outcomeOf(callAs(token, `/v1/sessions/${own.sessionId}`))).toBe('404 session_not_found');
  });

  it('has idempotency keys of its own session, which a later token of the session continues', async () => {
    const headers = { 'Idempotency-Key': 'order-1' };
    const key = await owner.api.run('export', own, { format: 'png' }, headers);
    const jobs: (string | null)[] = [];
    for (const maxCredits of [1, 0]) {
      const { token } = await createToken({ sessionId: own.sessionId, maxCredits });
      const response = await exportAs(token, own, headers);
      await response.text();
      jobs.push(response.headers.get('X-Job-Id'));
    }
    expect(jobs[0]).toMatch(/^job_/);
    expect(jobs).toEqual([jobs[0], jobs[0]]);
    expect(jobs).not.toContain(key.jobId);
  });

  it('is refused to other origins, and to requests without one unless it is the own origin of the service', async () => {
    const { token } = await createToken({ sessionId: own.sessionId });
    const path = `/v1/sessions/${own.sessionId}`;
    for (const Origin of [
      'https://evil.example',
      'https://www.example.com.evil.example',
      'null',
      'http://www.example.com',
    ])
      expect(await outcomeOf(callAs(token, path, { headers: { Origin } }))).toBe('403 token_not_allowed');
    expect(await outcomeOf(owner.api.request(path, { headers: { 'X-API-Key': token } }))).toBe('403 token_not_allowed');
    const local = await createToken({ sessionId: own.sessionId, origin: test.url });
    const headers = { 'X-API-Key': local.token, 'Sec-Fetch-Site': 'same-origin' };
    expect(await outcomeOf(owner.api.request(path, { headers }))).toBe('200');
    expect(await outcomeOf(owner.api.request(path, { headers, method: 'DELETE' }))).toBe('403 token_not_allowed');
  });

  it('asks for an API key', async () => {
    const json = { origin: ORIGIN };
    const unnamed = fetch(`${test.url}/v1/tokens`, { method: 'POST', body: JSON.stringify(json) });
    expect(await outcomeOf(unnamed)).toBe('401 invalid_api_key');
    for (const origin of [
      '*',
      'null',
      'https://a.example/',
      'ftp://a.example',
      'https://A.example',
      'https://a.example:443',
    ])
      expect(await outcomeOf(owner.api.request('/v1/tokens', { json: { origin } }))).toBe('400 invalid_request');
    const stranger = await test.createAccount();
    const foreignSession = stranger.api.request('/v1/tokens', { json: { ...json, sessionId: own.sessionId } });
    expect(await outcomeOf(foreignSession)).toBe('404 session_not_found');
  });
});

describe('CORS', () => {
  const allowed = (response: Response) => response.headers.get('Access-Control-Allow-Origin');

  function preflight(path: string, origin: string, method = 'POST') {
    const headers = { Origin: origin, 'Access-Control-Request-Method': method };
    return fetch(test.url + path, { method: 'OPTIONS', headers });
  }

  it('answers preflights of listed origins for all of /v1, of others for what tokens open', async () => {
    const answered = async (path: string, origin: string) => {
      const { headers } = await preflight(path, origin);
      expect([headers.get('Vary'), headers.has('Access-Control-Allow-Credentials')]).toEqual(['Origin', false]);
      return [headers.get('Access-Control-Allow-Origin'), headers.get('Access-Control-Allow-Methods')];
    };
    const path = `/v1/sessions/${own.sessionId}`;
    expect(await answered(path, LISTED)).toEqual([LISTED, 'GET, DELETE']);
    expect(await answered('/v1/credits/balance', LISTED)).toEqual([LISTED, 'GET']);
    expect(await answered(path, ORIGIN)).toEqual([ORIGIN, 'GET, DELETE']);
    expect((await preflight(path, ORIGIN)).status).toBe(204);
    expect(await answered('/v1/credits/balance', ORIGIN)).toEqual([null, null]);
    expect(await answered('/v1/tokens', ORIGIN)).toEqual([null, null]);
    expect(await answered(path, 'null')).toEqual([null, null]);
    const { headers } = await preflight(path, ORIGIN);
    expect(headers.get('Access-Control-Allow-Headers')).toBe(
      'Content-Type, X-API-Key, Idempotency-Key, Last-Event-ID, If-Match, If-None-Match, If-Range, Range',
    );
    expect(headers.get('Access-Control-Max-Age')).toBe('600');
    expect(allowed(await preflight('/account/keys', LISTED))).toBeNull();
  });

  it('shows responses, and refusals, to listed origins and to the page that sent a token', async () => {
    const path = `/v1/sessions/${own.sessionId}`;
    const ask = (headers: Record<string, string>) => owner.api.request(path, { headers });
    const { token } = await createToken({ sessionId: own.sessionId });
    const listed = await ask({ Origin: LISTED });
    expect([listed.status, allowed(listed)]).toEqual([200, LISTED]);
    expect(listed.headers.get('Access-Control-Expose-Headers')).toContain('X-Job-Id');
    expect(listed.headers.get('Vary')).toContain('Origin');
    expect(listed.headers.has('Access-Control-Allow-Credentials')).toBe(false);
    expect(allowed(await ask({ Origin: LISTED, 'X-API-Key': 'iw_unknown' }))).toBe(LISTED);
    expect(allowed(await ask({ Origin: 'https://evil.example' }))).toBeNull();
    expect(allowed(await ask({ Origin: 'null' }))).toBeNull();
    expect(allowed(await ask({ Origin: ORIGIN, 'X-API-Key': token }))).toBe(ORIGIN);
    const refused = await ask({ Origin: ORIGIN, 'X-API-Key': `iwt_${'a'.repeat(43)}` });
    expect([refused.status, allowed(refused)]).toEqual([401, ORIGIN]);
    expect(allowed(await fetch(`${test.url}/v1/openapi.json`, { headers: { Origin: ORIGIN } }))).toBe('*');
    expect((await preflight('/v1/openapi.json', ORIGIN, 'GET')).status).toBe(204);
  });
});
