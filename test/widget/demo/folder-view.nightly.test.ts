import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { charged } from '../../plugin-bridge/host/connect-shelf.ts';
import { photographs } from '../../plugin-bridge/host/photographs.ts';
import { expectAccessible } from '../../support/accessibility.ts';
import { type DemoRig, type DemoTab, openDemoRig, PROBE } from './demo-rig.ts';

/** Replaces the browser's folder dialog by the page's private file system. */
const PICKER = 'window.showDirectoryPicker = () => navigator.storage.getDirectory();';

describe('the folder of the demo page', () => {
  let rig: DemoRig;

  beforeAll(async () => {
    rig = await openDemoRig();
  });

  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  /** Returns names and checksums of the folder's files, without the backup. */
  const contents = ({ page }: DemoTab): Promise<Record<string, string>> =>
    page.evaluate(async () => {
      const found: Record<string, string> = {};
      for await (const [name, entry] of (await navigator.storage.getDirectory()).entries()) {
        if (entry.kind !== 'file') continue;
        const bytes = await (await (entry as FileSystemFileHandle).getFile()).arrayBuffer();
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
        found[name] = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
      }
      return found;
    });

  async function openFolder(count: number, options: { credits?: number } = {}) {
    return openFolderOf(await photographs(count), options);
  }

  async function openFolderOf(files: { name: string; bytes: Uint8Array }[], options: { credits?: number } = {}) {
    const tab = await rig.open({ search: '?mode=replace', setUp: PICKER, ...options });
    for (const { name, bytes } of files) {
      await tab.page.evaluate(
        async ([path, base64]) => {
          const root = await navigator.storage.getDirectory();
          const stream = await (await root.getFileHandle(path as string, { create: true })).createWritable();
          await stream.write(Uint8Array.from(atob(base64 as string), (letter) => letter.charCodeAt(0)));
          await stream.close();
        },
        [name, Buffer.from(bytes).toString('base64')],
      );
    }
    await tab.page.getByRole('button', { name: 'Use a folder on this computer' }).click();
    await tab.page.locator('.files li').first().waitFor();
    return { ...tab, before: Object.fromEntries(files.map(({ name, bytes }) => [name, sha256(bytes)])) };
  }

  it('explains that the browser gives pages no access to folders', async () => {
    const { page } = await rig.open({ search: '?mode=replace', setUp: 'delete window.showDirectoryPicker;' });
    const button = page.getByRole('button', { name: 'Use a folder on this computer' });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await expect
      .poll(() => page.locator('#folder-why').textContent())
      .toContain('This browser does not give pages access to a folder');
  });

  it('shows thumbnails in their EXIF orientation', async () => {
    const half = { create: { width: 150, height: 200, channels: 3 as const, background: '#0f0' } };
    const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#f00' } })
      .composite([{ input: half, left: 150, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { page } = await openFolderOf([{ name: 'upright.jpg', bytes }]);
    const thumb = page.locator('folder-thumb canvas');
    await thumb.waitFor();
    const { data, info } = await sharp(await thumb.screenshot())
      .raw()
      .toBuffer({ resolveWithObject: true });
    const colourAt = (x: number, y: number) => {
      const at = (Math.round(y * info.height) * info.width + Math.round(x * info.width)) * info.channels;
      return [...data.subarray(at, at + 2)].map((value) => value > 128);
    };
    const [red, green] = [
      [true, false],
      [false, true],
    ];
    expect([colourAt(0.3, 0.3), colourAt(0.7, 0.3)]).toEqual([red, red]);
    expect([colourAt(0.3, 0.7), colourAt(0.7, 0.7)]).toEqual([green, green]);
  });

  it('shows the cost, optimises and replaces all images at once, and restores each byte for byte', async () => {
    const tab = await openFolder(3);
    const { page, account, before } = tab;
    await page.getByRole('button', { name: 'Optimize and replace at once (3)' }).click();
    await expect.poll(() => page.locator('.ask p').textContent()).toMatch(/3 images: 3 of your 25 credits\./);
    expect(await charged(account)).toBe(0);
    await page.getByRole('button', { name: 'Spend and replace' }).click();
    await expect.poll(() => page.locator('.run p').first().textContent()).toContain('3 replaced');
    expect(Object.keys(await contents(tab)).sort()).toEqual(['photo-0.webp', 'photo-1.webp', 'photo-2.webp']);
    expect(await charged(account)).toBe(3);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Restore (3)' }).click();
    await expect.poll(() => contents(tab)).toEqual(before);
    tab.expectQuiet([PROBE]);
  });

  it('replaces single images after a review', async () => {
    const tab = await openFolder(2);
    const { page, before, widget } = tab;
    await page.getByLabel('photo-1.jpg').uncheck();
    await page.getByRole('button', { name: 'Review and optimize (1)' }).click();
    await tab.untilState('ready');
    await widget.evaluate((element) => (element as unknown as { export(): Promise<void> }).export());
    await tab.untilState('done');
    await widget
      .getByRole('button', { name: /^Replace/ })
      .first()
      .click();
    await expect.poll(() => page.locator('.status.replaced').count()).toBe(1);
    const files = await contents(tab);
    expect(Object.keys(files).sort()).toEqual(['photo-0.webp', 'photo-1.jpg']);
    expect(files['photo-1.jpg']).toBe(before['photo-1.jpg']);
  });

  it('resumes the run of a closed tab, and pays for nothing twice', async () => {
    const tab = await openFolder(12);
    const { page, account } = tab;
    await page.getByRole('button', { name: 'Optimize and replace at once (12)' }).click();
    await page.getByRole('button', { name: 'Spend and replace' }).click();
    await page.locator('.status.replaced').first().waitFor();
    await tab.visit();
    await tab.connect();
    await page.getByRole('button', { name: 'Use a folder on this computer' }).click();
    await page.getByRole('button', { name: /^Resume \(\d+ left\)/ }).click();
    const progress = () => page.locator('.run p').first().textContent();
    await expect.poll(progress).toMatch(/^12 of 12: 12 replaced, 0 skipped, 0 failed/);
    expect(Object.keys(await contents(tab)).filter((name) => name.endsWith('.webp'))).toHaveLength(12);
    expect(await charged(account)).toBe(12);
  });

  it('does not start a run without enough credits', async () => {
    const { page, account } = await openFolder(3, { credits: 2 });
    await page.getByRole('button', { name: 'Optimize and replace at once (3)' }).click();
    await expect.poll(() => page.locator('.ask p').textContent()).toContain('1 are missing');
    await expect.poll(() => page.getByRole('button', { name: 'Spend and replace' }).isDisabled()).toBe(true);
    expect(await charged(account)).toBe(0);
  });
});
