import { it, onTestFinished } from 'vitest';
import { plainImage } from '../support/small-images.ts';
import { CHANGED, filesToChange } from '../widget/elements/changed-on-disk.ts';
import { startFresh } from './fresh-service.ts';
import { openWebKit } from './webkit.ts';
import { claimAndUpload } from './webkit-journey.ts';

it('in WebKit, a file that was removed, larger, smaller or another is told in the same words', async () => {
  const link = await startFresh('http://127.0.0.1');
  const tab = await openWebKit();
  onTestFinished(tab.close);
  await claimAndUpload(tab, link, (await plainImage('hill.png')).bytes);
  const { paths, change } = await filesToChange(tab.folder, 0);
  await tab.invoke('image-optimizer', 'setAttribute', 'auto-upload', 'false');
  await tab.type('input[type=file]', paths.join('\n'));
  await tab.until('the rows', async () => (await tab.count('io-row')) === CHANGED.length + 1);
  await change();
  await tab.invoke('image-optimizer', 'upload');
  const told = () => tab.count('.error', 'The file has changed or is gone.');
  await tab.until('four refusals', async () => (await told()) === CHANGED.length);
});
