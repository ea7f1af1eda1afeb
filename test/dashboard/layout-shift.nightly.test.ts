import type { Locator } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { readLayoutShift } from '../support/layout-shift.ts';
import { type DashboardRig, expectHeading, openDashboardRig } from './dashboard-rig.ts';

const VIEWPORTS = [
  { width: 390, height: 844 },
  { width: 1350, height: 940 },
];

let rig: DashboardRig;
beforeAll(async () => {
  rig = await openDashboardRig();
});

it.each(VIEWPORTS)('demo, log-in and dashboard stay in place while they load, at $width pixels', async (viewport) => {
  const visitor = await rig.browser.open({ viewport });
  const shifts: [string, number][] = [];
  const measureShift = async (name: string, { page }: typeof visitor) => {
    await page.waitForLoadState('networkidle');
    shifts.push([name, await readLayoutShift(page)]);
  };
  await visitor.page.goto(`${rig.test.url}/demo/`);
  await visitor.page.locator('#connect, #account:has(strong)').first().waitFor();
  await measureShift('demo', visitor);
  await visitor.page.goto(rig.at());
  await expectHeading(visitor, 'Log in');
  await measureShift('log-in', visitor);
  const person = await rig.enter({ context: { viewport } });
  await person.page.reload();
  await expectHeading(person, 'Overview');
  await measureShift('dashboard', person);
  // A shift that is there is measured.
  await person.page.evaluate(() => {
    document.documentElement.style.paddingTop = '300px';
  });
  expect(await readLayoutShift(person.page)).toBeGreaterThan(0.05);
  expect(shifts.filter(([, shift]) => shift > 0.05)).toEqual([]);
});

it.each(VIEWPORTS)(
  'the brand is there before the program, and stays in its place, at $width pixels',
  async (viewport) => {
    const { page } = await rig.enter({ context: { viewport } });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/assets/*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(rig.at(), { waitUntil: 'commit' });
    const early = page.locator('dash-app > .brand');
    await expect
      .poll(() => early.locator('img').evaluate((img) => (img as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0);
    const placeOf = async (brand: Locator, picture: string) => {
      const box = await brand.locator(picture).boundingBox();
      return [Math.round(box?.x ?? -1), Math.round(box?.y ?? -1)];
    };
    const before = await placeOf(early, 'img');
    release();
    const own = page.locator('header .brand');
    await own.waitFor();
    expect(await early.isVisible()).toBe(false);
    expect(await placeOf(own, 'svg')).toEqual(before);
  },
);
