import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { fixtures, focusedName, tabTo } from './keys.ts';
import { field, rows } from './read-page.ts';

const NAMES = ['graphic-badge-alpha.png', 'photo-dogs-portrait.jpg'];

let rig: WidgetRig;

beforeAll(async () => {
  rig = await openWidgetRig();
});

/** Chooses files in the dialog that Enter on the picker's button opens. */
async function pickByKeyboard(tab: WidgetTab): Promise<void> {
  // The listener comes first, since the event of an open dialog is not repeated.
  const opening = tab.page.waitForEvent('filechooser');
  await tabTo(tab, text('dropzone.pick'));
  await tab.page.keyboard.press('Enter');
  await (await opening).setFiles(fixtures(NAMES));
}

describe('using only the keyboard', () => {
  it('everything can be done: add, describe, edit, sample, compare, export, download', async () => {
    const tab = await rig.open({ credits: 10 });
    const { page } = tab;
    const { keyboard } = page;
    await pickByKeyboard(tab);
    await tab.untilState('ready');
    // The focus returns to the button after the file dialog.
    expect(await focusedName(page)).toBe(text('dropzone.pick'));

    await tabTo(tab, text('toolbar.analyze'));
    await keyboard.press('Enter');
    await expect.poll(async () => (await tab.events('io-analyze')).length).toBe(1);

    const [first, second] = [rows(tab.widget).first(), rows(tab.widget).nth(1)];
    await tabTo(tab, text('field.filename'));
    await keyboard.press('Control+A');
    await keyboard.type('golden badge');
    await keyboard.press('Enter');
    await expect.poll(() => field(first, 'filename').inputValue()).toMatch(/golden.badge/);
    await keyboard.press('Tab');
    expect(await focusedName(page)).toContain(text('field.title'));
    const title = await field(first, 'title').inputValue();
    await keyboard.type(' and what nobody wants');
    await keyboard.press('Escape');
    await expect.poll(() => field(first, 'title').inputValue()).toBe(title);
    await keyboard.press('Control+ArrowDown');
    expect(await field(second, 'title').evaluate(isFocused)).toBe(true);
    await tabTo(tab, text('field.decorative'));
    await keyboard.press('Space');
    await expect.poll(() => field(second, 'alt').isDisabled()).toBe(true);
    await keyboard.press('Space');
    await expect.poll(() => field(second, 'alt').isDisabled()).toBe(false);
    await keyboard.press('Control+ArrowUp');
    expect(await field(first, 'decorative').evaluate(isFocused)).toBe(true);

    // One step skips the list.
    await tabTo(tab, text('list.skip', { count: 2 }), { back: true });
    await keyboard.press('Enter');
    expect(await focusedName(page)).toBe(text('reviewing.title'));

    await tabTo(tab, text('export.sample'));
    await keyboard.press('Enter');
    await expect.poll(() => tab.widget.locator('io-compare').count()).toBe(1);
    await expect.poll(() => tab.widget.locator('io-compare').getByRole('slider').isEnabled()).toBe(true);
    await tabTo(tab, text('compare.split'));
    await keyboard.press('ArrowLeft');
    await expect.poll(() => tab.widget.locator('io-compare').getByRole('slider').inputValue()).not.toBe('50');
    await keyboard.press('Escape');
    await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(0);

    await tabTo(tab, text('export.some', { count: 2 }));
    await keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe(text('confirm.yes', { count: 2 }));
    await keyboard.press('Escape');
    await expect.poll(() => focusedName(page)).toBe(text('export.some', { count: 2 }));
    await keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe(text('confirm.yes', { count: 2 }));
    await keyboard.press('Enter');
    await tab.untilState('done');
    expect(await tab.ledger()).toMatchObject({ charged: 2, charges: 1 });

    const filename = (await tab.events('io-export'))[0]?.detail.results[0].filename as string;
    await tabTo(tab, text('row.download', { name: filename }), { back: true });
    const arriving = page.waitForEvent('download');
    await keyboard.press('Enter');
    expect((await arriving).suggestedFilename()).toBe(filename);

    // After a removal the focus is at the next remove button, and at the end at "Add images".
    await tabTo(tab, text('row.remove', { name: NAMES[0] ?? '' }), { back: true });
    await keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe(text('row.remove', { name: NAMES[1] ?? '' }));
    await keyboard.press('Enter');
    await expect.poll(() => focusedName(page)).toBe(text('dropzone.pick'));
    tab.expectQuiet();
  });

  it('the menu of the toolbar opens and closes, and undoes a text', async () => {
    const tab = await rig.open();
    const { keyboard } = tab.page;
    await tab.upload(1);
    const alt = field(rows(tab.widget).first(), 'alt');
    await alt.fill('A pattern');
    await alt.blur();
    const menu = tab.widget.getByRole('menu', { name: text('toolbar.more') });
    const more = tab.button(text('toolbar.more'));
    for (const key of ['Enter', 'Space', 'ArrowDown']) {
      await more.focus();
      await keyboard.press(key);
      await expect.poll(() => focusedName(tab.page)).toBe(text('toolbar.undo'));
      expect(await more.getAttribute('aria-haspopup')).toBe('menu');
      await keyboard.press('Escape');
      await expect.poll(() => menu.count()).toBe(0);
      expect(await focusedName(tab.page)).toBe(text('toolbar.more'));
    }
    await keyboard.press('Enter');
    const names = ['undo', 'redo', '', 'clear'].map((name) => text(name ? `toolbar.${name}` : 'take.title'));
    const visited: string[] = [];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home', 'End']) {
      visited.push(await focusedName(tab.page));
      await keyboard.press(key);
    }
    expect([...visited, await focusedName(tab.page)]).toEqual([0, 1, 2, 3, 0, 3, 0, 3].map((at) => names[at]));
    // Nothing was undone yet: the entry keeps the focus, and the menu stays.
    await keyboard.press('Home');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    expect(await focusedName(tab.page)).toBe(text('toolbar.redo'));
    await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    await expect.poll(() => alt.inputValue()).toBe('');
    expect(await focusedName(tab.page)).toBe(text('toolbar.more'));
    // Leaving the menu closes it, and goes on from its button.
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    await expect.poll(() => menu.count()).toBe(0);
    expect(await focusedName(tab.page)).not.toBe(text('toolbar.more'));
    tab.expectQuiet();
  });

  it('an export can be cancelled within two steps', async () => {
    const tab = await rig.open({ credits: 10 });
    await tab.upload(2);
    await expect.poll(() => tab.widget.locator('button.export').isEnabled()).toBe(true);
    await tabTo(tab, text('export.some', { count: 2 }));
    rig.proxy.inject({ kind: 'stall', afterEvents: 1 }, { method: 'POST', path: /\/export$/ });
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => focusedName(tab.page)).toBe(text('confirm.yes', { count: 2 }));
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => rig.proxy.seen.some(({ fault }) => fault === 'stall')).toBe(true);
    // The state changes before it is rendered.
    await expect.poll(() => tab.button(text('action.cancel')).count()).toBe(1);
    expect(await tabTo(tab, text('action.cancel'))).toBeLessThanOrEqual(2);
    await tab.page.keyboard.press('Enter');
    const state = () => tab.widget.evaluate((element) => (element as unknown as { state: string }).state);
    await expect.poll(state).not.toBe('exporting');
    const { charged, refunded } = await tab.ledger();
    expect(charged - refunded).toBeLessThanOrEqual(2);
  });
});

