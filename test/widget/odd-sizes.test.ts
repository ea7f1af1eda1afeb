import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { plainImage } from '../support/small-images.ts';
import { fixture, openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';
import { rows, textOf } from './read-page.ts';

/** Files with the extension of an image and other bytes. */
const NO_IMAGES = ['html-renamed.png', 'text-renamed.jpg', 'random-bytes.webp'];

describe('files of odd sizes and kinds, dropped together', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('are refused in one box with a reason each, or become rows that say what is wrong with them', async () => {
    const tab = await rig.open({ credits: 5 });
    await tab.widget.evaluate((element) =>
      (element as unknown as { optimizer: { loadLimits(): Promise<void> } }).optimizer.loadLimits(),
    );
    const nasty = async (name: string) => ({ name, bytes: await readFile(fixture(`nasty/${name}`)) });
    const files = [
      ...(await Promise.all([...NO_IMAGES, 'zero-byte.jpg', 'png-1x1.png'].map(nasty))),
      await plainImage('ribbon.png', { width: 60_000, height: 10 }),
    ].map(({ name, bytes }) => ({ name, bytes: [...bytes] }));
    await tab.widget.evaluate(async (element, files) => {
      const made = files.map(({ name, bytes }) => new File([new Uint8Array(bytes)], name));
      const part = new Blob([new Uint8Array(50_000_000)]);
      const film = new File(Array<Blob>(100).fill(part), 'film.jpg', { type: 'image/jpeg' });
      await (element as unknown as { addFiles(files: File[]): Promise<unknown> }).addFiles([film, ...made]);
    }, files);

    const notice = tab.widget.locator('.notice');
    await expect.poll(() => textOf(notice)).toContain(text('reject.count', { count: 5, total: 7 }));
    const reasons = await notice.locator('li').allTextContents();
    expect(reasons.sort()).toEqual(
      [
        text('reject.size', { name: 'film.jpg', size: '5 GB', max: '50 MB' }),
        text('reject.empty', { name: 'zero-byte.jpg' }),
        ...NO_IMAGES.map((name) => text('reject.unknown', { name })),
      ].sort(),
    );
    expect(await notice.locator('details').count()).toBe(0);

    await tab.untilState('ready');
    expect(await textOf(rows(tab.widget).first())).toContain('1 × 1');
    expect(await textOf(rows(tab.widget).last())).toContain('60000 × 10');
    await tab.exportAll();
    await expect.poll(() => textOf(rows(tab.widget).last())).toContain(text('error.output_too_large'));
    await tab.untilState('done');
    // Only the file that was made is paid.
    expect(await tab.ledger()).toMatchObject({ charged: 2, refunded: 1 });
  });
});
