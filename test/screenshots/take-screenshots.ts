/**
 * Takes pictures of the demo page in every state, theme and width. `npm run screenshots [-- part-of-name…]`
 * They go into a folder for temporary files, to be looked at. Build first: `npm run build`.
 */
import { join } from 'node:path';
import { runShort, type Snap, useFolder, walkThrough } from './journeys.ts';
import { picturesFolder, type Scene, type Stage, setStage } from './stage.ts';

const WIDTHS = { phone: 390, tablet: 820, desktop: 1280 };
const wanted = process.argv.slice(2);

const JOURNEYS: Record<string, (stage: Stage, scene: Scene, snap: Snap) => Promise<void>> = {
  walk: (stage, scene, snap) => walkThrough(stage, scene, snap),
  arabic: (stage, scene, snap) => walkThrough(stage, scene, snap, 'ar'),
  short: runShort,
  folder: useFolder,
};

const folder = await picturesFolder();
const stage = await setStage();
try {
  for (const [journey, go] of Object.entries(JOURNEYS)) {
    for (const [device, width] of Object.entries(WIDTHS)) {
      for (const theme of ['light', 'dark'] as const) {
        const name = `${journey}-${device}-${theme}`;
        if (!wanted.every((part) => name.includes(part))) continue;
        const scene = await stage.open({ width, theme, credits: journey === 'short' ? 3 : 25 });
        const snap: Snap = async (step, { full = false } = {}) => {
          await scene.page.screenshot({ path: join(folder, `${name}-${step}.png`), fullPage: full });
        };
        try {
          await go(stage, scene, snap);
          console.log(name);
        } catch (error) {
          await snap('99-failed', { full: true });
          console.error(`${name}: ${error}`);
          process.exitCode = 1;
        } finally {
          await scene.context.close();
        }
      }
    }
  }
  console.log(folder);
} finally {
  await stage.close();
}
