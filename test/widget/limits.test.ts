import { beforeAll, describe, expect, it } from 'vitest';
import type { Limits } from '#contract';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';

describe('limits of the service', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  /** Adds made-up files: `bytes` zero bytes after `head`. */
  const add = (tab: WidgetTab, files: { name: string; head: number[]; bytes: number; type?: string }[]) =>
    tab.widget.evaluate(async (element, files) => {
      const made = files.map(
        ({ name, head, bytes, type = 'image/jpeg' }) =>
          new File([new Uint8Array(head), new Uint8Array(bytes)], name, { type }),
      );
      await (element as unknown as { addFiles(files: File[]): Promise<unknown> }).addFiles(made);
    }, files);
  const notice = ({ widget }: WidgetTab) => widget.locator('.notice');
  /** Head of a PNG of 9,000 x 7,000 pixels. */
  const LARGE = [
    ...[0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52],
    ...[0, 0, 0x23, 0x28, 0, 0, 0x1b, 0x58],
  ];
  const JPEG = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xda, 0, 2];

  it('are checked before a byte is sent, and named', async () => {
    const tab = await rig.open();
    // Files that are added before the limits are known are checked by the service, and the element waits a second for them.
    const largest = () =>
      tab.widget.evaluate(async (element) => {
        const { optimizer } = element as unknown as { optimizer: { limits: Limits; loadLimits(): Promise<void> } };
        await optimizer.loadLimits();
        return optimizer.limits.maxFileBytes;
      });
    await expect.poll(largest).toBe(50_000_000);
    await add(tab, [
      { name: 'scan.jpg', head: JPEG, bytes: 63_000_000 },
      { name: 'large.png', head: LARGE, bytes: 10, type: 'image/png' },
      { name: 'drawing.svg', head: [60], bytes: 9, type: 'image/svg+xml' },
      { name: 'cut.jpg', head: JPEG, bytes: 5000 },
    ]);
    const shown = async () => (await notice(tab).locator('li').allTextContents()).sort();
    await expect
      .poll(shown)
      .toEqual(
        [
          text('reject.size', { name: 'scan.jpg', size: '63 MB', max: '50 MB' }),
          text('reject.pixels', { name: 'large.png', megapixels: 63, max: 50 }),
          text('reject.type', { name: 'drawing.svg', format: 'SVG' }),
          text('reject.truncated', { name: 'cut.jpg' }),
        ].sort(),
      );
    expect(rig.proxy.seen.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(await tab.widget.locator('io-row').count()).toBe(0);
  });

  it('are known once images are there: the page says for how long they are kept', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    await expect.poll(() => tab.widget.locator('header').textContent()).toContain(text('kept', { hours: 24 }));
  });

  it('do not name HEIC in the file dialog, so that Safari converts it, and explain a dropped one', async () => {
    const tab = await rig.open();
    expect(await tab.widget.locator('input.files').getAttribute('accept')).not.toMatch(/hei[cf]/i);
    await add(tab, [{ name: 'IMG_1.HEIC', head: [0], bytes: 9, type: '' }]);
    await expect.poll(() => notice(tab).textContent()).toContain(text('reject.heic', { name: 'IMG_1.HEIC' }));
  });

  it('are not needed: behind a proxy that hides them, images are uploaded all the same', async () => {
    const tab = await rig.open();
    rig.proxy.inject({ kind: 'answer', status: 404, json: { error: 'no', code: 'not_found' } }, { path: /limits/ });
    await tab.upload(2);
    await tab.upload(2).catch(() => {});
    expect(rig.proxy.seen.filter(({ path }) => path.includes('limits'))).toHaveLength(1);
  });
});
