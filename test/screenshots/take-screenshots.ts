// Takes the pictures of the documentation again: `npm run screenshots`, or `npm run screenshots -- share` for some. Build first: `npm run build`.

import { dashboardScreens } from './dashboard-screens.ts';
import { keepForDocs } from './docs-pictures.ts';
import { elementScreens } from './element-screens.ts';
import { firstUse, reviewAndCompare } from './journeys.ts';
import { shareScreens } from './share-screens.ts';
import { setStage } from './stage.ts';

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const stage = await setStage();
try {
  for (const [name, journey] of Object.entries({ review: reviewAndCompare, dashboard: firstUse })) {
    if (!isWanted(name)) continue;
    const scene = await stage.open();
    await journey(stage, scene, async (picture) => keepForDocs(stage, picture, await scene.page.screenshot()));
    await scene.context.close();
  }
  for (const [name, take] of Object.entries({
    element: elementScreens,
    share: shareScreens,
    pages: dashboardScreens,
  })) {
    if (!isWanted(name)) continue;
    const { page, context } = await stage.open();
    await take(stage, page);
    await context.close();
  }
} finally {
  await stage.close();
}
