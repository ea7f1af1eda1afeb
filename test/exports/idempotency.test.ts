import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectCleanBooks } from '../support/aftermath.ts';
import { type ApiClient, type ClientEvent, readEvents } from '../support/api-client.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { noiseImage, plainImage, plainImages } from '../support/small-images.ts';
import { untilAnswered } from '../support/until-answered.ts';

let test: SharedService;
beforeAll(async () => {
  test = await sharedService();
});
afterEach(() => expectCleanBooks(test));

async function post(api: ApiClient, path: string, json: unknown, key: string) {
  const response = await untilAnswered(() => api.request(path, { json, headers: { 'Idempotency-Key': key } }));
  const jobId = response.headers.get('X-Job-Id');
  if (!response.ok) return { status: response.status, jobId, events: [], body: await response.json() };
  const events: ClientEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return { status: response.status, jobId, events, body: null };
}

describe('an export with an Idempotency-Key', () => {
  it('that is sent 20 times at once is one job and one charge, and everyone reads the same events', async () => {
    const { api } = await test.createAccount({ credits: 25 });
    const uploaded = await api.upload([await noiseImage('one.png'), ...(await plainImages(2))]);
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    const body = api.exportBody(uploaded, {});
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(api, path, body, 'order-1')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(1);
    const [first] = answers;
    for (const { events } of answers) expect(events).toEqual(first?.events);
    expect(first?.events.at(-1)?.event).toBe('complete');
    expect(await api.balance()).toBe(22);

    const later = await post(api, path, body, 'order-1');
    expect([later.jobId, later.events]).toEqual([first?.jobId, first?.events]);
    expect(await api.balance()).toBe(22);
  });

  it('whose fields come in another order is still the same request', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload([await plainImage('one.png')]);
    const { sessionId, images, settings } = api.exportBody(uploaded, { format: 'png', preset: 'low' });
    const path = `/v1/sessions/${sessionId}/export`;
    const first = await post(api, path, { sessionId, images, settings }, 'k');
    const second = await post(
      api,
      path,
      { settings: { preset: 'low', format: 'png' }, images: images.map(({ id }) => ({ id })), sessionId },
      'k',
    );
    expect(second.jobId).toBe(first.jobId);
    expect(await api.balance()).toBe(24);
  });

  it('and another body, endpoint or session gets 422 and takes nothing', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload([await plainImage('one.png')]);
    const path = `/v1/sessions/${uploaded.sessionId}`;
    await post(api, `${path}/export`, api.exportBody(uploaded, {}), 'k');
    const other = await api.upload([await plainImage('one.png')]);
    const attempts = [
      post(api, `${path}/export`, api.exportBody(uploaded, { format: 'png' }), 'k'),
      post(api, `${path}/sample`, api.exportBody(uploaded, {}), 'k'),
      post(api, `/v1/sessions/${other.sessionId}/export`, api.exportBody(other, {}), 'k'),
    ];
    for (const attempt of attempts) {
      expect(await attempt).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    }
    expect(await api.balance()).toBe(24);
  });

  it('is free to be used by another account', async () => {
    const one = await test.createAccount();
    const two = await test.createAccount();
    const jobs = await Promise.all(
      [one, two].map(async ({ api }) => {
        const uploaded = await api.upload([await plainImage('one.png')]);
        return post(api, `/v1/sessions/${uploaded.sessionId}/export`, api.exportBody(uploaded, {}), 'shared-key');
      }),
    );
    expect(jobs.map(({ status }) => status)).toEqual([200, 200]);
    expect(jobs[0]?.jobId).not.toBe(jobs[1]?.jobId);
  });

  it('that was refused for want of credits works after a top-up', async () => {
    const { api, accountId } = await test.createAccount({ credits: 1 });
    const uploaded = await api.upload(await plainImages(2));
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    const body = api.exportBody(uploaded, {});
    expect(await post(api, path, body, 'k')).toMatchObject({ status: 402, body: { balance: 1, required: 2 } });
    await test.service.accounts.ledger.grant({ accountId, ref: 'top-up-1', amount: 5 });
    expect(await post(api, path, body, 'k')).toMatchObject({ status: 200 });
    expect(await api.balance()).toBe(4);
  });

  it('that is refused while its twins wait gives every one of them the 402, and never an empty stream', async () => {
    const { api } = await test.createAccount({ credits: 0 });
    const uploaded = await api.upload([await plainImage('one.png')]);
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    for (let round = 0; round < 4; round += 1) {
      const key = `poor-${round}`;
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => post(api, path, api.exportBody(uploaded, {}), key)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(402));
    }
    expect(await api.readJson(`/v1/sessions/${uploaded.sessionId}`)).toMatchObject({ jobs: [] });
  });

  it('of no character or of more than 255 is refused with 400', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload([await plainImage('one.png')]);
    const path = `/v1/sessions/${uploaded.sessionId}/export`;
    for (const key of ['', 'x'.repeat(256)]) {
      const answer = await post(api, path, api.exportBody(uploaded, {}), key);
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } });
    }
    expect((await post(api, path, api.exportBody(uploaded, {}), 'x'.repeat(255))).status).toBe(200);
  });
});

describe('an upload with an Idempotency-Key', () => {
  it('that is repeated gives the same session, byte for byte', async () => {
    const { api } = await test.createAccount();
    const files = [await plainImage('one.png')];
    const headers = { 'Idempotency-Key': 'upload-1' };
    const first = await api.upload(files, { headers });
    expect(await api.upload(files, { headers })).toEqual(first);
    const added = await api.upload(files, { sessionId: first.sessionId, headers: { 'Idempotency-Key': 'upload-2' } });
    const again = await api.upload(files, { sessionId: first.sessionId, headers: { 'Idempotency-Key': 'upload-2' } });
    expect(again).toEqual(added);
    expect((await api.readJson<{ images: unknown[] }>(`/v1/sessions/${first.sessionId}`)).images).toHaveLength(2);
  });

  it('and other files gets 422', async () => {
    const { api } = await test.createAccount();
    const headers = { 'Idempotency-Key': 'upload-1' };
    await api.upload([await plainImage('one.png')], { headers });
    await expect(api.upload([await plainImage('two.png')], { headers })).rejects.toThrow(/422.*idempotency_mismatch/);
  });

  it('that failed is not remembered', async () => {
    const { api } = await test.createAccount();
    const headers = { 'Idempotency-Key': 'upload-1' };
    const text = { name: 'notes.txt', bytes: Buffer.from('not an image') };
    await expect(api.upload([text], { headers })).rejects.toThrow(/415/);
    await expect(api.upload([await plainImage('one.png')], { headers })).resolves.toMatchObject({ rejected: [] });
  });
});
