import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageResult, UploadResult } from '#contract';
import { expectCleanBooks } from '../support/aftermath.ts';
import { FIXTURES } from '../support/api-client.ts';
import { startTestService, type TestAccount, type TestService } from '../support/service.ts';

interface Entry {
  file: string;
  expect: 'accept' | 'reject' | 'fallback';
}

const manifest = JSON.parse(readFileSync(`${FIXTURES}nasty/manifest.json`, 'utf8')) as Entry[];
const files = manifest.map(({ file }) => file);
const ACCEPTED = manifest.filter((entry) => entry.expect === 'accept').map(({ file }) => file);
/** Too wide for WebP and AVIF; every other format takes them. */
const TOO_WIDE = ['png-extreme-aspect-20000x1.png', 'png-wide-17000x64.png'];
const MESSAGE = /^[A-Z].{10,}/s;

let test: TestService;
let account: TestAccount;
let uploaded: UploadResult;

const nameOf = (id: string) => uploaded.images.find((image) => image.id === id)?.originalFilename ?? '';

/**
 * Uploads and exports every hostile file. `settings` are those of the service, `formats` what all files are exported as besides
 * WebP.
 */
export function testHostileFiles({ settings, formats }: { settings: Record<string, string>; formats: string[] }): void {
  beforeAll(async () => {
    test = await startTestService(settings);
    account = await test.createAccount({ credits: 200 });
    uploaded = await account.api.upload(files.map((file) => `nasty/${file}`));
  });
  afterAll(() => test.close());
  describe('all hostile files in one batch', () => testBatch(formats));
  describe('a hostile file alone', testAlone);
}

function testBatch(formats: string[]): void {
  it('are at the upload either taken or rejected with a 4xx code and a readable reason, in their order', () => {
    const taken = uploaded.images.map(({ originalFilename }) => originalFilename);
    const rejected = uploaded.rejected.map(({ originalFilename }) => originalFilename);
    expect([...taken, ...rejected].sort()).toEqual([...files].sort());
    expect(taken).toEqual(files.filter((file) => taken.includes(file)));
    expect(rejected).toEqual(files.filter((file) => rejected.includes(file)));
    expect(ACCEPTED.filter((file) => rejected.includes(file))).toEqual([]);
    for (const { status, code, error } of uploaded.rejected) {
      expect([413, 415, 422]).toContain(status);
      expect(['unsupported_image', 'invalid_image', 'too_many_pixels']).toContain(code);
      expect(error).toMatch(MESSAGE);
    }
    const svg = uploaded.rejected.filter(({ originalFilename }) => originalFilename.endsWith('.svg'));
    expect(svg.map(({ code, detected }) => `${code} ${detected}`)).toEqual(Array(6).fill('unsupported_image svg'));
  });

  it.each(['webp', ...formats.filter((format) => format !== 'jpeg')])(
    'become %s, or fail alone and are refunded',
    async (format) => {
      const results = await exportAll(format);
      for (const [file, result] of results) {
        const { expect: expected } = manifest.find((entry) => entry.file === file) ?? {};
        const works = expected === 'accept' || (TOO_WIDE.includes(file) && format === 'original');
        expect([file, result.status]).toEqual([file, works ? 'completed' : 'failed']);
        if (works) {
          expect(result).toMatchObject({ error: null, creditsCharged: 1 });
          expect(result.variants[0]).toMatchObject({ name: 'full', filename: result.filename });
          if (format === 'original') expect(result.variants[0]?.size).toBeLessThanOrEqual(result.original.size);
        } else {
          expect(result).toMatchObject({ variants: [], creditsCharged: 0, filename: null });
          expect(result.error?.code).toBe(TOO_WIDE.includes(file) ? 'output_too_large' : 'invalid_image');
          expect(result.error?.message).toMatch(MESSAGE);
        }
      }
    },
  );

  it('never have more than one error each in the stream, and it stands in their last event', async () => {
    const { events } = await account.api.run('sample', {
      ...uploaded,
      images: uploaded.images
        .filter(({ originalFilename }) => /truncated|scan-bomb|1x1/.test(originalFilename))
        .slice(0, 5),
    });
    const ended = events.flatMap((event) =>
      event.event === 'progress' && event.data.step === 'done' ? [event.data] : [],
    );
    expect(new Set(ended.map(({ imageId }) => imageId)).size).toBe(5);
    expect(ended).toHaveLength(5);
    for (const { status, error } of ended) expect(error !== undefined).toBe(status === 'failed');
    const others = events.filter((event) => event.event === 'progress' && event.data.step !== 'done');
    expect(others.filter((event) => event.event === 'progress' && event.data.error)).toEqual([]);
  });

  it.runIf(formats.includes('jpeg'))('that are animated, multi-page, 16 bit or CMYK say so in warnings', async () => {
    const codes = new Map(
      [...(await exportAll('jpeg'))].map(([file, { warnings }]) => [file, warnings.map(({ code }) => code)]),
    );
    expect(codes.get('animated.gif')).toContain('animation_dropped');
    expect(codes.get('animated-apng.png')).toContain('animation_dropped');
    expect(codes.get('tiff-multipage.tif')).toContain('pages_dropped');
    expect(codes.get('jpeg-cmyk.jpg')).toContain('cmyk_converted');
    expect(codes.get('png-16bit.png')).toContain('depth_reduced');
    expect(codes.get('png-16bit-grey-alpha.png')).toContain('alpha_flattened');
    expect(codes.get('png-named-as.jpg')).toContain('format_mismatch');
  });

  it('come out without their tails, bombs and private blocks', async () => {
    const results = await exportAll('webp');
    for (const file of [
      'jpeg-giant-exif-xmp.jpg',
      'jpeg-trailing-garbage.jpg',
      'polyglot-jpeg-zip.jpg',
      'bomb-png-ztxt.png',
    ]) {
      const response = await account.api.request(results.get(file)?.variants[0]?.url ?? '');
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBeLessThan(100_000);
      expect(bytes.includes('PK\u0003\u0004')).toBe(false);
      const { exif, xmp } = await sharp(bytes).metadata();
      expect([exif, xmp]).toEqual([undefined, undefined]);
    }
  });
}

function testAlone(): void {
  it.each(['zero-byte.jpg', 'svg-script.svg', 'bomb-16000x16000-rgba.png', 'random-bytes.webp', 'heic-hevc.heic'])(
    '%s answers with the status of its own fault and makes no session',
    async (file) => {
      const rejected = uploaded.rejected.find(({ originalFilename }) => originalFilename === file);
      await expect(account.api.upload([`nasty/${file}`])).rejects.toThrow(
        new RegExp(`^Error: ${rejected?.status} .*"code":"${rejected?.code}"`.replace('^Error: ', '^')),
      );
    },
  );
}

async function exportAll(format: string): Promise<Map<string, ImageResult>> {
  const before = await account.api.balance();
  const { last } = await account.api.run('export', uploaded, { format, preset: 'low' });
  expect(last.event).toBe('complete');
  const results = last.data.results as ImageResult[];
  expect(results.map(({ imageId }) => imageId)).toEqual(uploaded.images.map(({ id }) => id));
  const failed = results.filter(({ status }) => status === 'failed').length;
  expect(last.data.credits).toEqual({
    charged: results.length,
    refunded: failed,
    balance: before - results.length + failed,
  });
  await expectCleanBooks(test);
  return new Map(results.map((result) => [nameOf(result.imageId), result]));
}
