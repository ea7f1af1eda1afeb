import { randomFillSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { createClient } from '../../plugin-bridge/sdk/index.ts';
import { openElement } from '../bench/support/widget-page.ts';
import { closed } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startSlowLine } from '../support/slow-line.ts';

/** Settings of one drill: the real ones, or all of them shortened alike. */
export interface DrillSettings {
  env: Record<string, string>;
  bytesPerSecond: number;
}

/** Result of an upload over a slow line. */
export interface Arrival {
  seconds: number;
  bytes: number;
  /** Images at the service. */
  images: number;
  /** Bytes that the line carried: more than `bytes` if files were sent again. */
  carried: number;
  /** Statuses of the upload requests in the service's log, in order. */
  statuses: number[];
}

/** Starts a service and a line to it, and uploads by `upload`, which returns the number of images. */
async function arrive(
  { env, bytesPerSecond }: DrillSettings,
  upload: (service: TestService, url: string) => Promise<{ images: number; bytes: number }>,
): Promise<Arrival> {
  const statuses: number[] = [];
  const log = (text: string) => {
    const line = JSON.parse(text);
    const isUpload = line.route === '/v1/sessions' || line.route === '/v1/sessions/:sessionId/images';
    if (line.msg === 'request' && line.method === 'POST' && isUpload) statuses.push(line.status);
  };
  const service = await startTestService({ LOG_LEVEL: 'info', ...env }, { log });
  const line = await startSlowLine(service.url, bytesPerSecond);
  try {
    const startedAt = performance.now();
    const { images, bytes } = await upload(service, line.url);
    const seconds = (performance.now() - startedAt) / 1000;
    return { seconds, bytes, images, carried: line.bytes(), statuses };
  } finally {
    await line.close();
    await service.close();
  }
}

/** Uploads one PNG of about `pixels` * 3 bytes by the SDK, as the command line does. */
export function uploadLargeFile(pixels: { width: number; height: number }, settings: DrillSettings): Promise<Arrival> {
  return arrive(settings, async ({ api }, url) => {
    const raw = randomFillSync(Buffer.alloc(pixels.width * pixels.height * 3));
    const png = await sharp(raw, { raw: { ...pixels, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    const file = { file: new Blob([new Uint8Array(png)]), name: 'large.png' };
    const client = createClient({ endpoint: url, apiKey: api.apiKey ?? '' });
    const { images } = await client.createSession({ files: [file] }, { once: true });
    return { images: images.length, bytes: png.length };
  });
}

/** Uploads `count` photographs of about 5.5 MB by the element in a browser. */
export function uploadPhotographs(
  { browser, count }: { browser: Browser; count: number },
  settings: DrillSettings,
): Promise<Arrival> {
  return arrive(settings, async (service, url) => {
    const { folder, files, bytes } = await makePhotographs(count);
    const page = await openElement(browser, { ...service, url }, {});
    try {
      await page.locator('image-optimizer input[type=file]').first().setInputFiles(files);
      // Each file ends with one of the two events.
      await page.waitForFunction(
        (wanted) => {
          const { recorded } = window as unknown as { recorded: { type: string }[] };
          return recorded.filter(({ type }) => type === 'io-upload' || type === 'io-error').length >= wanted;
        },
        count,
        { timeout: 0, polling: 500 },
      );
      const images = await page.evaluate('window.countUploaded()');
      return { images: Number(images), bytes };
    } finally {
      await page.context().close();
      await rm(folder, { recursive: true });
    }
  });
}

/**
 * Sends the head of an upload, or a part of it, and then one byte each 20 s. Returns the seconds until the service closes the
 * connection.
 */
export async function trickle({ wholeHead }: { wholeHead: boolean }): Promise<number> {
  const service = await startTestService();
  try {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    // The connection may be reset after the response.
    socket.on('error', () => {}).resume();
    const startedAt = performance.now();
    const head = `POST /v1/sessions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.api.apiKey}\r\nContent-Length: 1000000\r\n`;
    socket.write(wholeHead ? `${head}Content-Type: multipart/form-data; boundary=b\r\n\r\n` : head);
    const timer = setInterval(() => socket.write('x'), 20_000);
    await closed(socket);
    clearInterval(timer);
    return (performance.now() - startedAt) / 1000;
  } finally {
    await service.close();
  }
}

/** Writes JPEGs of noise, which have as many bytes as photographs of a good camera. */
async function makePhotographs(count: number): Promise<{ folder: string; files: string[]; bytes: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-drill-'));
  const files: string[] = [];
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const [width, height] = [3900, 2680 + index];
    const raw = randomFillSync(Buffer.alloc(width * height * 3));
    const jpeg = await sharp(raw, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 70 })
      .toBuffer();
    const file = join(folder, `IMG_${1000 + index}.jpg`);
    await writeFile(file, jpeg);
    files.push(file);
    bytes += jpeg.length;
  }
  return { folder, files, bytes };
}
