import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode, OutputFormat } from '#contract';
import { probeOf } from '../support/turn.ts';
import { decode, type Harness, header, nasty, startHarness, timeOf } from './processor-harness.ts';

const manifest = JSON.parse(readFileSync(nasty('manifest.json'), 'utf8')) as { file: string; expect: string }[];

/** Files refused at upload, with the expected part of the message. */
const REFUSED: Record<string, [ErrorCode, RegExp]> = {
  'bmp-input.bmp': ['unsupported_image', /bmp/],
  'bomb-16000x16000-rgba.png': ['too_many_pixels', /256000000/],
  'bomb-30000x30000-1bit.png': ['too_many_pixels', /900000000/],
  'bomb-header-lies-65000x65000.png': ['too_many_pixels', /4225000000/],
  'heic-hevc.heic': ['unsupported_image', /HEIC.*export the photo as JPEG/],
  'html-renamed.png': ['unsupported_image', /html/],
  'jpeg-header-only.jpg': ['invalid_image', /ends too early/],
  'jxl-input.jxl': ['unsupported_image', /jxl/],
  'random-bytes.webp': ['invalid_image', /header cannot be read/],
  'svg-billion-laughs.svg': ['unsupported_image', /SVG/],
  'svg-external-entity.svg': ['unsupported_image', /SVG/],
  'svg-huge-100000x100000.svg': ['unsupported_image', /SVG/],
  'svg-local-file-href.svg': ['unsupported_image', /SVG/],
  'svg-plain.svg': ['unsupported_image', /SVG.*PNG/],
  'svg-script.svg': ['unsupported_image', /SVG/],
  'text-renamed.jpg': ['unsupported_image', /text/],
  'zero-byte.jpg': ['unsupported_image', /empty/],
};

/** Files accepted by their header and refused when decoded. */
const DAMAGED: Record<string, RegExp> = {
  'jpeg-progressive-truncated.jpg': /ends too early/,
  'jpeg-truncated.jpg': /ends too early/,
  'jpeg-scan-bomb.jpg': /scans/,
  'png-bad-crc-idat.png': /checksums/,
  'png-bad-crc-ihdr.png': /damaged/,
  'png-truncated.png': /checksums/,
};

/** Longest refusal, in milliseconds: a tenth of a second on a quiet machine, since only a few bytes are read. */
const AT_ONCE_MS = 15_000;

/** Files too wide for some formats. */
const TOO_WIDE = ['png-extreme-aspect-20000x1.png', 'png-wide-17000x64.png'];

/** Tests every hostile file; those that are accepted are encoded in each of `formats`. */
export function testHostileFiles(formats: readonly OutputFormat[]): void {
  describe('every hostile file', () => testFiles(formats));
}

