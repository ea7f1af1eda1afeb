import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '#contract';
import { GOOD_ANSWER } from '../support/fake-vision-server.ts';
import { openWidgetRig, text, type WidgetRig } from '../support/widget-rig.ts';
import { canvasStats, field, rows, textOf } from './read-page.ts';

const PHOTOS = ['photos/photo-dogs-portrait.jpg', 'photos/graphic-badge-alpha.png', 'photos/render-tiles.webp'];

describe('the whole flow with photographs', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('uploads, describes, edits, samples, compares, exports and downloads', async () => {
    const tab = await rig.open({ credits: 10 });
    const { page, widget } = tab;
    await tab.pick(...PHOTOS);
    await tab.untilState('ready');
    await expect.poll(() => rows(widget).count()).toBe(3);
    expect((await tab.events('io-upload')).map(({ detail }) => detail.image.originalFilename).sort()).toEqual(
      PHOTOS.map((path) => path.split('/')[1]).sort(),
    );

    // Thumbnails show the pictures, not a grey box.
    await expect.poll(() => canvasStats(rows(widget).locator('canvas').first())).toMatchObject({ varied: true });

    await tab.button(text('toolbar.analyze')).click();
    await tab.untilState('ready');
    expect(rig.vision.questions()).toHaveLength(3);
    for (const row of await rows(widget).all()) {
      await expect.poll(() => field(row, 'alt').inputValue()).toBe(GOOD_ANSWER.alt);
    }
    await expect.poll(() => textOf(rows(widget).first())).toContain(text('row.suggested'));

    const first = rows(widget).first();
    await field(first, 'alt').fill('Two dogs look into the camera');
    await field(first, 'alt').press('Enter');
    await field(first, 'filename').fill('two-dogs');
    await field(first, 'filename').press('Enter');
    const sessionId = (await widget.getAttribute('session-id')) ?? '';
    const stored = async () =>
      (await tab.account.api.readJson<Session>(`/v1/sessions/${sessionId}`)).images.find(({ originalFilename }) =>
        originalFilename.includes('dogs'),
      )?.metadata;
    await expect.poll(stored).toMatchObject({ alt: 'Two dogs look into the camera', filename: 'two-dogs' });
    expect((await stored())?.source).toMatchObject({ alt: 'user', filename: 'user', title: 'ai' });

    await expect.poll(() => textOf(widget.locator('io-cost'))).toContain(text('cost.credits', { count: 3 }));
    expect(await textOf(widget.locator('io-cost'))).toContain(text('cost.left', { count: 7 }));

    await tab.button(text('export.sample')).click();
    const compare = widget.locator('io-compare');
    await expect.poll(() => compare.count()).toBe(1);
    await expect.poll(() => canvasStats(compare.locator('canvas').first())).toMatchObject({ varied: true });
    await expect.poll(() => canvasStats(compare.locator('canvas').nth(1))).toMatchObject({ varied: true });
    expect(await textOf(compare)).toMatch(/\d (kB|MB) JPEG → WebP/);
    await expect.poll(() => textOf(widget.locator('.choose'))).toMatch(/\d+(\.\d)? kB · \d+% smaller/);
    // Nothing touches the edge of the window, and all presets are in sight.
    const [title, presets] = [compare.locator('h3'), widget.locator('.presets')];
    expect((await title.boundingBox())?.x).toBeGreaterThanOrEqual(8);
    await page.setViewportSize({ width: 390, height: 844 });
    const right = await presets
      .getByRole('button')
      .last()
      .evaluate((last) => last.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(390 - 8);
    await page.setViewportSize({ width: 1280, height: 720 });
    const divider = compare.getByRole('slider');
    await divider.focus();
    const before = Number(await divider.inputValue());
    await divider.press('ArrowRight');
    expect(Number(await divider.inputValue())).toBeGreaterThan(before);
    await expect.poll(() => divider.getAttribute('aria-valuetext')).toContain('%');
    expect((await tab.ledger()).charged).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => compare.count()).toBe(0);

    await tab.button(text('export.some', { count: 3 })).click();
    await tab.button(text('confirm.yes', { count: 3 })).click();
    await tab.untilState('done');
    const [exported] = await tab.events('io-export');
    expect(exported?.detail).toMatchObject({ succeeded: 3, failed: 0 });
    expect(await tab.ledger()).toEqual({ charged: 3, refunded: 0, charges: 1 });

    const arriving = page.waitForEvent('download');
    await first.getByRole('button', { name: text('row.download', { name: 'two-dogs.webp' }) }).click();
    const download = await arriving;
    expect(download.suggestedFilename()).toBe('two-dogs.webp');
    const bytes = await readFile(await download.path());
    const result = exported?.detail.results.find((each: { filename: string }) => each.filename === 'two-dogs.webp');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(result.variants[0].sha256);
    const original = await sharp('test/fixtures/photos/photo-dogs-portrait.jpg').metadata();
    const decoded = sharp(bytes);
    expect(await decoded.metadata()).toMatchObject({
      format: 'webp',
      width: original.autoOrient.width,
      height: original.autoOrient.height,
    });
    expect((await decoded.stats()).entropy).toBeGreaterThan(4);
    tab.expectQuiet();
  });
});
