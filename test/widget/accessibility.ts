import { beforeAll, describe, expect, it } from 'vitest';
import { findAccessibilityProblems } from '../support/accessibility.ts';
import { findOddTexts } from '../support/odd-texts.ts';
import { findSmallTargets } from '../support/small-targets.ts';
import { openWidgetRig, text, type WidgetRig, type WidgetTab } from '../support/widget-rig.ts';
import { focused } from './elements/elements-rig.ts';
import { endSession, typeAlt, untilSaved } from './keeping.ts';
import { rows, textOf } from './read-page.ts';

/** Looks of a page, each with the steps that set it. */
const LOOKS = {
  'left to right': async () => {},
  'right to left': (tab: WidgetTab) => speak(tab, 'ar', 'rtl'),
  dark: (tab: WidgetTab) => tab.page.emulateMedia({ colorScheme: 'dark' }),
  'forced colours': (tab: WidgetTab) => tab.page.emulateMedia({ forcedColors: 'active' }),
  '320 pixels': (tab: WidgetTab) => tab.page.setViewportSize({ width: 320, height: 720 }),
  'text twice as large': (tab: WidgetTab) => setTextSize(tab, 32),
} satisfies Record<string, (tab: WidgetTab) => Promise<void>>;

/** Name of a look. */
export type Look = keyof typeof LOOKS;

/** Every look. */
export const ALL_LOOKS = Object.keys(LOOKS) as Look[];

/** Reasons why axe cannot measure a contrast. Each was checked by eye, and the text is measured in another state or look. */
const UNDECIDED = [
  // A row below the sticky bar, or behind a dialog.
  'color could not be determined because it is overlapped by another element',
  'color could not be determined because it partially overlaps other elements',
  'content is too short to determine if it is actual text content',
  'Element has no value; test color contrast with a value entered',
  // The arrow of a select is drawn beside its text.
  "Element's background color could not be determined due to a background gradient",
  // The labels of the comparison have a dark background: 9 to 1 above white.
  "Element's background color could not be determined due to a pseudo element",
  // System colours, unknown to the page.
  'Element has a 1:1 contrast ratio with the background',
];

async function speak({ page, widget }: WidgetTab, locale: string, dir: 'ltr' | 'rtl'): Promise<void> {
  await page.evaluate(
    ([lang, direction]) => Object.assign(document.documentElement, { lang, dir: direction }),
    [locale, dir],
  );
  await widget.evaluate((element, lang) => Object.assign(element, { locale: lang }), locale);
  await expect.poll(() => widget.locator('.base').first().getAttribute('dir')).toBe(dir);
}

/** Sets the default text size of the browser, in pixels. */
async function setTextSize({ page, context, widget }: WidgetTab, standard: number): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } });
  await session.detach();
  const sizeInside = () =>
    widget
      .locator('.base')
      .first()
      .evaluate((base) => getComputedStyle(base).fontSize);
  await expect.poll(sizeInside).toBe(`${standard * 0.875}px`);
}

async function lookPlain(tab: WidgetTab): Promise<void> {
  await tab.page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  await tab.page.setViewportSize({ width: 1280, height: 900 });
  await setTextSize(tab, 16);
  await speak(tab, 'en', 'ltr');
}

