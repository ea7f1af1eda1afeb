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
