import { expect, it, onTestFinished } from 'vitest';
import { startFakeVisionServer } from '../support/fake-vision-server.ts';
import { plainImage } from '../support/small-images.ts';
import { startFresh, WAYS } from './fresh-service.ts';
import { openWebKit } from './webkit.ts';
import * as walk from './webkit-journey.ts';

const { bytes } = await plainImage('hill.png', { width: 320, height: 240 });

async function open() {
  const tab = await openWebKit();
  onTestFinished(tab.close);
  return tab;
}

it.each(WAYS)('in WebKit, from the first link to a downloaded file, on %s', async (way) => {
  const link = await startFresh(way);
  const tab = await open();
  await walk.claimAndUpload(tab, link, bytes);
  const { file, height } = await walk.exportAndDownload(tab);
  expect(file).toMatch(/^RIFF.*WEBP/s);
  expect(height).toBeLessThan(500);
  expect(await walk.complaintsOf(tab)).toEqual([]);
});

it('in WebKit, describe, edit, take back, sample, menu and share page work', async () => {
  const vision = await startFakeVisionServer();
  onTestFinished(vision.close);
  const model = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: vision.url, AI_MODEL: 'fake-model', AI_CANARY: 'off' };
  const link = await startFresh('http://127.0.0.1', model);
  const tab = await open();
  await walk.claimAndUpload(tab, link, bytes);
  const menu = await walk.measureMenu(tab);
  expect(Math.max(Math.abs(menu.below), Math.abs(menu.aside))).toBeLessThanOrEqual(2);
  expect(menu.height).toBeLessThan(250);
  const described = await walk.describePicture(tab);
  // One press of Undo takes the text back.
  expect(await walk.writeAndUndo(tab)).toEqual([`${described} in rain`, described]);
  expect(await walk.editText(tab, 'A green hill')).toBe('A green hill');
  const [before = 0, after] = await walk.compareSample(tab);
  expect(after).toBeGreaterThan(before);
  const { file, height } = await walk.exportAndDownload(tab);
  expect(file).toMatch(/^RIFF.*WEBP/s);
  expect(height).toBeLessThan(500);
  expect(await walk.complaintsOf(tab)).toEqual([]);
  expect(await walk.shareAndApprove(tab)).toEqual([]);
});
