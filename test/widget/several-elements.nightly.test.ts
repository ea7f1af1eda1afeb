import { beforeAll, describe, expect, it } from 'vitest';
import { plainImages } from '../support/small-images.ts';
import { openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';
import { rows } from './read-page.ts';

let rig: WidgetRig;

beforeAll(async () => {
  rig = await openWidgetRig();
});

describe('several copies of the widget on a page', () => {
  it.each([[['module', 'classic'] as const], [['classic', 'module'] as const], [['module', 'module-again'] as const]])(
    'are one: the first defines the elements, and everything works (%s)',
    async (load) => {
      const tab = await rig.open({ load: [...load] });
      await tab.upload(2);
      await tab.exportAll();
      await tab.untilState('done');
      expect((await tab.ledger()).charged).toBe(2);
      tab.expectQuiet();
    },
  );

  it('warn once about another version that was loaded first, and keep it', async () => {
    const script = `
      class Older extends HTMLElement {
        static version = '0.0.1';
        updateComplete = Promise.resolve();
        constructor() {
          super();
          const live = document.createElement('io-live');
          live.attachShadow({ mode: 'open' });
          this.attachShadow({ mode: 'open' }).append(live);
        }
      }
      customElements.define('image-optimizer', Older);
    `;
    const tab = await rig.open({ script });
    await expect.poll(() => tab.complaints.length).toBeGreaterThan(0);
    expect(await tab.widget.evaluate((element) => (element.constructor as { version?: string }).version)).toBe('0.0.1');
    expect(tab.complaints.filter((complaint) => /0\.0\.1/.test(complaint))).toHaveLength(1);
    tab.expectQuiet([/0\.0\.1 is defined already/]);
  });
});

describe('several elements on a page', () => {
  it('are independent of each other', async () => {
    const tab = await rig.open({ elements: [{ id: 'left' }, { id: 'right', locale: 'en', format: 'avif' }] });
    const [left, right] = [tab.page.locator('#left'), tab.page.locator('#right')];
    await tab.upload(2);
    const [other] = await plainImages(1, { width: 10, height: 10 });
    const file = { name: 'other.png', mimeType: 'image/png', buffer: Buffer.from(other?.bytes ?? []) };
    await right.locator('input[type=file]').first().setInputFiles([file]);
    await expect.poll(() => right.getAttribute('session-id')).toMatch(/^sess_/);
    await expect.poll(() => rows(left).count()).toBe(2);
    await expect.poll(() => rows(right).count()).toBe(1);
    expect(await left.getAttribute('session-id')).not.toBe(await right.getAttribute('session-id'));
    const added = await tab.events('io-add');
    expect(added.map(({ target }) => target).sort()).toEqual(['left', 'right']);
    await right.getByRole('button', { name: text('row.remove', { name: 'other.png' }) }).click();
    await expect.poll(() => rows(right).count()).toBe(0);
    await expect.poll(() => rows(left).count()).toBe(2);
    tab.expectQuiet();
  });
});

describe('an element that is moved in the page', () => {
  it('loses no upload, event or state', async () => {
    const tab = await rig.open();
    await tab.pick(...(await plainImages(6, { width: 300, height: 200 })));
    for (const place of ['header', 'main', 'header']) {
      await tab.page.evaluate((where) => {
        const element = document.querySelector('image-optimizer');
        if (element) document.querySelector(where)?.append(element);
      }, place);
    }
    await expect.poll(async () => (await tab.events('io-upload')).length).toBe(6);
    await tab.untilState('ready');
    await expect.poll(() => rows(tab.widget).count()).toBe(6);
    await tab.page.evaluate(() => {
      const element = document.querySelector('image-optimizer');
      element?.remove();
      document.querySelector('main')?.append(element as Node);
    });
    await expect.poll(() => rows(tab.widget).count()).toBe(6);
    await tab.exportAll();
    await tab.untilState('done');
    const sessions = rig.proxy.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/sessions');
    expect((await tab.ledger()).charged).toBe(6);
    expect(sessions.length).toBeGreaterThan(0);
    tab.expectQuiet();
  });
});
