import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../support/fault-proxy.ts';
import { startWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { field, rows, textOf } from './read-page.ts';

const EXPORT = { method: 'POST', path: /\/export$/ };

describe('an export over connections that go wrong', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await startWidgetRig();
  });
  afterAll(() => rig?.close());
  afterEach(() => rig.proxy.reset());

  /** Three images that are uploaded, with an edit that no failure may lose. */
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

  it.each(FAULTS)('comes out right when the stream arrives %s, and is charged once', async (_, fault) => {
    const tab = await prepare();
    rig.proxy.inject(fault, EXPORT);
    await tab.exportAll();
    await expectExported(tab);
    expect(rig.proxy.seen.some((request) => request.fault === fault.kind)).toBe(true);
    expect(await tab.events('io-error')).toEqual([]);
    tab.expectQuiet([/ERR_(EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET)/]);
  });

  it('joins the running job when the page is loaded anew in the middle, and is charged once', async () => {
    const tab = await prepare();
    rig.proxy.inject({ kind: 'stall', afterEvents: 1 }, EXPORT);
    await tab.exportAll();
    await expect.poll(async () => (await tab.events('io-export-progress')).length).toBeGreaterThan(0);
    const sessionId = (await tab.widget.getAttribute('session-id')) ?? '';
    await tab.reload({ elements: [{ 'session-id': sessionId }] });
    await tab.untilState('done');
    expect(await rows(tab.widget).count()).toBe(3);
    await expect.poll(() => field(rows(tab.widget).first(), 'alt').inputValue()).toBe('A sentence that must survive');
    await expect.poll(() => textOf(rows(tab.widget).first())).toContain('.webp');
    expect(await tab.ledger()).toMatchObject({ charged: 3, refunded: 0, charges: 1 });
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

  it.each(ANSWERS)(
    'says what happened when the answer is %s, keeps every edit, and goes on after',
    async (...answer) => {
      const [status, code, expected] = answer;
      const tab = await prepare();
      const json = { error: 'as the service says it', code, requestId: 'req_0000000000000000000000' };
      rig.proxy.inject({ kind: 'answer', status, json, headers: { 'Retry-After': '0' } }, { ...EXPORT, times: 50 });
      await tab.exportAll();
      await expect.poll(async () => (await tab.events('io-error')).length, { timeout: 20_000 }).toBeGreaterThan(0);
      const [event] = await tab.events('io-error');
      expect(event?.detail).toMatchObject({ phase: 'export', error: { code: expected, status } });
      expect(await textOf(tab.widget.locator('.notices'))).toContain(event?.detail.error.message);
      expect(await tab.ledger()).toMatchObject({ charged: 0, charges: 0 });
      expect(await field(rows(tab.widget).first(), 'alt').inputValue()).toBe('A sentence that must survive');

      rig.proxy.reset();
      await goOn(tab);
      await expectExported(tab);
      tab.expectQuiet([/the server responded with a status of/]);
    },
  );

  it('takes a gateway’s page of HTML for no answer of the service, and goes on after', async () => {
    const tab = await prepare();
    const html = '<html><body><h1>502 Bad Gateway</h1></body></html>';
    rig.proxy.inject({ kind: 'answer', status: 502, html }, { ...EXPORT, times: 50 });
    await tab.exportAll();
    await expect.poll(async () => (await tab.events('io-error')).length, { timeout: 20_000 }).toBeGreaterThan(0);
    const [event] = await tab.events('io-error');
    expect(event?.detail.error).toMatchObject({ code: 'bad_response', status: 502 });
    expect(await textOf(tab.widget)).not.toContain('Bad Gateway');
    rig.proxy.reset();
    await goOn(tab);
    await expectExported(tab);
  });

  it('offers as many images as the balance is enough for, and charges these', async () => {
    const tab = await prepare(2);
    await expect.poll(() => textOf(tab.widget.locator('io-cost'))).toContain(text('cost.short', { count: 1 }));
    await tab.button(text('export.first', { count: 2 })).click();
    await tab.widget.locator('dialog button[value=yes]').click();
    await expect.poll(async () => (await tab.events('io-export')).length, { timeout: 20_000 }).toBe(1);
    expect((await tab.events('io-export'))[0]?.detail).toMatchObject({ succeeded: 2, failed: 0 });
    expect(await tab.ledger()).toMatchObject({ charged: 2, charges: 1 });
    tab.expectQuiet();
  });

  /** As a person would: "Retry" where it is offered, else the export anew. */
  async function goOn(tab: WidgetTab): Promise<void> {
    const retry = tab.widget.locator('.toolbar, .tools').getByRole('button', { name: /retry/i });
    if ((await retry.count()) > 0) await retry.first().click();
    else await tab.exportAll();
  }
});
