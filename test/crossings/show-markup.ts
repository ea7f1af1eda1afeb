import type { SharedBrowser } from '../support/browser.ts';

/** File that a browser chose of some markup, and what stands behind it. */
export interface Chosen {
  name: string;
  /** Colour as a browser computes it, e.g. `rgb(1, 2, 3)`. */
  background: string;
  /** ThumbHash, base64. */
  placeholder: string | undefined;
  alt: string;
}

const PAGE = 'http://localhost/site/';

/** Shows markup with relative file names in a page so wide, and returns what the browser took once it is decoded. */
export async function showMarkup(
  { open }: SharedBrowser,
  html: string,
  files: ReadonlyMap<string, Buffer>,
  width = 1280,
): Promise<Chosen> {
  const { page, context } = await open({ viewport: { width, height: 600 } });
  await page.route(`${PAGE}**`, (route) => {
    const name = nameOf(route.request().url());
    if (name === '')
      return route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>Page</title>${html}` });
    const body = files.get(name);
    return body ? route.fulfill({ body }) : route.fulfill({ status: 404 });
  });
  await page.goto(PAGE);
  const { src, ...chosen } = await page.locator('img').evaluate(async (element) => {
    const image = element as HTMLImageElement;
    await image.decode();
    const background = getComputedStyle(image).backgroundColor;
    return { src: image.currentSrc, background, placeholder: image.dataset.thumbhash, alt: image.alt };
  });
  await context.close();
  return { name: nameOf(src), ...chosen };
}

/** Returns the last part of an address as a file name. */
export function nameOf(url: string): string {
  return decodeURIComponent(url.split('/').at(-1) ?? '');
}
