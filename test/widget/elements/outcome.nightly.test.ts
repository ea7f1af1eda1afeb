import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../../support/widget-rig.ts';
import { holdRequests } from '../hold-requests.ts';
import { rows, textOf } from '../read-page.ts';
import { focused } from './elements-rig.ts';

const PHOTO = 'small/photo-dogs-portrait.jpg';

/** Colours of the theme; other colours are named after the nearest one. */
const COLORS = {
  success: 'rgb(1, 120, 1)',
  warning: 'rgb(180, 90, 1)',
  accent: 'rgb(1, 1, 200)',
  muted: 'rgb(90, 90, 90)',
};
const CSS = `image-optimizer {
  ${Object.entries(COLORS)
    .map(([name, color]) => `--io-color-${name}: ${color};`)
    .join('\n')}
  --io-color-text: rgb(0, 0, 0); --io-color-surface: rgb(255, 255, 255);
}`;

const outcome = ({ widget }: WidgetTab) => widget.locator('.outcome');

/** Returns the theme colour of the figure. */
function toneOf(place: Locator): Promise<string> {
  return place.evaluate((element, colors) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (!canvas) return '';
    const pixelOf = (color: string) => {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const drawn = pixelOf(getComputedStyle(element).color);
    const distance = (color: string) =>
      pixelOf(color).reduce((sum, value, at) => sum + Math.abs(value - (drawn[at] ?? 0)), 0);
    return Object.entries(colors).sort(([, a], [, b]) => distance(a) - distance(b))[0]?.[0] ?? '';
  }, COLORS);
}

const set = ({ widget }: WidgetTab, settings: Record<string, unknown>) =>
  widget.evaluate((element, changes) => Object.assign(element, { settings: changes }), settings);

