import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PastJob, Transaction, Usage } from '#contract';
import { csvLine } from '#contract/constants';
import { untilIdle } from '../support/aftermath.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { createPerson, type Person } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

let test: TestService;
let me: Person;
let api: ApiClient;
let exported: { jobId: string; sessionId: string };
beforeAll(async () => {
  test = await startTestService({ ANALYSIS_CREDITS: '2' });
  me = await createPerson(test, { plan: 'agency', credits: 100 });
  const { apiKey } = (await me.browser.post('/account/keys', { name: 'site' })).body;
  api = createApiClient({ url: test.url, apiKey });
  const uploaded = await api.upload(await plainImages(4));
  const { jobId } = await api.run('export', uploaded, { preset: 'low' });
  exported = { jobId, sessionId: uploaded.sessionId };
  await api.run('sample', { ...uploaded, images: uploaded.images.slice(0, 2) }, { format: 'jpeg' });
  await (await api.request(`/v1/sessions/${uploaded.sessionId}/analyze`, { json: {} })).text();
  // Half of it fails: what was charged for it comes back.
  const mixed = await api.upload(['nasty/jpeg-truncated.jpg', ...(await plainImages(1, { width: 60 }))]);
  await api.run('export', mixed, {});
  await untilIdle(test);
});
afterAll(() => test.close());

const usage = async (days = 30) => (await me.browser.get(`/account/usage?days=${days}`)).body as Usage;
const ledger = async (query = '') =>
  (await me.browser.get(`/account/ledger?limit=200${query}`)).body.transactions as Transaction[];

describe('usage', () => {
  it('counts images, credits and bytes of today, and shows every day', async () => {
    const { days, total, from, to } = await usage(7);
    expect(days).toHaveLength(7);
    expect([days[0]?.day, days.at(-1)?.day]).toEqual([from, to]);
    expect(to).toBe(new Date().toISOString().slice(0, 10));
    expect(total).toMatchObject({ images: 5, samples: 2, analyses: 4, credits: 4 + 8 + 1 });
    expect(total.bytesBefore).toBeGreaterThan(0);
    expect(total.bytesAfter).toBeGreaterThan(0);
    expect(days.at(-1)).toEqual({ day: to, ...total });
    expect(days[0]).toMatchObject({ images: 0, credits: 0, bytesBefore: 0 });
  });

  it('adds up to what the ledger says, and to the account’s own sum', async () => {
    const { total } = await usage();
    const spent = (await ledger()).filter(({ kind }) => kind === 'charge' || kind === 'refund');
    expect(total.credits).toBe(-spent.reduce((sum, { delta }) => sum + delta, 0));
    expect((await me.browser.get('/account/profile')).body).toMatchObject({
      used: total.credits,
      balance: 100 - total.credits,
    });
    const { jobs } = (await me.browser.get('/account/jobs')).body as { jobs: PastJob[] };
    expect(jobs.reduce((sum, { credits }) => sum + credits, 0)).toBe(total.credits);
  });

  it('stays when sessions are gone', async () => {
    const before = await usage();
    await api.request(`/v1/sessions/${exported.sessionId}`, { method: 'DELETE' });
    expect(await usage()).toEqual(before);
    const { jobs } = (await me.browser.get('/account/jobs')).body as { jobs: PastJob[] };
    expect(jobs).toHaveLength(4);
    const job = jobs.find(({ jobId }) => jobId === exported.jobId);
    expect(job).toMatchObject({
      kind: 'export',
      status: 'completed',
      images: 4,
      completed: 4,
      credits: 4,
      links: null,
    });
    expect(job?.savedBytes).toBe((job?.bytesBefore ?? 0) - (job?.bytesAfter ?? 0));
    const [newest] = jobs;
    expect(newest).toMatchObject({ status: 'partial', images: 2, completed: 1, failed: 1, credits: 1 });
    expect((await me.browser.get(newest?.links?.job ?? '')).status).toBe(200);
    expect((await me.browser.get(newest?.links?.session ?? '')).status).toBe(200);
    expect((await me.browser.get('/account/jobs?limit=2')).body.jobs).toEqual(jobs.slice(0, 2));
  });

  it.each(['days=0', 'days=367', 'days=x'])('refuses %s', async (query) => {
    expectError(await me.browser.get(`/account/usage?${query}`), 'invalid_request');
  });
});

describe('the ledger', () => {
  it('is filtered by kind and day, in pages', async () => {
    expect((await ledger('&kind=refund')).map(({ delta }) => delta)).toEqual([1]);
    expect((await ledger('&kind=charge')).map(({ delta }) => delta)).toEqual([-2, -8, -4]);
    const today = new Date().toISOString().slice(0, 10);
    const all = await ledger();
    expect(await ledger(`&from=${today}&to=${today}`)).toEqual(all);
    expect(await ledger('&to=2020-01-01')).toEqual([]);
    expect(await ledger('&from=2999-01-01')).toEqual([]);
    const pages: Transaction[] = [];
    for (let cursor = ''; ; ) {
      const page = (await me.browser.get(`/account/ledger?kind=charge&limit=2${cursor}`)).body;
      pages.push(...page.transactions);
      if (!page.nextCursor) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(pages).toEqual(await ledger('&kind=charge'));
    for (const query of ['kind=theft', 'from=yesterday', 'from=2026-02-30', 'cursor=%7B%7D']) {
      expectError(await me.browser.get(`/account/ledger?${query}`), 'invalid_request');
    }
  });

  it('is a CSV file that no spreadsheet runs anything of', async () => {
    const note = '=HYPERLINK("http://evil.example","free, credits")';
    await test.service.accounts.ledger.grant({ accountId: me.accountId, amount: 5, note });
    const answer = await me.browser.get('/account/ledger.csv?kind=grant');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="imagewright-ledger-[\d-]+\.csv"$/,
    );
    const lines = answer.text.split('\r\n');
    expect(lines[0]?.replace('\ufeff', '')).toBe('time,kind,credits,reference,note,id');
    expect(lines[1]).toContain(`,grant,5,`);
    expect(lines[1]).toContain(`"'=HYPERLINK(""http://evil.example"",""free, credits"")"`);
    const charges = (await me.browser.get('/account/ledger.csv?kind=charge')).text;
    expect(charges).toContain(',charge,-2,');
    expect(charges.trim().split('\r\n')).toHaveLength(4);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(1)', "'＠SUM(1)"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    [-1, '-1'],
    ['a"b', '"a""b"'],
    ['a,b', '"a,b"'],
    ['a\nb', '"a\nb"'],
    [null, ''],
    ['plain', 'plain'],
  ])('writes %j as %j', (cell, expected) => {
    expect(csvLine([cell])).toBe(`${expected}\r\n`);
  });
});