describe('a screen reader', () => {
  it('gets short announcements, each once and in order', async () => {
    const tab = await rig.open({ credits: 10 });
    await pickByKeyboard(tab);
    await tab.untilState('ready');
    const heard = async () => (await tab.spoken()).filter((message) => !/\d+ percent$/.test(message));
    await expect.poll(heard).toContain(`polite: ${text('announce.done.upload', { count: 2 })}`);
    await tabTo(tab, text('toolbar.analyze'));
    await tab.page.keyboard.press('Enter');
    await expect.poll(heard).toContain(`polite: ${text('announce.done.analyze', { count: 2 })}`);
    await tab.exportAll();
    await expect.poll(heard).toContain(`polite: ${text('announce.done.export', { count: 2 })}`);
    rig.proxy.inject(
      { kind: 'answer', status: 401, json: { error: 'no', code: 'unauthorized' } },
      { method: 'POST', path: /\/sample$/, times: 9 },
    );
    await tab.widget.evaluate((element) =>
      (element as unknown as { sample(): Promise<void> }).sample().catch(() => {}),
    );
    await expect.poll(heard).toContainEqual(expect.stringMatching(/^assertive: /));
    rig.proxy.reset();
    expect(await heard()).toEqual([
      `polite: ${text('announce.added', { count: 2 })}`,
      `polite: ${text('announce.done.upload', { count: 2 })}`,
      `polite: ${text('announce.done.analyze', { count: 2 })}`,
      `polite: ${text('announce.done.export', { count: 2 })}`,
      `assertive: ${text('error.unauthorized')}`,
    ]);
  });
});

function isFocused(element: Element): boolean {
  return (element.getRootNode() as ShadowRoot).activeElement === element;
}
