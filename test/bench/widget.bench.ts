// 500 photographs in the element: how soon rows are there, what blocks, what memory grows. `npm run bench:widget`
import { link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { launchAnyBrowser } from '../support/find-browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';
import { memoryOf } from './support/process-tree.ts';
import { median, printFigures, ROUNDS } from './support/table.ts';
import { blockingSince, openElement, startedAt, timeInteractions, watchRows } from './support/widget-page.ts';

const COUNT = 500;

interface Adding {
  firstRows: number;
  allRows: number;
  longTasks: number;
  blocked: number;
  scrollLongTasks: number;
  growth: number;
}

/** Photographs as a camera makes them, 2400 x 1600; one file under 500 names. */
async function makePhotographs(): Promise<{ folder: string; files: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-bench-widget-'));
  await mkdir(join(folder, 'photos'));
  const first = join(folder, 'first.jpg');
  const source = sharp('test/fixtures/photos/photo-mountains.jpg').resize(2400, 1600, { fit: 'cover' });
  await source.jpeg({ quality: 80 }).toFile(first);
  const files = Array.from({ length: COUNT }, (_, index) => join(folder, 'photos', `DSC_${1000 + index}.jpg`));
  for (const file of files) await link(first, file);
  return { folder, files };
}

/** Memory of all renderers in megabytes; pages that share one count it once. */
async function rendererMemory(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = (await session.send('SystemInfo.getProcessInfo')) as {
    processInfo: { type: string; id: number }[];
  };
  await session.detach();
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { id }) => sum + memoryOf(id).pss, 0);
}

/** Adds all files, waits for the rows, then scrolls through the whole list so that every thumbnail is made. */
async function addAll(browser: Browser, service: TestService, files: string[]): Promise<Adding> {
  const page = await openElement(browser, service, { 'auto-upload': 'false' });
  const before = await rendererMemory(browser);
  await watchRows(page);
  await page.locator('image-optimizer input[type=file]').first().setInputFiles(files);
  await page.waitForFunction((count) => window.rowsAt.some(({ rows }) => rows === count), COUNT);
  const { first, all } = await startedAt(page, COUNT);
  const adding = await blockingSince(page, 0);
  const scrollFrom = await page.evaluate(() => performance.now());
  const list = page.locator('image-optimizer io-list ul');
  const height = await list.evaluate((element) => element.scrollHeight);
  await list.hover();
  for (let at = 0; at < height; at += 600) {
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(1000);
  const scrolling = await blockingSince(page, scrollFrom);
  // Memory that is left of decoding is not needed by the page.
  await (await heapMeter(page))();
  await page.waitForTimeout(2000);
  const growth = (await rendererMemory(browser)) - before;
  await page.context().close();
  return {
    firstRows: first,
    allRows: all,
    longTasks: adding.count,
    blocked: adding.blocked,
    scrollLongTasks: scrolling.count,
    growth,
  };
}

/** Types into a text while 500 images are exported; gives the longest time from a key to its picture. */
async function typeWhileExporting(browser: Browser, service: TestService): Promise<{ inp: number; kept: boolean }> {
  const page = await openElement(browser, service, { concurrency: '6' });
  const images = await plainImages(COUNT, { width: 32, height: 24 });
  const files = images.map(({ name, bytes }) => ({ name, mimeType: 'image/png', buffer: Buffer.from(bytes) }));
  await page.locator('image-optimizer input[type=file]').first().setInputFiles(files);
  await page.waitForFunction((count) => countUploaded() === count, COUNT, { timeout: 300_000 });
  const alt = page.locator('image-optimizer io-row [data-control=alt]').first();
  await alt.click();
  await timeInteractions(page);
  await page.evaluate(() => void (document.querySelector('image-optimizer') as unknown as Exporter).export());
  await page.waitForFunction(
    () => (document.querySelector('image-optimizer') as unknown as Exporter).state === 'exporting',
  );
  const words = 'A long sentence that somebody writes while five hundred images are on their way';
  await page.keyboard.type(words, { delay: 60 });
  const inp = await page.evaluate(() => Math.max(0, ...window.interactions));
  const kept = (await alt.inputValue()) === words;
  await page.context().close();
  return { inp, kept };
}

interface Exporter {
  state: string;
  export(): Promise<unknown>;
}
declare function countUploaded(): number;

/** Heap growth in megabytes over five rounds of adding 500 and clearing them, and the object URLs that are left. */
async function addAndClear(browser: Browser, service: TestService): Promise<{ growth: number; urls: number }> {
  const page = await openElement(browser, service, { 'auto-upload': 'false' });
  const heap = await heapMeter(page);
  const round = () =>
    page.evaluate(async (count) => {
      const element = document.querySelector('image-optimizer') as unknown as {
        addFiles(files: File[]): Promise<unknown>;
        clear(): void;
        updateComplete: Promise<unknown>;
      };
      const files = Array.from({ length: count }, (_, index) => {
        return new File([`GIF89a\0\0\0\0${index}`], `IMG_${index}.jpg`, { type: 'image/jpeg' });
      });
      await element.addFiles(files);
      await new Promise((resolve) => setTimeout(resolve, 700));
      element.clear();
      await element.updateComplete;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }, COUNT);
  await round();
  const before = await heap();
  for (let count = 0; count < 5; count += 1) await round();
  const growth = (await heap()) - before;
  const urls = await page.evaluate(() => window.objectUrls.size);
  await page.context().close();
  return { growth, urls };
}

async function heapMeter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  return async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  };
}

const load = loadavg()[0]?.toFixed(1);
const service = await startTestService({ MAX_IMAGES_PER_SESSION: '1000' });
const browser = await launchAnyBrowser({
  headless: true,
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage'],
});
const { folder, files } = await makePhotographs();
try {
  const rounds: Adding[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await addAll(browser, service, files));
  const typing = await typeWhileExporting(browser, service);
  const clearing = await addAndClear(browser, service);
  const middle = (name: keyof Adding) => median(rounds.map((round) => round[name]));
  const ms = (value: number) => `${Math.round(value)} ms`;
  const mb = (value: number) => `${value.toFixed(1)} MB`;
  const atMost = (what: string, value: number, limit: number, show: (value: number) => string) => ({
    what,
    measured: show(value),
    target: `<= ${show(limit)}`,
    met: value <= limit,
  });
  printFigures(`${COUNT} photographs of 2400 x 1600, median of ${ROUNDS} (load at the start: ${load})`, [
    atMost('first rows', middle('firstRows'), 100, ms),
    atMost('all rows', middle('allRows'), 600, ms),
    atMost('tasks over 50 ms while adding', middle('longTasks'), 0, String),
    atMost('blocked by them', middle('blocked'), 50, ms),
    atMost('tasks over 50 ms, scrolling through', middle('scrollLongTasks'), 0, String),
    atMost('memory of the page, all thumbnails made', middle('growth'), 60, mb),
    atMost('longest interaction, typing during an export', typing.inp, 100, ms),
    { what: 'every character typed is there', measured: String(typing.kept), target: 'true', met: typing.kept },
    atMost('heap after adding and clearing 5 times', clearing.growth, 2, mb),
    atMost('object URLs left', clearing.urls, 0, String),
  ]);
} finally {
  await browser.close();
  await service.close();
  await rm(folder, { recursive: true, force: true });
}