/** Waits for the end of colour transitions, which have a low contrast halfway. */
async function settle({ page }: WidgetTab): Promise<void> {
  await page.evaluate(async () => {
    const animationsIn = (root: Document | ShadowRoot): Animation[] => [
      ...root.getAnimations(),
      ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) => (shadowRoot ? animationsIn(shadowRoot) : [])),
    ];
    for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    for (const animation of animationsIn(document)) {
      if (animation.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) animation.finish();
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

/** Scrolls everything that scrolls, shadow roots included, to a place between its start (0) and its end (1). */
async function scrollAll({ page }: WidgetTab, place: number): Promise<void> {
  await page.evaluate((share) => {
    const scroll = (root: Document | ShadowRoot) => {
      for (const element of root.querySelectorAll('*')) {
        element.scrollTop = (element.scrollHeight - element.clientHeight) * share;
        if (element.shadowRoot) scroll(element.shadowRoot);
      }
    };
    scroll(document);
  }, place);
}

/** Returns rule and element of a problem, without the figures that change with the place. */
const placeOf = (problem: string) => problem.split(' (')[0];

/** Returns violations, and undecided contrasts without a known reason. */
async function problemsOf({ page }: WidgetTab): Promise<string[]> {
  const found = await findAccessibilityProblems(page, { open: true });
  return found.filter(
    (problem) => !(/^color-contrast/.test(problem) && UNDECIDED.some((why) => problem.includes(why))),
  );
}

/** Expects that axe finds no problem in the current state, in any of these looks. */
async function expectAccessibleIn(looks: readonly Look[], tab: WidgetTab, state: string): Promise<void> {
  const found: string[] = [];
  for (const look of looks) {
    await LOOKS[look](tab);
    await settle(tab);
    let problems = await problemsOf(tab);
    // A problem may be a transition, or a control half below a sticky bar; one that lasts at every place is an error.
    for (const place of [1, 0, 0.5]) {
      if (problems.length === 0) break;
      await scrollAll(tab, place);
      await settle(tab);
      const lasting = new Set((await problemsOf(tab)).map(placeOf));
      problems = problems.filter((problem) => lasting.has(placeOf(problem)));
    }
    found.push(...problems.map((problem) => `${state}, ${look}: ${problem.replace(/\s+/g, ' ').slice(0, 400)}`));
    // The page never scrolls sideways.
    const overflow = await tab.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) found.push(`${state}, ${look}: ${overflow} pixels wider than the window`);
    await lookPlain(tab);
    await settle(tab);
  }
  const others = [...(await findOddTexts(tab.page, 'image-optimizer')), ...(await findSmallTargets(tab.page))];
  found.push(...others.map((problem) => `${state}, ${problem}`));
  expect(found).toEqual([]);
}

const CALM = { context: { reducedMotion: 'reduce' as const } };
const SMALL_FIXTURES = ['small/graphic-badge-alpha.png', 'small/photo-dogs-portrait.jpg'];

/** Defines tests that axe finds no problem in any state of the element, in each of these looks. */
export function testAccessibility(looks: readonly Look[]): void {
  let rig: WidgetRig;
  const expectAccessible = (tab: WidgetTab, state: string) => expectAccessibleIn(looks, tab, state);

  beforeAll(async () => {
    rig = await openWidgetRig();
  });

  describe(`axe finds no problem (${looks.join(', ')})`, () => {
    it('without images, with rejected files, and with running and failed uploads', async () => {
      const tab = await rig.open(CALM);
      await expectAccessible(tab, 'empty');
      rig.proxy.inject({ kind: 'hang' }, { method: 'POST', path: /^\/v1\/sessions$/ });
      await tab.pick(...SMALL_FIXTURES, 'photos/manifest.json');
      await expect.poll(async () => (await tab.events('io-reject')).length).toBe(1);
      await expectAccessible(tab, 'uploading, with a file refused');
      rig.proxy.reset();

      const failing = await rig.open({ ...CALM, elements: [{ retries: '1' }] });
      const json = { error: 'too large', code: 'request_too_large' };
      rig.proxy.inject({ kind: 'answer', status: 413, json }, { method: 'POST', path: /\/v1\/sessions/, times: 99 });
      await failing.pick(...SMALL_FIXTURES);
      await expect.poll(() => rows(failing.widget).locator('.failure').count()).toBe(2);
      await expectAccessible(failing, 'uploads failed');
      rig.proxy.reset();
    });

    it('from the review to the results', async () => {
      const tab = await rig.open({ ...CALM, credits: 10 });
      await tab.pick(...SMALL_FIXTURES);
      await tab.untilState('ready');
      await expectAccessible(tab, 'ready');

      rig.vision.mode = 'hang';
      await tab.button(text('toolbar.analyze')).click();
      await tab.untilState('analyzing');
      await expectAccessible(tab, 'analyzing');
      await tab.button(text('action.cancel')).click();
      await tab.untilState('ready');
      rig.vision.reset();
      await tab.widget.evaluate((element) => (element as unknown as { analyze(): Promise<void> }).analyze());
      await expect.poll(() => textOf(rows(tab.widget).first())).toContain(text('row.suggested'));
      await expectAccessible(tab, 'described');

      await tab.button(text('reviewing.title')).click();
      await expect.poll(() => tab.widget.locator('io-review .picture canvas').count()).toBe(1);
      await expectAccessible(tab, 'reviewing');
      const acceptAll = tab.widget.locator('io-review .side > .quiet');
      await acceptAll.click();
      await expectAccessible(tab, 'asked whether to accept all');
      await acceptAll.click();
      await expect.poll(() => tab.widget.locator('io-review .end').count()).toBe(1);
      await expectAccessible(tab, 'reviewed');
      await expect.poll(() => focused(tab)).toBe(text('action.close'));
      await tab.page.keyboard.press('Enter');
      await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(0);

      await tab.widget.evaluate((element) => Object.assign(element, { responsive: true, responsiveSizes: [480, 960] }));
      await tab.button(text('settings.change')).click();
      for (const summary of await tab.widget.locator('summary').all()) await summary.click();
      await expectAccessible(tab, 'settings open, with sizes');
      await tab.page.keyboard.press('Escape');
      for (const more of await rows(tab.widget).locator('[data-control=more]').all()) await more.click();
      await expectAccessible(tab, 'rows open');

      await tab.button(text('export.sample')).click();
      await expect.poll(() => tab.widget.locator('io-compare').getByRole('slider').isEnabled()).toBe(true);
      await expectAccessible(tab, 'comparing a sample');
      await tab.button(/^Low/).click();
      await expect.poll(() => tab.button(text('trial.use', { preset: 'Low' })).count()).toBe(1);
      await expectAccessible(tab, 'comparing another preset');
      await tab.page.keyboard.press('Escape');

      await tab.widget.locator('button.export').click();
      await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(1);
      await expectAccessible(tab, 'asking before the export');
      rig.proxy.inject({ kind: 'stall', afterEvents: 1 }, { method: 'POST', path: /\/export$/ });
      await tab.widget.locator('dialog button[value=yes]').click();
      await tab.untilState('exporting');
      await expectAccessible(tab, 'exporting');
      await tab.button(text('action.cancel')).click();
      await expect
        .poll(() => tab.widget.evaluate((element) => (element as unknown as { state: string }).state))
        .not.toBe('exporting');
      // The service may have finished the export before the cancel.
      if ((await tab.widget.locator('button.export').count()) > 0) await tab.exportAll();
      await tab.untilState('done');
      await expectAccessible(tab, 'results');

      await tab.button(text('take.title')).click();
      await expect.poll(() => tab.widget.locator('io-take-away button').count()).toBeGreaterThan(3);
      await expectAccessible(tab, 'taking texts and files away');
      await tab.page.keyboard.press('Escape');

      await tab.button(text('toolbar.more')).click();
      await tab.widget.getByRole('menu').waitFor();
      await expectAccessible(tab, 'menu of the toolbar');
      await tab.widget.getByRole('menuitem', { name: text('toolbar.clear') }).click();
      await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(1);
      await expectAccessible(tab, 'asking before the list is cleared');
      await tab.page.keyboard.press('Escape');
    });

    it('with warnings before an export, and when the session has ended', async () => {
      const tab = await rig.open({ ...CALM, credits: 10, elements: [{ format: 'png', remember: 'test' }] });
      await tab.pick(...SMALL_FIXTURES);
      await tab.untilState('ready');
      await tab.widget.locator('button.export').click();
      await tab.widget.getByText(text('confirm.missing', { count: 2 })).waitFor();
      await tab.widget.getByText(text('confirm.larger', { count: 1, format: 'PNG' })).waitFor();
      await expectAccessible(tab, 'warning before the export');
      await tab.page.keyboard.press('Escape');

      await typeAlt(tab, 0, 'A badge');
      await untilSaved(tab);
      await endSession(tab);
      await typeAlt(tab, 1, 'A dog');
      await tab.page.keyboard.press('Enter');
      await tab.button(text('notice.renew')).waitFor();
      await expectAccessible(tab, 'session ended');
      await tab.page.reload();
      await tab.widget.getByText(text('error.file_gone')).first().waitFor();
      await expectAccessible(tab, 'files gone');
    });

    it('in the grid, while images are searched and selected, and asking for their texts', async () => {
      const tab = await rig.open(CALM);
      await tab.upload(6);
      await tab.button(text('finder.grid')).click();
      await expect.poll(() => rows(tab.widget).locator('.card').count()).toBe(6);
      await expectAccessible(tab, 'grid');
      await tab.button(text('finder.select')).click();
      await tab.button(text('select.all')).click();
      await tab.widget.getByRole('searchbox').fill('picture');
      await expectAccessible(tab, 'grid with a selection');
      await tab.button(text('select.texts')).click();
      await expect.poll(() => tab.widget.locator('dialog[open]').count()).toBe(1);
      await expectAccessible(tab, 'texts for all selected');
      await tab.page.keyboard.press('Escape');
      await tab.button(text('finder.list')).click();
      await expect.poll(() => rows(tab.widget).locator('.row').count()).toBeGreaterThan(3);
      await expectAccessible(tab, 'rows with a selection');
    });

    it('without enough credits, offline, and read-only', async () => {
      const tab = await rig.open({ ...CALM, credits: 1 });
      await tab.upload(2);
      await expect.poll(() => tab.button(text('export.first', { count: 1 })).count()).toBe(1);
      await expectAccessible(tab, 'too few credits');
      await tab.context.setOffline(true);
      await expect.poll(() => tab.widget.getAttribute('data-offline')).toBe('');
      await expectAccessible(tab, 'offline');
      await tab.context.setOffline(false);
      await tab.widget.evaluate((element) => Object.assign(element, { disabled: true }));
      await expectAccessible(tab, 'disabled');
    });
  });
}