describe('the outcome of an export or a sample', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  /** Opens an element that has exported `count` images. */
  async function openExported(count: number): Promise<WidgetTab> {
    const tab = await rig.open({ credits: count });
    await tab.upload(count);
    await tab.exportAll();
    await tab.untilState('done');
    return tab;
  }

  it('is shown as success if files became smaller, and as a warning with advice if they became larger', async () => {
    const tab = await rig.open({ css: CSS });
    await tab.pick(PHOTO);
    await tab.untilState('ready');
    await tab.exportAll();
    await tab.untilState('done');
    const why = (settings: string) => text('outcome.larger-why', { settings });
    await expect.poll(() => textOf(outcome(tab))).toContain(text('outcome.smaller'));
    expect(await toneOf(outcome(tab).locator('.figure'))).toBe('success');
    expect(await toneOf(rows(tab.widget).locator('.saving .good'))).toBe('success');
    expect(await textOf(outcome(tab))).not.toContain(why('WebP · High'));

    await set(tab, { format: 'png' });
    await expect.poll(() => tab.widget.locator('button.export').count()).toBe(1);
    // The outcome belongs to the shown settings: other ones make it stale.
    expect(await outcome(tab).count()).toBe(0);
    await tab.exportAll();
    await tab.untilState('done');
    await expect.poll(() => textOf(outcome(tab))).toContain(text('outcome.larger'));
    expect(await textOf(outcome(tab))).toContain(why('PNG · High'));
    expect(await toneOf(outcome(tab).locator('.figure'))).toBe('warning');
    expect(await toneOf(rows(tab.widget).locator('.saving .worse'))).toBe('warning');

    await set(tab, { onlySmaller: true });
    await expect.poll(() => tab.widget.locator('button.export').count()).toBe(1);
    await tab.exportAll();
    await tab.untilState('done');
    await expect.poll(() => textOf(rows(tab.widget))).toContain(text('warning.no_gain'));
    expect(await toneOf(outcome(tab).locator('.figure'))).toBe('accent');
    expect(await outcome(tab).locator('.ways button').count()).toBe(0);
    expect(await rows(tab.widget).locator('.result button').count()).toBe(0);
  });

  it('warns before an export, and marks a sample made with other settings', async () => {
    const tab = await rig.open({ css: CSS, elements: [{ format: 'png' }] });
    await tab.pick(PHOTO);
    await tab.untilState('ready');
    await tab.button(text('export.sample')).click();
    await expect.poll(() => outcome(tab).count()).toBe(1);
    await tab.page.keyboard.press('Escape');
    expect(await toneOf(outcome(tab).locator('.figure'))).toBe('warning');
    expect(await textOf(outcome(tab))).toContain(text('outcome.larger-why', { settings: 'PNG · High' }));
    expect(await textOf(outcome(tab))).toContain(text('sample.free'));

    await set(tab, { format: 'webp' });
    await expect.poll(() => textOf(outcome(tab))).toContain(text('sample.stale'));
    expect(await textOf(outcome(tab))).not.toContain(text('outcome.larger-why', { settings: 'WebP · High' }));
    expect(await toneOf(outcome(tab).locator('.figure'))).toBe('muted');
    await set(tab, { format: 'png', preset: 'low' });
    expect(await textOf(outcome(tab))).toContain(text('sample.stale'));
    await set(tab, { preset: 'high' });
    await expect.poll(() => textOf(outcome(tab))).toContain(text('sample.free'));
  });

  it('marks a sample whose formats are not those of the settings', async () => {
    const tab = await rig.open({ css: CSS, elements: [{ format: 'jpeg' }] });
    await set(tab, { formats: ['webp', 'png'] });
    await tab.pick(PHOTO);
    await tab.untilState('ready');
    await tab.button(text('export.sample')).click();
    await expect.poll(() => outcome(tab).count()).toBe(1);
    await tab.page.keyboard.press('Escape');
    expect(await textOf(outcome(tab))).toContain(text('sample.free'));
    for (const formats of [['webp'], ['webp', 'avif'], ['png', 'webp'], undefined]) {
      await set(tab, { formats });
      await expect
        .poll(() => textOf(outcome(tab)), { message: JSON.stringify(formats) })
        .toContain(text('sample.stale'));
      await set(tab, { formats: ['webp', 'png'] });
      await expect.poll(() => textOf(outcome(tab))).toContain(text('sample.free'));
    }
  });

  it('moves the focus to the cancel button and then to the results, also after a sample was compared', async () => {
    const tab = await rig.open({ credits: 3 });
    await tab.upload(2);
    await tab.button(text('export.sample')).click();
    await expect.poll(() => tab.widget.locator('io-compare').count()).toBe(1);
    await tab.page.keyboard.press('Escape');
    await expect.poll(() => focused(tab)).toBe(text('action.compare'));
    const goOn = await holdRequests(tab.page, /\/export$/);
    await tab.exportAll();
    await tab.untilState('exporting');
    await expect.poll(() => focused(tab)).toBe(text('action.cancel'));
    goOn();
    await tab.untilState('done');
    await expect.poll(() => focused(tab)).toBe(text('outcome.download-all'));
  });

  it('shows the progress of downloads from a slow service', async () => {
    const tab = await openExported(2);
    const release: (() => void)[] = [];
    await tab.page.route(/\/download/, async (route) => {
      await new Promise<void>((resolve) => release.push(resolve));
      await route.continue();
    });
    const all = tab.widget.locator('.bar .download-all');
    await all.click();
    await expect.poll(() => textOf(all)).toContain(text('compare.position', { index: 1, count: 2 }));
    await expect.poll(() => all.getAttribute('aria-busy')).toBe('true');
    release[0]?.();
    await expect.poll(() => textOf(all)).toContain(text('compare.position', { index: 2, count: 2 }));
    await expect.poll(() => release.length).toBe(2);
    release[1]?.();
    await expect.poll(() => textOf(all)).toBe(text('outcome.download-all'));
    expect(await all.getAttribute('aria-busy')).toBeNull();

    const one = rows(tab.widget).first().locator('[data-control=download]');
    await one.click();
    await expect.poll(() => one.getAttribute('aria-busy')).toBe('true');
    await expect.poll(() => release.length).toBe(3);
    release[2]?.();
    await expect.poll(() => one.getAttribute('aria-busy')).toBeNull();
  });

  it('continues after a failed file, lists missing files, and downloads them with the next try', async () => {
    const tab = await openExported(3);
    const json = { error: 'broken', code: 'internal_error' };
    rig.proxy.inject({ kind: 'answer', status: 500, json }, { path: /\/download/, times: 1 });
    const saved: string[] = [];
    tab.page.on('download', (file) => saved.push(file.suggestedFilename()));
    const all = tab.widget.locator('.bar .download-all');
    await all.click();
    const notice = tab.widget.locator('.notice');
    await expect.poll(() => textOf(notice)).toContain(text('error.server'));
    await expect.poll(() => textOf(all)).toBe(text('outcome.download-all'));
    await expect.poll(() => saved.length).toBe(2);
    const name = (await textOf(notice)).split(' · ')[0] ?? '';
    expect(saved).not.toContain(name);
    await expect.poll(() => tab.spoken()).toContain(`assertive: ${text('notice.download_failed', { count: 1 })}`);
    await expect.poll(() => tab.spoken()).toContain(`polite: ${text('announce.done.download', { count: 2 })}`);

    await notice.getByRole('button', { name: text('action.retry') }).focus();
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => notice.count()).toBe(0);
    await expect.poll(() => saved).toContain(name);
    // The pressed button was removed.
    await expect.poll(() => focused(tab)).toBe(text('outcome.download-all'));
  });

  it('lists missing files also in a read-only element', async () => {
    const tab = await openExported(2);
    await tab.widget.evaluate((element) => Object.assign(element, { readonly: true }));
    const json = { error: 'broken', code: 'internal_error' };
    rig.proxy.inject({ kind: 'answer', status: 500, json }, { path: /\/download/, times: 2 });
    await tab.widget.locator('.bar .download-all').click();
    const notice = tab.widget.locator('.notice');
    await expect.poll(() => notice.locator('.files li').count()).toBe(2);
    expect(await textOf(notice)).toContain(text('notice.download_failed', { count: 2 }));
    await expect.poll(() => notice.getByRole('button', { name: text('action.retry') }).count()).toBe(1);
    rig.proxy.reset();
  });

  it('asks for confirmation without a cost if the service does not return one', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    const json = { error: 'Internal error', code: 'internal_error' };
    rig.proxy.inject({ kind: 'answer', status: 500, json }, { path: /\/credits\/check/, times: 99 });
    await tab.widget.locator('button.export').click();
    await expect.poll(() => textOf(tab.widget.locator('dialog'))).toContain(text('cost.failed'));
    expect(await textOf(tab.widget.locator('dialog'))).not.toContain('…');
    rig.proxy.reset();
  });

  it('offers no retry for images the service no longer has, and explains what to do', async () => {
    const tab = await rig.open();
    await tab.upload(1);
    const json = { error: 'gone', code: 'session_not_found' };
    rig.proxy.inject({ kind: 'answer', status: 404, json }, { method: 'POST', path: /\/export$/, times: 99 });
    await tab.exportAll();
    await expect.poll(() => textOf(tab.widget.locator('.notices'))).toContain(text('notice.expired', { hours: 24 }));
    expect(await tab.button(text('action.retry')).count()).toBe(0);
    await expect.poll(() => tab.button(text('notice.renew')).count()).toBe(1);
    rig.proxy.reset();
  });
});

