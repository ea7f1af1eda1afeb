/**
 * Takes pictures of the demo page and the dashboard in every state, theme and width. `npm run screenshots [-- part-of-name…]`
 * `--docs` also keeps the few pictures that pages of the documentation show.
 * They go into a folder for temporary files, to be looked at. Build first: `npm run build`.
 */
import { join } from 'node:path';
import { tourDashboard } from './dashboard-tour.ts';
import { DOCS_PICTURES, keepForDocs } from './docs-pictures.ts';
import { showFirstUse } from './first-use.ts';
import { runShort, type Snap, useFolder, walkThrough } from './journeys.ts';
import { picturesFolder, type Scene, type Stage, setStage } from './stage.ts';
import { showStates } from './widget-states.ts';

const WIDTHS = { phone: 320, tablet: 768, desktop: 1280 };
const wanted = process.argv.slice(2).filter((part) => !part.startsWith('--'));
const forDocs = process.argv.includes('--docs');

const JOURNEYS: Record<string, (stage: Stage, scene: Scene, snap: Snap) => Promise<void>> = {
  walk: (stage, scene, snap) => walkThrough(stage, scene, snap),
  arabic: (stage, scene, snap) => walkThrough(stage, scene, snap, 'ar'),
  'states-en': (stage, scene, snap) => showStates(stage, scene, snap),
  'states-de': (stage, scene, snap) => showStates(stage, scene, snap, 'de'),
  'states-ar': (stage, scene, snap) => showStates(stage, scene, snap, 'ar'),
  short: runShort,
  folder: useFolder,
  dashboard: tourDashboard,
  'first-use': showFirstUse,
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
          // What sticks to the window's edge is where it ends up, not in the middle of the picture.
          if (full) await scene.page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
          const png = await scene.page.screenshot({ path: join(folder, `${name}-${step}.png`), fullPage: full });
          const picture = forDocs ? DOCS_PICTURES[`${name}-${step}`] : undefined;
          if (picture) await keepForDocs(stage, picture, png);
        };
        try {
          await go(stage, scene, snap);
          console.log(name);
        } catch (error) {
          console.error(`${name}: ${error}`);
          await snap('99-failed').catch(() => {});
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
