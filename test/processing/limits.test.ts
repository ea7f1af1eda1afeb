import { describe, expect, it } from 'vitest';
import { processingConfig } from '../../server/processing/index.ts';
import { describeFailure, ProcessingFailure, readSource } from '../../server/processing/shared/failure.ts';
import { estimateMemory } from '../../server/processing/shared/variants.ts';
import { createQuarantine } from '../../server/processing/worker-queue.ts';

describe('processingConfig', () => {
  it('loads without any variable and reads numbers from text', () => {
    expect(processingConfig.parse({})).toMatchObject({
      MAX_PIXELS: 50_000_000,
      MAX_FRAMES: 300,
      IMAGE_TIMEOUT_SECONDS: 600,
      QUALITY_SEARCH: 'on',
    });
    expect(processingConfig.parse({}).WORKERS).toBeGreaterThan(0);
    expect(processingConfig.parse({ WORKERS: '3' }).WORKERS).toBe(3);
  });

  it.each(['0', '-1', '1.5', 'many', '1e9'])('refuses %s workers', (WORKERS) => {
    expect(processingConfig.safeParse({ WORKERS }).success).toBe(false);
  });

  it('describes every variable', () => {
    for (const field of Object.values(processingConfig.shape)) expect(field.description).toMatch(/\.$/);
  });
});

describe('estimateMemory', () => {
  const facts = { format: 'jpeg', width: 6000, height: 4000, hasAlpha: false, pages: 1, size: 1 } as const;
  it('is highest for AVIF', () => {
    expect(estimateMemory(facts, 'avif')).toBe(24_000_000 * 34);
    expect(estimateMemory(facts, 'webp')).toBe(24_000_000 * 20);
    // Lossless WebP may be tried up to 12 megapixels.
    expect(estimateMemory({ ...facts, height: 2000 }, 'webp')).toBe(12_000_000 * 28);
    expect(estimateMemory(facts, 'jpeg')).toBe(24_000_000 * 12);
  });

  it('counts what the score of a file keeps beside an encode', () => {
    expect(estimateMemory(facts, 'jpeg', true)).toBe(24_000_000 * (12 + 12));
    expect(estimateMemory({ ...facts, width: 1000, height: 1000 }, 'jpeg', true)).toBe(1_000_000 * 52);
    expect(estimateMemory(facts, 'avif', true)).toBe(24_000_000 * (34 + 12));
    // Without transparency, on white and on black.
    expect(estimateMemory({ ...facts, hasAlpha: true }, 'jpeg', true)).toBe(24_000_000 * (4 + 12 + 13));
  });

  it('counts the decoded frames of an animation, not the dropped ones', () => {
    const animation = { ...facts, format: 'gif', width: 100, height: 100, pages: 50 } as const;
    expect(estimateMemory(animation, 'webp')).toBe(10_000 * (50 * 4 + 24));
    expect(estimateMemory(animation, 'avif')).toBe(10_000 * 34);
  });

  it('counts of an animation with transparency only the parts that are scored', () => {
    const animation = { ...facts, format: 'gif', width: 1000, height: 1000, hasAlpha: true, pages: 50 } as const;
    expect(estimateMemory(animation, 'webp', true)).toBe(50_000_000 * (4 + 4) + 2_000_000 * (40 + 9));
  });
});

describe('createQuarantine', () => {
  it('holds an image after two crashes, and releases one that succeeded in between', () => {
    const quarantine = createQuarantine();
    quarantine.add('a', 'first');
    quarantine.release('a');
    quarantine.add('a', 'second');
    // Both shares of one render died together.
    quarantine.add('a', 'second');
    expect(quarantine.holds('a')).toBe(false);
    quarantine.add('a', 'third');
    expect(quarantine.holds('a')).toBe(true);
    expect(quarantine.holds('b')).toBe(false);
  });

  it('forgets an image an hour after its last failure', () => {
    let now = 0;
    const quarantine = createQuarantine(() => now);
    quarantine.add('a', 'first');
    now = 3_599_999;
    quarantine.add('a', 'second');
    expect(quarantine.holds('a')).toBe(true);
    now += 3_600_000;
    expect(quarantine.holds('a')).toBe(false);
    quarantine.add('a', 'third');
    expect(quarantine.holds('a')).toBe(false);
  });
});

describe('describeFailure', () => {
  it.each([
    [
      'unable to write: No space left on device',
      'insufficient_storage',
      'The server has no disk space left for the image',
    ],
    [
      'Input file is missing: /secret/path.jpg',
      'processing_failed',
      'The image could not be read from or written to the disk',
    ],
  ])('translates %j to a readable message that does not contain it', (text, code, message) => {
    expect(describeFailure(new Error(text))).toMatchObject({ code, message, cause: text });
  });

  it.each([
    ['VipsJpeg: premature end of JPEG image', 'it ends too early'],
    ['Input file has corrupt header: webp: unable to parse image', 'its header cannot be read'],
    ['heif: Invalid input: Unspecified: Corrupt frame detected (2.0)', 'it cannot be decoded'],
    ['/data/files/a.avif: bad seek to 300\nheif: Unexpected end of file', 'it ends too early'],
    ['tiff2vips: Using code not yet in table', 'it cannot be decoded'],
    ['Unknown error', 'it cannot be decoded'],
  ])('blames the file for %j of a decoder that reads it', async (text, reason) => {
    const error = await readSource(() => Promise.reject(new Error(text))).catch((thrown: unknown) => thrown);
    const message = `The file is damaged: ${reason}`;
    expect(describeFailure(error)).toEqual({ code: 'invalid_image', message, details: {}, cause: text });
  });

  it('names the limit of pixels that a file exceeds', async () => {
    const thrown = new Error('Input image exceeds pixel limit');
    const error = await readSource(() => Promise.reject(thrown)).catch((reason: unknown) => reason);
    expect(describeFailure(error)).toMatchObject({ code: 'too_many_pixels', cause: thrown.message });
  });

  it.each([
    new TypeError("Cannot read properties of undefined (reading 'width')"),
    new RangeError('The value of "offset" is out of range'),
    Object.assign(new RangeError('out of range'), { code: 'ERR_OUT_OF_RANGE' }),
    new Error('extract_area: bad extract area'),
    new Error('Expected integer between 1 and 100 for quality but received 0 of type number'),
  ])('never blames the file for %s', async (thrown) => {
    const error = await readSource(() => Promise.reject(thrown)).catch((reason: unknown) => reason);
    const failure = describeFailure(error);
    expect(failure).toMatchObject({ code: 'internal_error', unexpected: true });
    expect(failure.message).toMatch(/not in the file/);
    expect(failure.cause).toContain('limits.test.ts');
  });

  it('never blames the upload for a file that the service encoded', () => {
    const failure = describeFailure(new Error('VipsJpeg: premature end of JPEG image'));
    expect(failure).toMatchObject({ code: 'internal_error', unexpected: true });
  });

  it('keeps the codes of system errors and of its own failures', () => {
    expect(describeFailure(Object.assign(new Error('x'), { code: 'ENOSPC' })).code).toBe('insufficient_storage');
    const failure = new ProcessingFailure('output_too_large', 'too wide', { limit: 1 });
    expect(describeFailure(failure)).toEqual({ code: 'output_too_large', message: 'too wide', details: { limit: 1 } });
  });
});
