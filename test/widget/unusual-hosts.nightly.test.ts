import { beforeAll, describe, expect, it } from 'vitest';
import { plainImages } from '../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';

/** Reads the settings of the element and the properties that mirror them. */
const read = ({ widget }: WidgetTab) =>
  widget.evaluate((element) => {
    const { settings, format, preset, responsive } = element as unknown as Record<string, unknown>;
    return { settings, shown: { format, preset, responsive } };
  });

describe('pages that use the element in their own way', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('settings apply whether they are set before or after the element is defined', async () => {
    const tab = await rig.open({
      elements: [{ format: 'png', preset: 'low' }],
      properties: { settings: { preset: 'medium', responsive: true } },
    });
    const settings = { format: 'png', preset: 'medium', responsive: true };
    expect(await read(tab)).toEqual({ settings, shown: settings });
    await tab.widget.evaluate((element) => Object.assign(element, { settings: { format: 'avif' } }));
    expect((await read(tab)).settings).toEqual({ ...settings, format: 'avif' });
    await tab.upload(1);
    await tab.button(text('settings.change')).click();
    await expect.poll(() => tab.widget.locator('io-settings input[value=avif]').isChecked()).toBe(true);
  });

  it('settings apply if they are set before the element is connected, or together with a property', async () => {
    const tab = await rig.open();
    const found = await tab.page.evaluate(async () => {
      type Element = HTMLElement & Record<string, unknown> & { updateComplete: Promise<unknown> };
      const make = (prepare: (element: Element) => void) => {
        const element = document.createElement('image-optimizer') as unknown as Element;
        prepare(element);
        document.body.append(element);
        return element;
      };
      const elements = [
        make((element) => Object.assign(element, { settings: { format: 'avif', embedMetadata: true } })),
        make((element) => Object.assign(element, { format: 'jpeg', settings: { preset: 'low' } })),
        make((element) => Object.assign(element, { settings: { format: 'jpeg' }, format: 'png' })),
      ];
      await Promise.all(elements.map(({ updateComplete }) => updateComplete));
      return elements.map(({ settings, format, preset }) => ({ settings, format, preset }));
    });
    expect(found).toMatchObject([
      { settings: { format: 'avif', embedMetadata: true }, format: 'avif', preset: 'high' },
      { settings: { format: 'jpeg', preset: 'low' }, format: 'jpeg', preset: 'low' },
      { settings: { format: 'png', preset: 'high' }, format: 'png' },
    ]);
  });

  it.each([
    { concurrency: '-1' },
    { concurrency: 'many' },
    { retries: 'some', 'stall-timeout': 'soon', 'batch-size': '0' },
    { 'max-files': '', 'max-file-size': '0', 'max-total-size': '-5', 'max-pixels': 'all' },
    { format: 'gif', preset: 'ultra', mode: 'both', locale: 'not a tag', accept: '' },
  ] as Record<string, string>[])('attributes that make no sense keep nothing from going on: %o', async (attributes) => {
    const tab = await rig.open({ elements: [attributes] });
    await tab.upload(2);
    await tab.untilState('ready');
    await tab.exportAll();
    await tab.untilState('done');
    expect(await tab.widget.locator('.notice').count()).toBe(0);
  });

  it('announcements of a disconnected element are made when it is connected again', async () => {
    const tab = await rig.open();
    await tab.pick(...(await plainImages(1, { width: 64, height: 48 })));
    await tab.untilState('ready');
    // Within the delay after a file dialog.
    await tab.page.evaluate(async () => {
      const element = document.querySelector('image-optimizer');
      const parent = element?.parentNode;
      element?.remove();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      if (element) parent?.append(element);
    });
    const said = `polite: ${text('announce.added', { count: 1 })}`;
    await expect.poll(() => tab.spoken()).toContain(said);
  });
});
