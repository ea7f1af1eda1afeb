import { execFileSync } from 'node:child_process';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fateOf } from '../../server/processing/shared/ledger.ts';
import { ladenJpeg, ladenWith, METADATA_KINDS } from './laden-file.ts';
import { type Harness, photo, startHarness } from './processor-harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 1, QUALITY_SEARCH: 'off' });
});
afterAll(() => harness.close());

const hasExifTool = runs('exiftool');

describe('ExifTool as a second reader', () => {
  const title = `finds what is kept in %s${hasExifTool ? '' : ' (SKIPPED: no exiftool here; Debian: libimage-exiftool-perl)'}`;
  it.skipIf(!hasExifTool).each(['jpeg', 'png', 'webp', 'avif'] as const)(title, async (format) => {
    const laden = ladenWith(METADATA_KINDS);
    const plain = await sharp(photo('photo-brushes.jpg')).resize(160).jpeg().toBuffer();
    const source = await harness.store('laden.jpg', ladenJpeg(plain, laden));
    for (const { file } of await harness.render(source, { format, metadata: 'all-but-private', widths: [80] })) {
      const read = execFileSync('exiftool', ['-a', '-G1', '-n', '-struct', file], { encoding: 'utf8' });
      expect(read).not.toMatch(/^\[ExifTool\]\s+(Warning|Error)/m);
      for (const { kind, block, text } of laden.marks) {
        const isKept = fateOf(kind, format, 'all-but-private') === 'kept';
        if (block !== 'iptc' && READABLE.test(text)) expect(read.includes(text), `${text} in ${format}`).toBe(isKept);
      }
    }
  });
});

/** ExifTool shows dates and codes in forms of its own, and of EXIF only tags with texts as they are. */
const READABLE = /^(?:X-(?:creator|credit|licence|keywords|place|people|owner|software)|E-(?:creator|copyright)-)/;

function runs(program: string): boolean {
  try {
    execFileSync(program, ['-ver'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
