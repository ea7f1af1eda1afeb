import type { Browser, Page } from 'playwright-core';
import { hostFiles } from '../../support/host-page.ts';
import type { TestService } from '../../support/service.ts';

declare global {
  interface Window {
    /** Number of rows in the list over time, in milliseconds since the files were chosen. */
    rowsAt: { at: number; rows: number }[];
    longTasks: { start: number; duration: number }[];
    interactions: number[];
    objectUrls: Set<string>;
  }
}

/** Opens a page with the element, before the real service, with an account that can pay. */
export async function openElement(
  browser: Browser,
  service: TestService,
  attributes: Record<string, string>,
): Promise<Page> {
  const { apiKey } = await service.createAccount({ credits: 2000 });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  // tsx names the functions that it hands to a page by a helper of its own.
  const script = `
    window.__name = (value) => value;
    window.longTasks = [];
    window.countUploaded = () => window.recorded.filter(({ type }) => type === 'io-upload').length;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) window.longTasks.push({ start: startTime, duration });
    }).observe({ type: 'longtask', buffered: true });
  `;
  // Copies of hundreds of items would be long tasks and memory of the page's own.
  const host = { elements: [attributes], headers: { 'X-API-Key': apiKey }, script, recordDetails: false };
  const files = hostFiles(host);
  await page.route(`${service.url}/host/**`, (route) => {
    const file = files[new URL(route.request().url()).pathname];
    const headers = { 'Content-Type': file?.type ?? 'text/plain', 'Content-Security-Policy': file?.policy ?? '' };
    return route.fulfill({ body: file?.body ?? '', headers });
  });
  await page.goto(`${service.url}/host/`);
  await page.waitForFunction(() => (window as unknown as { ready?: boolean }).ready === true);
  // The measurement begins after the element has fetched its later parts.
  await page.waitForFunction(() => customElements.get('io-row') !== undefined);
  await page.waitForTimeout(500);
  return page;
}

/** From now on counts the rows of every frame, from the moment in which files are chosen. */
export function watchRows(page: Page): Promise<void> {
  return page.evaluate(() => {
    window.rowsAt = [];
    const root = document.querySelector('image-optimizer')?.shadowRoot as ShadowRoot;
    const input = root.querySelector('io-dropzone')?.shadowRoot?.querySelector('input[type=file]') as HTMLInputElement;
    input.addEventListener(
      'change',
      () => {
        const start = performance.now();
        // The element empties the input as soon as it has the files.
        const count = input.files?.length ?? 0;
        window.longTasks.length = 0;
        const countRows = () => {
          const rows = root.querySelector('io-list')?.shadowRoot?.querySelectorAll('io-row').length ?? 0;
          window.rowsAt.push({ at: performance.now() - start, rows });
          if (rows < count || performance.now() - start < 3000) requestAnimationFrame(countRows);
        };
        requestAnimationFrame(countRows);
      },
      { capture: true, once: true },
    );
  });
}

/** When the first rows and all rows were there, in milliseconds after the files were chosen. */
export async function startedAt(page: Page, count: number): Promise<{ first: number; all: number }> {
  const seen = await page.evaluate(() => window.rowsAt);
  const after = (rows: number) => seen.find((each) => each.rows >= rows)?.at ?? Number.NaN;
  return { first: after(1), all: after(count) };
}

/** Long tasks since `start` (milliseconds of the page's clock), and by how much they were too long in sum. */
export async function blockingSince(page: Page, start: number): Promise<{ count: number; blocked: number }> {
  const tasks = (await page.evaluate(() => window.longTasks)).filter((task) => task.start >= start);
  return { count: tasks.length, blocked: tasks.reduce((sum, { duration }) => sum + duration - 50, 0) };
}

/** From now on collects how long each interaction took until its picture was there, in milliseconds. */
export function timeInteractions(page: Page): Promise<void> {
  return page.evaluate(() => {
    window.interactions = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as PerformanceEventTiming[]) {
        if (entry.interactionId) window.interactions.push(entry.duration);
      }
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  });
}