describe('the buttons above the list', () => {
  let rig: WidgetRig;

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  it('keep the focus and do nothing while they are disabled', async () => {
    const tab = await rig.open();
    await tab.upload(2);
    const analyze = tab.button(text('toolbar.analyze'));
    rig.vision.mode = 'hang';
    const { length } = rig.vision.requests;
    await analyze.click();
    await tab.untilState('analyzing');
    // A cancellation before the response would repeat the request to learn the job's id.
    await expect.poll(() => rig.vision.requests.length).toBeGreaterThan(length);
    await expect.poll(() => analyze.getAttribute('aria-disabled')).toBe('true');
    expect(await focused(tab)).toBe(text('toolbar.analyze'));
    const asked = rig.proxy.seen.filter(({ path }) => /analyze/.test(path)).length;
    await tab.page.keyboard.press('Enter');
    await tab.button(text('action.cancel')).click();
    await tab.untilState('ready');
    rig.vision.reset();
    expect(rig.proxy.seen.filter(({ path }) => /analyze/.test(path)).length).toBe(asked);
  });

  it('offer to retry in one place: in the notice, or else in the toolbar', async () => {
    const tab = await rig.open({ elements: [{ retries: '0' }] });
    const json = { error: 'busy', code: 'overloaded' };
    rig.proxy.inject({ kind: 'answer', status: 503, json }, { path: /^\/v1\/sessions$/, times: 99 });
    await tab.pick('small/graphic-badge-alpha.png');
    const notice = tab.widget.locator('.notice');
    await expect.poll(() => notice.count()).toBe(1);
    const again = tab.button(text('toolbar.retry', { count: 1 }));
    await expect.poll(() => notice.getByRole('button', { name: text('action.retry') }).count()).toBe(1);
    expect(await again.count()).toBe(0);
    await notice.getByRole('button', { name: text('notice.dismiss') }).click();
    await expect.poll(() => again.count()).toBe(1);
    rig.proxy.reset();
  });
});
