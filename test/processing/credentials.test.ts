import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutCredentials } from '../../server/processing/worker/containers/credentials.ts';
import { type Harness, only, startHarness } from './processor-harness.ts';

/** Builds a superbox of JUMBF (ISO 19566-5). */
function superbox(label: string, kind: string, ...children: Buffer[]): Buffer {
  const description = box('jumd', Buffer.from(`${kind}\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03${label}\0`, 'latin1'));
  return box('jumb', description, ...children);
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + data.length);
  head.write(type, 4);
  return Buffer.concat([head, data]);
}

/** Credentials that say nothing private. What is not understood counts as private. */
const MANIFEST = superbox('c2pa', 'c2pa', superbox('SecretManifest', 'c2ma', superbox('c2pa.assertions', 'c2as')));
const FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const;

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 1, QUALITY_SEARCH: 'off' });
});
afterAll(() => harness.close());

/** Puts content credentials where each format has them. */
function signed(format: (typeof FORMATS)[number], file: Buffer): Buffer {
  const length = (bytes: number) => {
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32BE(bytes);
    return buffer;
  };
  if (format === 'jpeg') {
    const body = Buffer.concat([Buffer.from('JP\0\x01\0\0\0\x01', 'latin1'), MANIFEST]);
    const head = Buffer.concat([Buffer.from([0xff, 0xeb]), length(body.length + 2).subarray(2)]);
    // Behind the header of JFIF.
    const at = file[3] === 0xe0 ? 4 + file.readUInt16BE(4) : 2;
    return Buffer.concat([file.subarray(0, at), head, body, file.subarray(at)]);
  }
  if (format === 'png') {
    const body = Buffer.concat([Buffer.from('caBX'), MANIFEST]);
    return Buffer.concat([file.subarray(0, 33), length(MANIFEST.length), body, length(crc32(body)), file.subarray(33)]);
  }
  if (format === 'webp') {
    const padded = Buffer.concat([MANIFEST, Buffer.alloc(MANIFEST.length % 2)]);
    const copy = Buffer.concat([file, Buffer.from('C2PA'), length(MANIFEST.length).swap32(), padded]);
    copy.writeUInt32LE(copy.length - 8, 4);
    return copy;
  }
  const uuid = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex');
  const head = Buffer.concat([uuid, Buffer.alloc(4), Buffer.from('manifest\0'), Buffer.alloc(8)]);
  return Buffer.concat([file, length(8 + head.length + MANIFEST.length), Buffer.from('uuid'), head, MANIFEST]);
}

async function picture(format: (typeof FORMATS)[number], exif = false): Promise<Buffer> {
  const image = sharp({ create: { width: 64, height: 48, channels: 3, background: '#a63' } });
  if (exif) image.withExif({ IFD0: { Make: 'SecretCam' } });
  if (format === 'png') return image.png({ palette: true }).toBuffer();
  return image[format]({ quality: 10 }).toBuffer();
}

describe('content credentials', () => {
  it.each(FORMATS)('of a %s are found at the upload, and nothing is where there are none', async (format) => {
    const plain = await picture(format);
    expect(withoutCredentials(format, plain)).toBeNull();
    const file = await harness.store(`signed.${format}`, signed(format, plain));
    expect((await harness.facts(file)) as object).toMatchObject({
      carries: expect.arrayContaining(['content_credentials']),
    });
    for (let length = 0; length < plain.length; length += 7)
      expect(() => withoutCredentials(format, signed(format, plain).subarray(0, length))).not.toThrow();
  });

  it.each(FORMATS)('of a %s are dropped and named where pixels are encoded', async (format) => {
    const file = await harness.store(`signed.${format}`, signed(format, await picture(format)));
    for (const variant of await harness.render(file, { format: 'webp', widths: [32] })) {
      expect((await readFile(variant.file)).includes('SecretManifest')).toBe(false);
      expect(variant.warnings.map(({ code }) => code)).toContain('content_credentials_dropped');
    }
    const none = only(await harness.render(file, { format: 'webp', metadata: 'none' }));
    expect(none.warnings).toEqual([]);
  });

  it.each(FORMATS)('of a %s stay where nothing is encoded or removed, byte for byte', async (format) => {
    const bytes = signed(format, await picture(format));
    const file = await harness.store(`signed.${format}`, bytes);
    const kept = only(await harness.render(file, { format: 'original', preset: 'maximum' }));
    if (kept.keptOriginal) {
      expect(kept.warnings).toEqual([]);
      expect((await readFile(kept.file)).equals(bytes)).toBe(true);
    } else expect(kept.warnings.map(({ code }) => code)).toContain('content_credentials_dropped');
    const none = only(await harness.render(file, { format: 'original', preset: 'maximum', metadata: 'none' }));
    expect((await readFile(none.file)).includes('SecretManifest')).toBe(false);
  });

  it('go with private data of the same file, and are named', async () => {
    const file = await harness.store('both.jpg', signed('jpeg', await picture('jpeg', true)));
    const kept = only(await harness.render(file, { format: 'original', preset: 'maximum' }));
    expect(kept).toMatchObject({ keptOriginal: true });
    expect((await readFile(kept.file)).includes('Secret')).toBe(false);
    expect(kept.warnings.map(({ code }) => code)).toEqual(['content_credentials_dropped']);
  });
});
