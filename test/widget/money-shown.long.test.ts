import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { holdRequests } from './hold-requests.ts';

describe('what an export costs and makes', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  const set = ({ widget }: WidgetTab, settings: Record<string, unknown>) =>
    widget.evaluate((element, changes) => Object.assign(element, { settings: changes }), settings);
  const dialog = ({ widget }: WidgetTab) => widget.locator('dialog');

  it('is known again after credits were bought in another tab', async () => {
    const tab = await rig.open({ credits: 0 });
    await tab.upload(2);
    const seen = (words: string) => tab.widget.locator('io-cost').getByText(words).waitFor();
    await seen(text('cost.short', { count: 2 }));
    await rig.test.service.accounts.ledger.grant({ accountId: tab.account.accountId, ref: 'bought', amount: 5 });
    await tab.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await seen(text('cost.left', { count: 3 }));
    await expect.poll(() => tab.widget.locator('button.export').isEnabled()).toBe(true);
  });

  it('is asked with what is missing and what will become larger', async () => {
    const tab = await rig.open();
    await tab.pick('small/photo-dogs-portrait.jpg');
    await tab.untilState('ready');
    await set(tab, { format: 'png' });
    await tab.widget.locator('button.export').click();
    await expect.poll(() => dialog(tab).textContent()).toContain(text('confirm.larger', { count: 1, format: 'PNG' }));
    await expect.poll(() => dialog(tab).textContent()).toContain(text('confirm.missing', { count: 1 }));
    await tab.button(text('confirm.show')).click();
    await expect
      .poll(() => tab.widget.locator('input[name=filter]:checked + span').textContent())
      .toContain(text('filter.missing'));
    expect((await tab.ledger()).charges).toBe(0);
  });

  it.each([1280, 320])(
    'is asked with a button that stays in its place when the price arrives, at %d pixels',
    async (width) => {
      const tab = await rig.open({ context: { viewport: { width, height: 720 } } });
      const tell = await holdRequests(tab.page, /credits\/check/);
      await tab.upload(1);
      await tab.widget.locator('button.export').click();
      const yes = dialog(tab).locator('button[value=yes]');
      const corner = () =>
        yes.evaluate((button) => [button.getBoundingClientRect().right, button.getBoundingClientRect().y]);
      expect(await dialog(tab).textContent()).toContain(text('cost.loading'));
      const before = await corner();
      tell();
      await expect.poll(() => yes.textContent()).toContain(text('confirm.yes', { count: 1 }));
      expect(await corner()).toEqual(before);
    },
  );

  it('says how many credits are missing when the price has changed, and offers what they are enough for', async () => {
    const tab = await rig.open({ credits: 3 });
    await tab.upload(2);
    await tab.widget.locator('button.export').click();
    const dearer = { operation: 'export', imageCount: 2, costPerImage: 2, cost: 4, balance: 3, balanceAfter: -1 };
    rig.proxy.inject(
      { kind: 'answer', status: 200, json: { ...dearer, sufficient: false, shortfall: 1 } },
      { path: /credits\/check/, times: 2 },
    );
    await tab.widget.evaluate((element) => (element as unknown as { checkCost(): unknown }).checkCost());
    await expect.poll(() => dialog(tab).textContent()).toContain(text('cost.short', { count: 1 }));
    expect(await dialog(tab).textContent()).not.toContain('-1');
    expect(
      await dialog(tab)
        .getByRole('button', { name: text('export.first', { count: 1 }) })
        .isEnabled(),
    ).toBe(true);
  });

  it('can be downloaded after a reload, and a corrected file name costs nothing', async () => {
    const tab = await rig.open({ elements: [{ remember: 'test' }] });
    await tab.upload(1);
    await tab.exportAll();
    await tab.untilState('done');
    await tab.page.reload();
    await tab.untilState('done');
    await tab.button(text('outcome.download-all')).waitFor();
    const name = tab.widget.locator('[data-text=filename]');
    await name.fill('blue-hill');
    await name.press('Enter');
    await expect.poll(() => tab.widget.locator('.produced').textContent()).toBe('blue-hill.webp');
    const saved = tab.page.waitForEvent('download');
    await tab.widget.locator('[data-control=download]').click();
    expect((await saved).suggestedFilename()).toBe('blue-hill.webp');
    expect(await tab.widget.locator('button.export:not([disabled])').count()).toBe(0);
    expect((await tab.ledger()).charges).toBe(1);
  });
});
