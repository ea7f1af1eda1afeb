import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { plainImage, plainImages } from '../support/small-images.ts';
import { fixture, openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { canvasStats, field, rows, textOf } from './read-page.ts';

let rig: WidgetRig;
let folder: string;

beforeAll(async () => {
  rig = await openWidgetRig();
  folder = await mkdtemp(join(tmpdir(), 'imagewright-drop-'));
  const [a, b, c] = await plainImages(3);
  await mkdir(join(folder, 'photos/summer/empty'), { recursive: true });
  await writeFile(join(folder, 'photos/a.png'), a?.bytes ?? '');
  await writeFile(join(folder, 'photos/summer/b.png'), b?.bytes ?? '');
  await writeFile(join(folder, 'photos/summer/notes.txt'), 'no image');
  await writeFile(join(folder, 'c.png'), c?.bytes ?? '');
  await cp(fixture('small/graphic-badge-alpha.png'), join(folder, 'photos/summer/badge.png'));
});
afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});
afterEach(() => rig.proxy.reset());

const names = async (tab: WidgetTab) =>
  (await tab.events('io-add')).flatMap(({ detail }) => detail.items.map((item: { name: string }) => item.name)).sort();

/** Simulates the events of a drop of files on the element. */
async function dropFromSystem(tab: WidgetTab, files: string[]): Promise<void> {
  const box = await tab.widget.boundingBox();
  const devtools = await tab.context.newCDPSession(tab.page);
  const at = { x: (box?.x ?? 0) + 200, y: (box?.y ?? 0) + 100 };
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', { type, ...at, data });
  }
}

describe('files are added', () => {
  it('from a dropped folder with its subfolders, and from files beside it', async () => {
    const tab = await rig.open();
    await dropFromSystem(tab, [join(folder, 'photos'), join(folder, 'c.png')]);
    await expect.poll(() => names(tab)).toEqual(['a.png', 'b.png', 'badge.png', 'c.png']);
    const [before] = await tab.events('io-before-add');
    expect(before?.detail.source).toMatch(/drop|folder/);
    expect((await tab.events('io-reject')).flatMap(({ detail }) => detail.rejections)).toMatchObject([
      { name: 'notes.txt', code: 'type' },
    ]);
    await tab.untilState('ready');
    expect(await textOf(tab.widget)).toContain('summer/b.png');
    // The page did not navigate to the dropped file.
    expect(tab.page.url()).toContain('/host/');
    tab.expectQuiet();
  });

  it('from the clipboard if the focus is inside, and get a name', async () => {
    const tab = await rig.open({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    const { bytes } = await plainImage('red.png', { colour: '#ff0000' });
    await tab.page.evaluate(
      async (data) => {
        const blob = new Blob([new Uint8Array(data)], { type: 'image/png' });
        await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
      },
      [...bytes],
    );
    await tab.button(text('dropzone.pick')).focus();
    await tab.page.keyboard.press('Control+V');
    await expect.poll(() => names(tab)).toEqual([expect.stringMatching(/\.png$/)]);
    expect((await tab.events('io-before-add'))[0]?.detail.source).toBe('paste');
    await tab.untilState('ready');
    tab.expectQuiet();
  });

  it('by the page’s code, and a listener can reject them', async () => {
    const tab = await rig.open();
    await tab.page.evaluate(() => {
      document.addEventListener('io-before-add', (event) => event.preventDefault(), { once: true });
    });
    const add = () =>
      tab.widget.evaluate(async (element) => {
        const canvas = document.createElement('canvas');
        const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
        const file = new File([blob as Blob], 'drawn.png', { type: 'image/png' });
        await (element as unknown as { addFiles(files: File[]): Promise<unknown> }).addFiles([file]);
      });
    await add();
    expect(await names(tab)).toEqual([]);
    await add();
    expect(await names(tab)).toEqual(['drawn.png']);
  });

  it('or rejected with a reason each, in one message', async () => {
    const tab = await rig.open({ elements: [{ 'max-file-size': '70000', 'max-files': '2' }] });
    const image = async (name: string, colour: string) => plainImage(name, { colour });
    await tab.pick('small/photo-dogs-portrait.jpg');
    await tab.pick(
      await image('one.png', '#111111'),
      await image('two.png', '#222222'),
      await image('three.png', '#333333'),
      { name: 'empty.png', bytes: new Uint8Array() },
    );
    await expect.poll(async () => (await tab.events('io-reject')).length).toBe(2);
    const codes = (await tab.events('io-reject')).map(({ detail }) =>
      detail.rejections.map(({ name, code }: { name: string; code: string }) => `${name} ${code}`).sort(),
    );
    expect(codes).toEqual([['photo-dogs-portrait.jpg size'], ['empty.png empty', 'three.png count']]);
    expect(await textOf(tab.widget.locator('.notices'))).toContain('three.png');
  });
});

describe('a lost connection', () => {
  it('pauses the uploads with a message, and resumes them when it is back', async () => {
    const tab = await rig.open();
    rig.proxy.inject({ kind: 'hang' }, { method: 'POST', path: /^\/v1\/sessions$/ });
    await tab.pick(...(await plainImages(4)));
    // A request that is sent after the connection is back would hang.
    await expect.poll(() => rig.proxy.seen.filter(({ fault }) => fault === 'hang').length).toBe(1);
    await tab.context.setOffline(true);
    await expect.poll(() => textOf(tab.widget.locator('.notices'))).toContain(text('notice.offline'));
    expect(await tab.events('io-upload')).toEqual([]);
    await tab.context.setOffline(false);
    await expect.poll(async () => (await tab.events('io-upload')).length).toBe(4);
    await tab.untilState('ready');
    expect(await tab.events('io-error')).toEqual([]);
  });
});

describe('a reloaded page', () => {
  it('restores images, texts, edits, thumbnails and results', async () => {
    const tab = await rig.open({ credits: 5 });
    await tab.pick('small/graphic-badge-alpha.png', 'small/photo-dogs-portrait.jpg');
    await tab.untilState('ready');
    await tab.button(text('toolbar.analyze')).click();
    await expect.poll(async () => (await tab.events('io-analyze')).length).toBe(1);
    const alt = field(rows(tab.widget).first(), 'alt');
    await alt.fill('A badge, as a person wrote it');
    await alt.press('Enter');
    await tab.exportAll();
    await tab.untilState('done');
    const sessionId = (await tab.widget.getAttribute('session-id')) ?? '';

    await tab.reload({ elements: [{ 'session-id': sessionId }] });
    await expect.poll(() => rows(tab.widget).count()).toBe(2);
    await expect.poll(() => field(rows(tab.widget).first(), 'alt').inputValue()).toBe('A badge, as a person wrote it');
    await expect.poll(() => field(rows(tab.widget).nth(1), 'alt').inputValue()).not.toBe('');
    await expect.poll(() => textOf(rows(tab.widget).nth(1))).toContain(text('row.exported'));
    for (const row of await rows(tab.widget).all()) {
      await expect.poll(() => canvasStats(row.locator('canvas'))).toMatchObject({ varied: true });
    }
    const arriving = tab.page.waitForEvent('download');
    await rows(tab.widget).first().locator('[data-control=download]').click();
    expect((await readFile(await (await arriving).path())).subarray(8, 12).toString()).toBe('WEBP');
    expect(await tab.ledger()).toMatchObject({ charged: 2, charges: 1 });
    tab.expectQuiet();
  });
});