function testFiles(formats: readonly OutputFormat[]): void {
  let harness: Harness;
  beforeAll(async () => {
    // Exports of these files are searched in test/exports/nasty.long.test.ts.
    harness = await startHarness({ QUALITY_SEARCH: 'off' });
  });
  afterAll(() => harness.close());

  it('is covered by this test as listed in the manifest', () => {
    for (const { file, expect: expected } of manifest) {
      const refused = file in REFUSED || file in DAMAGED;
      const treated = TOO_WIDE.includes(file) || file === 'svg-plain.svg' ? 'fallback' : refused ? 'reject' : 'accept';
      expect(`${file} ${treated}`).toBe(`${file} ${expected}`);
    }
    expect(manifest.length).toBe(57);
  });

  it.each(Object.entries(REFUSED))('%s is refused at the probe', async (file, [code, message]) => {
    const refuse = async () => {
      const error = await harness.processor.probe(probeOf(nasty(file), file)).then(
        () => expect.unreachable(),
        (reason: unknown) => reason as Error & { code: string; details: Record<string, unknown> },
      );
      expect(error.code).toBe(code);
      expect(error.message).toMatch(message);
      if (code === 'unsupported_image') expect(error.details.supported).toContain('webp');
      if (code === 'too_many_pixels') expect(error.details.limit).toBe(50_000_000);
    };
    expect(await timeOf(refuse)).toBeLessThan(AT_ONCE_MS);
  });

  it.each(Object.entries(DAMAGED))('%s is refused with a readable reason', async (file, message) => {
    for (const format of ['webp', 'original'] as const) {
      const refuse = () =>
        expect(harness.render(nasty(file), { format })).rejects.toMatchObject({
          code: 'invalid_image',
          message: expect.stringMatching(message),
        });
      expect(await timeOf(refuse)).toBeLessThan(AT_ONCE_MS);
    }
  });

  it.each(TOO_WIDE)('%s is refused in WebP and AVIF with their limit; PNG, JPEG and original work', async (file) => {
    await expect(harness.render(nasty(file), { format: 'webp' })).rejects.toMatchObject({
      code: 'output_too_large',
      message: expect.stringContaining('16383'),
    });
    await expect(harness.render(nasty(file), { format: 'avif' })).rejects.toMatchObject({
      code: 'output_too_large',
      message: expect.stringContaining('16384'),
    });
    for (const format of ['png', 'jpeg', 'original'] as const) {
      const [full, small] = await harness.render(nasty(file), { format, widths: [640] });
      expect(full?.width).toBeGreaterThan(16_384);
      expect(small).toMatchObject({
        width: 640,
        height: Math.max(1, Math.round((64 * 640) / 17_000)) - (full?.height === 1 ? 1 : 0),
      });
    }
  });

  const accepted = manifest.filter(({ expect: expected }) => expected === 'accept').map(({ file }) => file);
  it.each(accepted.filter((file) => !(file in DAMAGED)))(`%s becomes ${formats.join(', ')}`, async (file) => {
    const facts = await harness.facts(nasty(file));
    const check = async (format: OutputFormat): Promise<void> => {
      const widths = facts.width > 100 ? [100] : [];
      const variants = await harness.render(nasty(file), { format, widths });
      for (const variant of variants) {
        const bytes = await stat(variant.file);
        const read = await header(variant.file);
        expect(variant.size).toBe(bytes.size);
        expect(read.format).toBe(variant.format === 'avif' ? 'heif' : variant.format);
        expect([read.autoOrient.width, read.pageHeight ?? read.autoOrient.height]).toEqual([
          variant.width,
          variant.height,
        ]);
        if (!variant.keptOriginal) expect(read.orientation ?? 1).toBe(1);
        await decode(variant.file);
      }
      expect(variants[0]).toMatchObject({ width: facts.width, height: facts.height });
      if (format === 'original') expect(variants[0]?.size).toBeLessThanOrEqual(facts.size);
    };
    await Promise.all(formats.map(check));
    expect(await harness.leftovers()).toEqual([]);
  });

  it('removes 5 MB of metadata, trailing data and bombs', async () => {
    for (const file of ['jpeg-giant-exif-xmp.jpg', 'jpeg-trailing-garbage.jpg', 'polyglot-jpeg-zip.jpg']) {
      const [full] = await harness.render(nasty(file), { format: 'original', preset: 'maximum' });
      // At this preset the re-encoded file is larger, so these are the upload's own pixels.
      expect(full).toMatchObject({ keptOriginal: true, quality: null });
      expect(full?.size).toBeLessThan(82_000);
    }
    const [png] = await harness.render(nasty('bomb-png-ztxt.png'), { format: 'original' });
    expect(png?.size).toBeLessThan(200);
  });

  it('warns of a wrong extension', async () => {
    const probed = await harness.processor.probe(probeOf(nasty('png-named-as.jpg'), 'a.jpg'));
    expect(probed).toMatchObject({ format: 'png', mimeType: 'image/png', warnings: [{ code: 'format_mismatch' }] });
  });
}
