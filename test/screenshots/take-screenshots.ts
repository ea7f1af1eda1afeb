// Takes the pictures of the documentation again: `npm run screenshots`, or `npm run screenshots -- share` for some. Build first: `npm run build`.

import { elementScreens } from './element-screens.ts';
import { pageScreens } from './page-screens.ts';
import { shareScreens } from './share-screens.ts';
import { setStage } from './stage.ts';

/** Parts by their names. The first of them shows a service without the accounts of the others. */
const SCREENS = { pages: pageScreens, share: shareScreens, element: elementScreens };

const wanted = process.argv.slice(2);
const stage = await setStage();
try {
  for (const [name, take] of Object.entries(SCREENS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { page, context } = await stage.open();
    await take(stage, page);
    await context.close();
  }
} finally {
  await stage.close();
}
