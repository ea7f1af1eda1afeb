import type { SharedBrowser } from '../support/browser.ts';
import type { Picture } from './picture.ts';

/** Decodes files as another program does. */
export interface Eye {
  /** Returns what is seen of a file: upright, sRGB, the first frame. @throws Error if it cannot be decoded */
  see(file: Buffer, mimeType: string): Promise<Picture>;
  close(): Promise<void>;
}

/** Opens the eye of a browser: what a canvas of sRGB shows. */
export async function openChromiumEye({ browser }: Pick<SharedBrowser, 'browser'>): Promise<Eye> {
  const page = await browser.newPage();
  return {
    async see(file, mimeType) {
      const url = `data:${mimeType};base64,${file.toString('base64')}`;
      const { width, height, base64 } = await page.evaluate(drawInPage, url);
      return { width, height, data: Buffer.from(base64, 'base64') };
    },
    close: () => page.close(),
  };
}

/** Runs in the page. */
async function drawInPage(url: string): Promise<{ width: number; height: number; base64: string }> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
  const context = canvas.getContext('2d', { colorSpace: 'srgb', willReadFrequently: true });
  if (!context) throw new Error('expected a context of the canvas');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let text = '';
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return { width: canvas.width, height: canvas.height, base64: btoa(text) };
}
