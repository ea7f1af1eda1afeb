import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { textOf } from '../read-page.ts';

describe('the bar at the lower edge', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  const bar = ({ widget }: WidgetTab) => widget.locator('.bar');
  const buttons = async (tab: WidgetTab) =>
    (await bar(tab).locator('button').allTextContents()).map((label) => label.trim());
  const WAYS = [text('take.title'), text('outcome.download-all')];

  it('says after an export what was made and offers it, once on the page, also after a reload', async () => {
    const tab = await rig.open({ credits: 5, elements: [{ remember: 'bar' }] });
    await tab.upload(2);
    await tab.exportAll();
    await tab.untilState('done');
    const expectWays = async () => {
      await expect.poll(async () => (await buttons(tab)).slice(-WAYS.length)).toEqual(WAYS);
      expect(await textOf(bar(tab))).toContain(text('announce.done.export', { count: 2 }));
      for (const name of WAYS) expect(await tab.button(name).count()).toBe(1);
    };
    await expectWays();
    await tab.page.reload();
    await tab.untilState('done');
    await expectWays();
    await bar(tab)
      .getByRole('button', { name: text('take.title') })
      .click();
    await tab.widget.locator('io-take-away').waitFor();
  });

  it('offers to upload what was added after an export', async () => {
    const tab = await rig.open({ elements: [{ 'auto-upload': 'false' }] });
    await tab.pick('photos/graphic-badge-alpha.png');
    await tab.button(text('export.upload')).click();
    await tab.untilState('ready');
    await tab.exportAll();
    await tab.untilState('done');
    await tab.pick('photos/photo-dogs-portrait.jpg');
    await tab.button(text('export.upload')).click();
    await expect.poll(async () => (await tab.events('io-upload')).length).toBe(2);
    await tab.widget.locator('button.export:not(:disabled)').waitFor();
  });

  it('is there only if it has something to say', async () => {
    const tab = await rig.open({ elements: [{ 'auto-upload': 'false' }] });
    await tab.pick('photos/graphic-badge-alpha.png');
    await tab.button(text('export.upload')).waitFor();
    await tab.widget.evaluate((element) => Object.assign(element, { readonly: true }));
    await expect.poll(() => bar(tab).count()).toBe(0);
  });
});
