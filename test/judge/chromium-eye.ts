import { createServer } from 'node:http';
import type { SharedBrowser } from '../support/browser.ts';
import { serveLocally } from '../support/serve-locally.ts';
import type { Picture } from './picture.ts';

/** Decodes files as another program does. */
export interface Eye {
  /** Returns what is seen of a file: upright, sRGB, the first frame. @throws Error if it cannot be decoded */
  see(file: Buffer, mimeType: string): Promise<Picture>;
  close(): Promise<void>;
}

/** The eye of a browser, which also sees how a file moves. */
export interface ChromiumEye extends Eye {
  /** Returns the frames of a file as they are shown; one of a still. @throws Error if it cannot be decoded */
  frames(file: Buffer, mimeType: string): Promise<ShownFrame[]>;
}

/** A frame, and how long it is shown in milliseconds. */
export interface ShownFrame extends Picture {
  duration: number;
}

/** Opens the eye of a browser: what a canvas of sRGB shows. */
export async function openChromiumEye({ browser }: Pick<SharedBrowser, 'browser'>): Promise<ChromiumEye> {
  const page = await browser.newPage();
  let server: { url: string; close(): Promise<unknown> } | undefined;
  return {
    async see(file, mimeType) {
      const url = `data:${mimeType};base64,${file.toString('base64')}`;
      const { width, height, base64 } = await page.evaluate(drawInPage, url);
      return { width, height, data: Buffer.from(base64, 'base64') };
    },
    async frames(file, mimeType) {
      // The decoder is for secure pages alone.
      if (page.url() === 'about:blank') {
        server = await serveLocally(
          createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>eye</p>')),
        );
        await page.goto(server.url);
      }
      const frames = await page.evaluate(decodeInPage, [file.toString('base64'), mimeType] as const);
      return frames.map(({ base64, ...frame }) => ({ ...frame, data: Buffer.from(base64, 'base64') }));
    },
    async close() {
      await page.close();
      await server?.close();
    },
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

/** Runs in the page. */
async function decodeInPage([base64, type]: readonly [string, string]): Promise<
  { width: number; height: number; duration: number; base64: string }[]
> {
  const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const decoder = new ImageDecoder({ data, type, colorSpaceConversion: 'default' });
  await decoder.tracks.ready;
  await decoder.completed;
  const frames = [];
  for (let frameIndex = 0; frameIndex < (decoder.tracks.selectedTrack?.frameCount ?? 0); frameIndex += 1) {
    const { image } = await decoder.decode({ frameIndex });
    const { displayWidth: width, displayHeight: height, duration } = image;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { colorSpace: 'srgb', willReadFrequently: true });
    if (!context) throw new Error('expected a context of the canvas');
    context.drawImage(image, 0, 0);
    image.close();
    const pixels = context.getImageData(0, 0, width, height).data;
    let text = '';
    for (let at = 0; at < pixels.length; at += 8192) text += String.fromCharCode(...pixels.subarray(at, at + 8192));
    frames.push({ width, height, duration: Math.round((duration ?? 0) / 1000), base64: btoa(text) });
  }
  decoder.close();
  return frames;
}
