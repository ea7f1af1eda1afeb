import type { Browser, Page, Response } from 'playwright-core';
import { PATIENCE_MS, patiently } from '../../support/patience.ts';

/** Screens that pages are weighed on. */
export const SCREENS = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  desktop: { viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1 },
};

/** Attributes that WordPress adds to images for the sake of loading. */
const ATTRIBUTES = ['srcset', 'sizes', 'width', 'height', 'loading', 'fetchpriority'] as const;

/** Images that a browser received with a page: bytes, shown files and attributes. */
export interface PageWeight {
  /** Bytes of all images, CSS backgrounds among them. */
  bytes: number;
  /** Bytes and type of each received image by its path. */
  files: Record<string, { bytes: number; type: string }>;
  images: ShownImage[];
  /** Numbers of `img` elements with each attribute; `loading` counts `lazy` only. */
  attributes: Record<(typeof ATTRIBUTES)[number], number>;
  /** Requests without a successful response, each with its reason. */
  failed: string[];
  /** Paths of `img` elements that show nothing. */
  blank: string[];
}

/** An `img` element. */
export interface ShownImage {
  /** Path of the file that the browser chose. */
  path: string;
  bytes: number;
  naturalWidth: number;
  /** Attributes that have a value. */
  attributes: Partial<Record<(typeof ATTRIBUTES)[number], string>>;
}

/**
 * Opens a page with an empty cache, scrolls to its end so that lazy images load, and weighs its images. No image arrives before
 * the browser has chosen all files: Chromium prefers a larger file of the `srcset` that is there already, so each choice would depend on
 * the order of arrival.
 */
export async function weigh(browser: Browser, url: string, screen: keyof typeof SCREENS): Promise<PageWeight> {
  const context = await browser.newContext(SCREENS[screen]);
  try {
    const page = await context.newPage();
    const responses: Response[] = [];
    const failed: string[] = [];
    page.on('response', (response) => responses.push(response));
    page.on('requestfailed', (request) => failed.push(`${request.url()} ${request.failure()?.errorText}`));
    await openWhole(page, url);
    const files: PageWeight['files'] = {};
    for (const response of responses) {
      const status = response.status();
      if (status >= 400) failed.push(`${response.url()} ${status}`);
      const type = response.headers()['content-type'] ?? '';
      if (status !== 200 || !type.startsWith('image/') || response.url().startsWith('data:')) continue;
      files[pathOf(response.url())] = {
        bytes: (await patiently(`body of ${response.url()}`, response.body())).byteLength,
        type,
      };
    }
    const found = await patiently(`reading the images of ${url}`, page.evaluate(readImages, [...ATTRIBUTES]));
    const images = found.map(({ source, ...image }) => {
      const path = pathOf(source);
      return { path, bytes: files[path]?.bytes ?? 0, ...image } as ShownImage;
    });
    const has = (name: (typeof ATTRIBUTES)[number]) => (image: ShownImage) =>
      name === 'loading' ? image.attributes.loading === 'lazy' : image.attributes[name] !== undefined;
    return {
      bytes: Object.values(files).reduce((sum, file) => sum + file.bytes, 0),
      files,
      images,
      attributes: Object.fromEntries(
        ATTRIBUTES.map((name) => [name, images.filter(has(name)).length]),
      ) as PageWeight['attributes'],
      failed,
      blank: images.filter(({ naturalWidth }) => naturalWidth === 0).map(({ path }) => path),
    };
  } finally {
    await patiently(`closing ${url}`, context.close());
  }
}

/** Opens a page with all its images. @throws Error with the requests that were not answered, if it takes too long */
async function openWhole(page: Page, url: string): Promise<void> {
  const unanswered = new Set<string>();
  page.on('request', (request) => unanswered.add(request.url()));
  page.on('requestfinished', (request) => unanswered.delete(request.url()));
  page.on('requestfailed', (request) => unanswered.delete(request.url()));
  const gate = newGate();
  await page.route('**', async (route) => {
    if (route.request().resourceType() === 'image') await gate.opened;
    await route.continue();
  });
  try {
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: PATIENCE_MS });
    await patiently('scrolling', scrollThrough(page));
    gate.open();
    await page.waitForLoadState('load', { timeout: PATIENCE_MS });
    // Images without dimensions have moved others.
    await patiently('scrolling again', scrollThrough(page));
    await untilShown(page);
    await page.waitForLoadState('networkidle', { timeout: PATIENCE_MS });
  } catch (error) {
    throw new Error(`${url} was not shown; not answered: ${[...unanswered].join(', ') || 'none'}`, { cause: error });
  }
}

/** Path and query of a URL, since each site has its own port. Data URLs are shortened. */
function pathOf(url: string): string {
  if (!/^https?:/.test(url)) return url.slice(0, 40);
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function newGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // A page draws no frames while a style sheet is on its way.
    const frame = () =>
      new Promise((resolve) => {
        requestAnimationFrame(resolve);
        setTimeout(resolve, 1000);
      });
    for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight / 2) {
      scrollTo({ top, behavior: 'instant' });
      // Lazy images begin to load with the frames after the scroll.
      await frame();
      await frame();
    }
  });
}

async function untilShown(page: Page): Promise<void> {
  await page.waitForFunction(
    () => [...document.images].every((image) => image.complete || image.getClientRects().length === 0),
    null,
    { timeout: PATIENCE_MS },
  );
}

function readImages(names: string[]) {
  return [...document.images].map((image) => ({
    source: image.currentSrc || image.src,
    naturalWidth: image.naturalWidth,
    attributes: Object.fromEntries(
      names
        .filter((name) => image.hasAttribute(name))
        .map((name) => [name, image.getAttribute(name)?.replaceAll(location.origin, '')]),
    ),
  }));
}
