import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import type { UploadResult } from '#contract';
import { type ApiClient, FIXTURES } from '../support/api-client.ts';
import { startFakeVisionServer } from '../support/fake-vision-server.ts';
import { launchAnyBrowser } from '../support/find-browser.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { describePhotos } from './describe-photos.ts';

/** Photographs as a camera names them, small enough to be worked on quickly. */
const PHOTOS = {
  'DSC_0412.jpg': 'photo-mountains.jpg',
  'DSC_0415.jpg': 'photo-nuthatch.jpg',
  'IMG_2041.jpg': 'photo-dogs-portrait.jpg',
  'IMG_2044.jpg': 'photo-stream.jpg',
  'brushes final (2).jpg': 'photo-brushes.jpg',
} as const;

/** The real service with the built pages, a vision model that answers at once, and a browser. */
export interface Stage {
  test: TestService;
  /** Makes 30 different photographs of them, by their names and bytes. */
  thirty(): Promise<{ name: string; bytes: Buffer }[]>;
  /** Has the model describe all images of a session. */
  describe(api: ApiClient, uploaded: UploadResult): Promise<void>;
  /** Opens a page, and resets the model's answers to the first one; the caller closes the context of the page. */
  open(): Promise<{ page: Page; context: BrowserContext }>;
  close(): Promise<void>;
}

/** Sets everything up. The demo page must have been built (`npm run build`). */
export async function setStage(): Promise<Stage> {
  const vision = await startFakeVisionServer();
  const test = await startTestService({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: vision.url,
    AI_MODEL: 'fake-model',
    AI_CANARY: 'off',
  });
  const browser = await launchAnyBrowser({
    headless: true,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  return {
    test,
    thirty: () => Promise.all(Array.from({ length: 30 }, (_, at) => cropped(at))),
    async describe(api, { sessionId, images }) {
      const json = { sessionId, images: images.map(({ id }) => id) };
      const answer = await api.request('/v1/analyze', { json });
      await answer.text();
    },
    async open() {
      describePhotos(vision);
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      page.on('pageerror', (error) => console.error(`page: ${error.message}`));
      page.on('response', (response) => {
        // The probe for a visitor who is logged in is answered so.
        if (response.status() >= 400 && !(response.status() === 401 && /\/(balance|profile)$/.test(response.url()))) {
          console.error(`${response.status()} ${response.request().method()} ${response.url()}`);
        }
      });
      return { page, context };
    },
    async close() {
      await browser.close();
      await test.close();
      await vision.close();
    },
  };
}

/** Makes one of 30 photographs: a part of another size of one of the photographs, in its shape. */
async function cropped(at: number): Promise<{ name: string; bytes: Buffer }> {
  const sources = Object.entries(PHOTOS);
  const [name, file] = sources[at % sources.length] as [string, string];
  const picture = sharp(await readFile(join(FIXTURES, 'photos', file))).resize({
    width: 1600,
    withoutEnlargement: true,
  });
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  const share = 1 - Math.floor(at / sources.length) * 0.07;
  const [width, height] = [Math.round(info.width * share), Math.round(info.height * share)];
  const bytes = await sharp(data)
    .extract({ left: info.width - width, top: info.height - height, width, height })
    .jpeg({ quality: 95 })
    .toBuffer();
  return {
    name: name.replace(/(\d*)\.jpg$/, (_, digits: string) => `${digits ? Number(digits) + at : ` ${at}`}.jpg`),
    bytes,
  };
}
