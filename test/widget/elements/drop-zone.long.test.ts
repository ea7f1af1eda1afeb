import type { FileChooser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { drag, focused, rowCount } from './elements-rig.ts';

describe('the drop zone', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  const overlay = (tab: WidgetTab) => tab.widget.locator('[part=drop-overlay]');
  const pasteInto = (tab: WidgetTab, selector: string, files: string[]) =>
    tab.page.locator(selector).evaluate((element, names) => {
      const clipboardData = new DataTransfer();
      for (const name of names) clipboardData.items.add(new File(['x'], name, { type: 'image/png' }));
      if (names.length === 0) clipboardData.setData('text/plain', 'words');
      const event = new ClipboardEvent('paste', { bubbles: true, composed: true, cancelable: true, clipboardData });
      element.dispatchEvent(event);
      return event.defaultPrevented;
    }, files);

  it('opens the file dialog by the keyboard, also when there are images', async () => {
    const tab = await rig.open();
    const dialogs: FileChooser[] = [];
    tab.page.on('filechooser', (dialog) => dialogs.push(dialog));
    for (const count of [0, 1]) {
      if (count) await tab.upload(count);
      await tab.button(text('dropzone.pick')).focus();
      await expect.poll(() => focused(tab)).toBe(text('dropzone.pick'));
      await tab.page.keyboard.press('Enter');
      await expect.poll(() => dialogs.map((dialog) => dialog.isMultiple())).toEqual(Array(count + 1).fill(true));
      expect(await focused(tab)).toBe(text('dropzone.pick'));
    }
  });

  it('is shown while files are dragged over the page, announces when they enter it, and accepts the drop', async () => {
    const tab = await rig.open({ around: ['<p id="outside">text</p>', ''] });
    const outside = tab.page.locator('#outside');
    await drag(outside, 'dragenter');
    await expect.poll(() => overlay(tab).isVisible()).toBe(true);
    await drag(tab.widget, 'dragenter');
    await drag(outside, 'dragleave');
    await expect.poll(() => tab.spoken()).toEqual([`assertive: ${text('dropzone.entered')}`]);
    expect(await tab.widget.evaluate((element) => element.matches(':state(dragging)'))).toBe(true);
    await drag(tab.widget, 'dragleave');
    await expect.poll(() => tab.spoken()).toContain(`assertive: ${text('dropzone.left')}`);
    await expect.poll(() => overlay(tab).isVisible()).toBe(false);
    await drag(tab.widget, 'dragenter');
    await drag(tab.widget, 'drop', ['a.png', 'b.png']);
    await expect.poll(() => rowCount(tab)).toBe(2);
    expect((await tab.events('io-before-add')).map(({ detail }) => detail.source)).toEqual(['drop']);
    await expect.poll(() => overlay(tab).isVisible()).toBe(false);
  });

  it('forgets a drag that ends over a row that is removed meanwhile', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    const row = tab.widget.locator('io-row');
    await drag(row, 'dragenter');
    await expect.poll(() => overlay(tab).isVisible()).toBe(true);
    await tab.widget.evaluate((element) => {
      const { items, remove } = element as unknown as { items: { id: string }[]; remove(id?: string): void };
      remove.call(element, items[0]?.id);
    });
    // The removed row never tells that the drag has left it.
    await expect.poll(() => overlay(tab).isVisible()).toBe(false);
  });

  it('ignores drags without files, and all drags with no-drop or disabled', async () => {
    const tab = await rig.open({
      elements: [{ id: 'one', 'no-drop': true }, { id: 'two', disabled: true }, { id: 'three' }],
    });
    for (const id of ['one', 'two']) {
      await drag(tab.page.locator(`#${id}`), 'dragenter');
      await drag(tab.page.locator(`#${id}`), 'drop', ['a.png']);
    }
    const prevented = await tab.page.locator('#three').evaluate((element) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/plain', 'words');
      const event = new DragEvent('dragover', { bubbles: true, composed: true, cancelable: true, dataTransfer });
      element.dispatchEvent(event);
      return event.defaultPrevented;
    });
    expect(prevented).toBe(false);
    expect(await tab.events('io-before-add')).toEqual([]);
  });

  it('accepts pasted images while the focus is inside, but no pasted text', async () => {
    const tab = await rig.open({ around: ['<p id="outside">text</p>', ''] });
    await tab.page.mouse.move(0, 0);
    expect(await pasteInto(tab, '#outside', ['a.png'])).toBe(false);
    expect(await pasteInto(tab, 'image-optimizer', [])).toBe(false);
    expect(await pasteInto(tab, 'image-optimizer', ['a.png'])).toBe(true);
    await expect.poll(() => rowCount(tab)).toBe(1);
    await tab.widget.hover();
    expect(await pasteInto(tab, '#outside', ['b.png'])).toBe(true);
    await expect.poll(() => rowCount(tab)).toBe(2);
    expect((await tab.events('io-before-add')).map(({ detail }) => detail.source)).toEqual(['paste', 'paste']);
  });

  it('takes drops and pastes below a closed shadow root, and leaves text fields beside it alone', async () => {
    const tab = await rig.open();
    const found = await tab.widget.evaluate(async (element) => {
      const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' });
      const field = document.createElement('textarea');
      root.append(element, field);
      await new Promise(requestAnimationFrame);
      const send = (target: Element, name: string, file: string) => {
        const data = new DataTransfer();
        data.items.add(new File(['x'], file, { type: 'image/png' }));
        const init = { bubbles: true, composed: true, cancelable: true };
        const event =
          name === 'paste'
            ? new ClipboardEvent(name, { ...init, clipboardData: data })
            : new DragEvent(name, { ...init, dataTransfer: data });
        target.dispatchEvent(event);
        return event.defaultPrevented;
      };
      const inner = element.shadowRoot?.querySelector('*') as Element;
      const isOver = () => element.matches(':state(dragging)');
      send(field, 'dragenter', 'a.png');
      const beside = isOver();
      const taken = ['dragenter', 'dragover'].map((name) => send(inner, name, 'a.png'));
      const over = isOver();
      taken.push(send(inner, 'drop', 'a.png'), send(inner, 'paste', 'b.png'), send(field, 'paste', 'c.png'));
      return { beside, taken, over };
    });
    expect(found).toEqual({ beside: false, taken: [false, true, true, true, false], over: true });
    await expect
      .poll(async () => (await tab.events('io-before-add')).map(({ detail }) => detail.source))
      .toEqual(['drop', 'paste']);
  });

  it('leaves words of office programs, which add a picture of them, and fields of the page alone', async () => {
    const field = '<input id="field"><p id="editor" contenteditable>text</p>';
    const tab = await rig.open({ around: [field, ''] });
    const paste = (selector: string, words: string) =>
      tab.page.locator(selector).evaluate((element, words) => {
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
        if (words) clipboardData.setData('text/plain', words);
        const init = { bubbles: true, composed: true, cancelable: true, clipboardData };
        const event = new ClipboardEvent('paste', init);
        element.dispatchEvent(event);
        return event.defaultPrevented;
      }, words);
    await tab.widget.hover();
    expect(await paste('image-optimizer', 'Price\t12\nSum\t30')).toBe(false);
    expect(await paste('#field', '')).toBe(false);
    expect(await paste('#editor', '')).toBe(false);
    expect(await tab.events('io-before-add')).toEqual([]);
    // Some systems add the path of a copied file.
    expect(await paste('image-optimizer', '/home/me/image.png')).toBe(true);
    await expect.poll(() => rowCount(tab)).toBe(1);
  });

  it('reports a single rejected file once, with its reason', async () => {
    const tab = await rig.open();
    await drag(tab.widget, 'drop', ['b.txt']);
    const notice = tab.widget.locator('.notice');
    await expect.poll(() => notice.textContent()).toContain(text('reject.type', { name: 'b.txt', format: 'TXT' }));
    expect((await notice.textContent())?.match(/b\.txt/g)).toHaveLength(1);
  });

  it('lists rejected files once, until the list is dismissed', async () => {
    const tab = await rig.open();
    await drag(tab.widget, 'drop', ['b.txt', 'c.txt']);
    await expect.poll(() => tab.widget.locator('.notice').count()).toBe(1);
    await expect.poll(() => tab.widget.locator('.files li').count()).toBe(2);
    expect(await tab.events('io-reject')).toHaveLength(1);
    await tab.button(text('notice.dismiss')).click();
    await expect.poll(() => tab.widget.locator('.notice').count()).toBe(0);
  });
});
