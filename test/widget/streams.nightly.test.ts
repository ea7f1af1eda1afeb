import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Job, Session } from '#contract';
import type { Fault } from '../support/fault-proxy.ts';
import { noiseImage, plainImage } from '../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { field, rows, textOf } from './read-page.ts';

const EXPORT = { method: 'POST', path: /\/export$/ };

describe('an export over faulty connections', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });
  afterEach(() => rig.proxy.reset());

  /** Opens an element with three uploaded images and an edit no failure may lose. */
  async function prepare(credits = 20): Promise<WidgetTab> {
    const tab = await rig.open({ credits });
    await tab.upload(3);
    const alt = field(rows(tab.widget).first(), 'alt');
    await alt.fill('A sentence that must survive');
    await alt.press('Enter');
    await expect.poll(() => tab.widget.locator('button.export').isEnabled()).toBe(true);
    return tab;
  }

  async function expectExported(tab: WidgetTab): Promise<void> {
    await tab.untilState('done');
    expect((await tab.events('io-export')).at(-1)?.detail).toMatchObject({ succeeded: 3, failed: 0 });
    expect(await tab.ledger()).toMatchObject({ charged: 3, refunded: 0, charges: 1 });
  }

  const FAULTS: [string, Fault][] = [
    ['one byte at a time', { kind: 'bytewise' }],
    ['all at the end, as behind a buffering gateway', { kind: 'buffer' }],
    ['cut after its first event', { kind: 'cut', afterEvents: 1 }],
    ['cut in the middle of an event', { kind: 'cut', afterBytes: 150 }],
    ['lost after the service has heard the request', { kind: 'lose-answer' }],
    ['broken before the service has heard anything', { kind: 'lose-request' }],
  ];

  it.each(FAULTS)('completes and is charged once if the stream arrives %s', async (_, fault) => {
    const tab = await prepare();
    rig.proxy.inject(fault, EXPORT);
    await tab.exportAll();
    await expectExported(tab);
    expect(rig.proxy.seen.some((request) => request.fault === fault.kind)).toBe(true);
    expect(await tab.events('io-error')).toEqual([]);
    tab.expectQuiet([/ERR_(EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET)/]);
  });

  it('joins the running job after a reload of the page, and is charged once', async () => {
    const tab = await prepare();
    rig.proxy.inject({ kind: 'stall', afterEvents: 1 }, EXPORT);
    await tab.exportAll();
    await expect.poll(async () => (await tab.events('io-export-progress')).length).toBeGreaterThan(0);
    const sessionId = (await tab.widget.getAttribute('session-id')) ?? '';
    await tab.reload({ elements: [{ 'session-id': sessionId }] });
    await tab.untilState('done');
    await expect.poll(() => rows(tab.widget).count()).toBe(3);
    await expect.poll(() => field(rows(tab.widget).first(), 'alt').inputValue()).toBe('A sentence that must survive');
    await expect.poll(() => textOf(rows(tab.widget).first())).toContain('.webp');
    expect(await tab.ledger()).toMatchObject({ charged: 3, refunded: 0, charges: 1 });
  });

  it('joins an export of photographs that is still running after a reload, and is charged once', async () => {
    const tab = await rig.open({ credits: 5, elements: [{ format: 'avif' }] });
    await tab.pick('photos/photo-mountains.jpg', 'photos/photo-stream.jpg', 'photos/photo-brushes.jpg');
    await tab.untilState('ready');
    await tab.exportAll();
    await expect.poll(async () => (await tab.events('io-export-progress')).length).toBeGreaterThan(0);
    const sessionId = (await tab.widget.getAttribute('session-id')) ?? '';
    await tab.reload({ elements: [{ 'session-id': sessionId }] });
    await expect
      .poll(async () => (await tab.events('io-state-change')).map(({ detail }) => detail.state))
      .toContain('exporting');
    await expect.poll(async () => (await tab.events('io-export-progress')).length).toBeGreaterThan(0);
    await expect.poll(async () => (await tab.events('io-export')).length).toBe(1);
    expect((await tab.events('io-export'))[0]?.detail).toMatchObject({ succeeded: 3, failed: 0 });
    expect(await tab.ledger()).toEqual({ charged: 3, refunded: 0, charges: 1 });
  });

  it('shows a cancel at once while the stream stalls, and then the response of the service', async () => {
    const tab = await rig.open({ credits: 20, elements: [{ format: 'avif', preset: 'maximum' }] });
    const images = [1, 2, 3, 4].map((seed) => noiseImage(`${seed}.png`, { seed, width: 700, height: 700 }));
    await tab.pick(...(await Promise.all([plainImage('plain.png', { width: 64 }), ...images])));
    await expect.poll(async () => (await tab.events('io-upload')).length).toBe(5);
    await expect.poll(() => tab.widget.locator('button.export').isEnabled()).toBe(true);
    // The first part of the stream, without the end of the first image.
    rig.proxy.inject({ kind: 'stall', afterEvents: 3 }, EXPORT);
    await tab.exportAll();
    const sessionId = (await tab.widget.getAttribute('session-id')) ?? '';
    const newest = async () => (await tab.account.api.readJson<Session>(`/v1/sessions/${sessionId}`)).jobs[0];
    await expect.poll(async () => (await newest())?.current).toBeGreaterThan(0);

    let answer = () => {};
    await tab.page.route('**/cancel', async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await tab.button(text('action.cancel')).click();
    await expect.poll(() => textOf(tab.widget.locator('.bar'))).toContain(text('bar.cancelling'));
    expect((await tab.spoken()).at(-1)).not.toContain(text('announce.cancelled'));
    answer();
    await expect.poll(async () => (await tab.events('io-export')).length).toBe(1);
    const [ended] = await tab.events('io-export');
    const { jobId = '' } = (await newest()) ?? {};
    const { status, results = [] } = await tab.account.api.readJson<Job>(`/v1/jobs/${jobId}`);
    const made = results.filter((result) => result.status === 'completed').length;
    expect([status, made > 0, made < 5]).toEqual(['cancelled', true, true]);
    expect(ended?.detail).toMatchObject({ succeeded: made, failed: 0 });
    await tab.untilState('done');
    const { charged, refunded } = await tab.ledger();
    expect(charged - refunded).toBe(made);
    expect(await textOf(tab.widget.locator('.outcome'))).toContain(text('cost.credits', { count: charged - refunded }));
    await expect.poll(tab.spoken).toContain(`polite: ${text('announce.cancelled')}`);
  });

  const ANSWERS: [number, string, string][] = [
    [400, 'validation_failed', 'server'],
    [401, 'unauthorized', 'unauthorized'],
    [402, 'insufficient_credits', 'insufficient_credits'],
    [403, 'inactive_api_key', 'key_inactive'],
    [413, 'request_too_large', 'too_large'],
    [429, 'too_many_requests', 'throttled'],
    [500, 'internal_error', 'server'],
  ];

  it.each(ANSWERS)('explains the response %s, keeps every edit, and continues afterwards', async (...answer) => {
    const [status, code, expected] = answer;
    const tab = await prepare();
    const json = { error: 'as the service says it', code, requestId: 'req_0000000000000000000000' };
    rig.proxy.inject({ kind: 'answer', status, json, headers: { 'Retry-After': '0' } }, { ...EXPORT, times: 50 });
    await tab.exportAll();
    await expect.poll(async () => (await tab.events('io-error')).length).toBeGreaterThan(0);
    const [event] = await tab.events('io-error');
    expect(event?.detail).toMatchObject({ phase: 'export', error: { code: expected, status } });
    expect(await textOf(tab.widget.locator('.notices'))).toContain(event?.detail.error.message);
    expect(await tab.ledger()).toMatchObject({ charged: 0, charges: 0 });
    await expect.poll(() => field(rows(tab.widget).first(), 'alt').inputValue()).toBe('A sentence that must survive');

    rig.proxy.reset();
    await resume(tab);
    await expectExported(tab);
    tab.expectQuiet([/the server responded with a status of/]);
  });

  it('rejects an HTML page of a gateway as a response, and continues afterwards', async () => {
    const tab = await prepare();
    const html = '<html><body><h1>502 Bad Gateway</h1></body></html>';
    rig.proxy.inject({ kind: 'answer', status: 502, html }, { ...EXPORT, times: 50 });
    await tab.exportAll();
    await expect.poll(async () => (await tab.events('io-error')).length).toBeGreaterThan(0);
    const [event] = await tab.events('io-error');
    expect(event?.detail.error).toMatchObject({ code: 'bad_response', status: 502 });
    expect(await textOf(tab.widget)).not.toContain('Bad Gateway');
    rig.proxy.reset();
    await resume(tab);
    await expectExported(tab);
  });

  it('offers as many images as the balance allows, and charges these', async () => {
    const tab = await prepare(2);
    await expect.poll(() => textOf(tab.widget.locator('io-cost'))).toContain(text('cost.short', { count: 1 }));
    await tab.button(text('export.first', { count: 2 })).click();
    await tab.widget.locator('dialog button[value=yes]').click();
    await expect.poll(async () => (await tab.events('io-export')).length).toBe(1);
    expect((await tab.events('io-export'))[0]?.detail).toMatchObject({ succeeded: 2, failed: 0 });
    expect(await tab.ledger()).toMatchObject({ charged: 2, charges: 1 });
    tab.expectQuiet();
  });

  /** Clicks "Retry" if it is offered, or else exports again. */
  async function resume(tab: WidgetTab): Promise<void> {
    const retry = tab.widget.locator('.toolbar, .tools').getByRole('button', { name: /retry/i });
    if ((await retry.count()) > 0) await retry.first().click();
    else await tab.exportAll();
  }
});
