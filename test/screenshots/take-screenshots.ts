// Takes the pictures of the documentation again: `npm run screenshots`. Build first: `npm run build`.
import { keepForDocs } from './docs-pictures.ts';
import { firstUse, reviewAndCompare } from './journeys.ts';
import { setStage } from './stage.ts';

const stage = await setStage();
try {
  for (const journey of [reviewAndCompare, firstUse]) {
    const scene = await stage.open();
    await journey(stage, scene, async (name) => keepForDocs(stage, name, await scene.page.screenshot()));
    await scene.context.close();
  }
} finally {
  await stage.close();
}
