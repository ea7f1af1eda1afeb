import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExif, writeExif } from '../../server/processing/worker/exif.ts';
import { makeTiff } from './made-tiff.ts';
import { decode, difference, type Harness, header, nasty, only, startHarness } from './processor-harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const PRIVATE = {
  IFD0: { Artist: 'Ada Lovelace', Copyright: '2024 Ada', Make: 'SecretCam', Software: 'SecretSoft' },
  IFD2: { DateTimeOriginal: '2024:01:02 03:04:05', BodySerialNumber: 'SerialSecret' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W', GPSLongitude: '0/1 7/1 0/1' },
};
const SECRETS = ['SecretCam', 'SecretSoft', 'SerialSecret', '2024:01:02', 'SecretXmp', 'SecretComment', 'SecretText'];
const XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><SecretXmp/></x:xmpmeta>';

/** Creates a photograph with every kind of private metadata. */
async function privatePhoto(format: 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff', orientation?: number): Promise<string> {
  const image = sharp(nasty('jpeg-exif-orientation-1.jpg')).resize(120);
  image.withExif(PRIVATE).withXmp(XMP);
  if (orientation) image.withMetadata({ orientation });
  // Low quality, so that re-encoding cannot make it smaller.
  if (format === 'tiff') image.tiff({ compression: 'jpeg', quality: 20 });
  else if (format === 'png') image.png({ palette: true, colours: 8, compressionLevel: 9, effort: 10 });
  else image[format]({ quality: 20 });
  return harness.store(`private-${orientation ?? 0}.${format}`, await image.toBuffer());
}

/** A grey TIFF of 2 x 2 pixels with an artist, and a camera maker as private data. */
function tinyTiff(): Buffer {
  const texts: [number, string][] = [
    [270, 'SecretText\0'],
    [271, 'SecretCam\0'],
    [315, 'Ada Lovelace \0'],
  ];
  const numbers: [number, number][] = [
    [256, 2],
    [257, 2],
    [258, 8],
    [259, 1],
    [262, 1],
    [277, 1],
    [278, 2],
    [279, 4],
  ];
  const count = texts.length + numbers.length + 1;
  const end = 8 + 2 + count * 12 + 4;
  const data = Buffer.concat([
    Buffer.from([10, 90, 170, 250]),
    ...texts.map(([, text]) => Buffer.from(text, 'latin1')),
  ]);
  const file = Buffer.concat([Buffer.alloc(end), data]);
  file.write('II*\0', 0, 'latin1');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(count, 8);
  const entries = numbers.map(([tag, value]) => ({ tag, type: 3, length: 1, value }));
  entries.push({ tag: 273, type: 4, length: 1, value: end });
  let offset = end + 4;
  for (const [tag, text] of texts) {
    entries.push({ tag, type: 2, length: text.length, value: offset });
    offset += text.length;
  }
  for (const [index, { tag, type, length, value }] of entries.sort((a, b) => a.tag - b.tag).entries()) {
    const at = 10 + index * 12;
    file.writeUInt16LE(tag, at);
    file.writeUInt16LE(type, at + 2);
    file.writeUInt32LE(length, at + 4);
    file.writeUInt32LE(value, at + 8);
  }
  return file;
}

async function expectNothingPrivate(file: string): Promise<void> {
  const bytes = await readFile(file, 'latin1');
  for (const secret of SECRETS) expect(bytes).not.toContain(secret);
  // GPS latitude 51/1 30/1 as EXIF stores it.
  expect(bytes).not.toContain('\x33\0\0\0\x01\0\0\0\x1e\0\0\0\x01\0\0\0');
  expect((await header(file)).orientation ?? 1).toBe(1);
}

describe('private metadata', () => {
  it('is in the fixture', async () => {
    const bytes = await readFile(await privatePhoto('jpeg'), 'latin1');
    for (const secret of SECRETS.slice(0, 5)) expect(bytes).toContain(secret);
    expect(bytes).toContain('\x33\0\0\0\x01\0\0\0\x1e\0\0\0\x01\0\0\0');
  });

  it.each(['webp', 'jpeg', 'png', 'avif'] as const)('is removed from %s, but not the attribution', async (format) => {
    const [full, small] = await harness.render(await privatePhoto('jpeg'), { format, widths: [60] });
    for (const variant of [full, small]) {
      await expectNothingPrivate(variant?.file ?? '');
      const { exif } = await header(variant?.file ?? '');
      expect(readExif(exif)).toEqual({ artist: 'Ada Lovelace', copyright: '2024 Ada' });
    }
    const without = only(await harness.render(await privatePhoto('jpeg'), { format, metadata: 'none' }));
    expect((await header(without.file)).exif).toBeUndefined();
    expect(await readFile(without.file, 'latin1')).not.toContain('Ada');
  });

  it.each(['jpeg', 'png', 'webp', 'avif', 'tiff'] as const)(
    'is gone from a kept %s, pixel for pixel',
    async (format) => {
      const file = await privatePhoto(format);
      const facts = await harness.facts(file);
      for (const keepCopyright of [true, false]) {
        const full = only(
          await harness.render(file, {
            format: 'original',
            preset: 'maximum',
            metadata: keepCopyright ? 'rights' : 'none',
          }),
        );
        expect(full).toMatchObject({ keptOriginal: true, quality: null, format });
        expect(full.size).toBeLessThanOrEqual(facts.size);
        await expectNothingPrivate(full.file);
        expect(difference(await decode(full.file), await decode(file))).toBe(0);
        const bytes = await readFile(full.file, 'latin1');
        if (!keepCopyright) expect(bytes).not.toContain('Ada Lovelace');
        else if (format !== 'avif' && format !== 'tiff') expect(bytes).toContain('Ada Lovelace');
      }
    },
  );

  it('is removed from a kept JPEG, except its orientation', async () => {
    const file = await privatePhoto('jpeg', 6);
    const full = only(await harness.render(file, { format: 'original', preset: 'maximum' }));
    expect(full).toMatchObject({ keptOriginal: true, width: 64, height: 120 });
    const read = await header(full.file);
    expect(read).toMatchObject({ orientation: 6, autoOrient: { width: 64, height: 120 } });
    expect(readExif(read.exif)).toEqual({ artist: 'Ada Lovelace', copyright: '2024 Ada' });
  });

  it('of a TIFF is removed; its artist is kept, in other formats too', async () => {
    const file = await harness.store('made.tif', tinyTiff());
    const kept = only(await harness.render(file, { format: 'original' }));
    expect(kept).toMatchObject({ keptOriginal: true, width: 2, height: 2 });
    await expectNothingPrivate(kept.file);
    expect(await readFile(kept.file, 'latin1')).toContain('Ada Lovelace');
    expect(difference(await decode(kept.file), await decode(file))).toBe(0);
    const mute = only(await harness.render(file, { format: 'original', metadata: 'none' }));
    expect(await readFile(mute.file, 'latin1')).not.toContain('Ada Lovelace');
    const png = only(await harness.render(file, { format: 'png' }));
    expect(readExif((await header(png.file)).exif)).toEqual({ artist: 'Ada Lovelace' });
  });

  it('that cannot be removed makes `original` fail instead of leaking it or growing the file', async () => {
    // The second value overlaps the pixels, which no valid TIFF has.
    const { pixelsAt } = makeTiff([{ tag: 270, type: 2, value: 'SecretText\0' }]);
    const { file } = makeTiff([{ tag: 270, type: 2, value: 'SecretText\0', at: pixelsAt - 8 }]);
    const source = await harness.store('odd.tif', file);
    await expect(harness.render(source, { format: 'original' })).rejects.toMatchObject({
      code: 'processing_failed',
      message: expect.stringContaining('choose another format'),
    });
    only(await harness.render(source, { format: 'png' }));
  });

  it('is removed from a BigTIFF and from a GIF without a trailer, which do not grow', async () => {
    const { file } = makeTiff([{ tag: 271, type: 2, value: 'SecretCam\0' }], { big: true });
    const big = only(await harness.render(await harness.store('big.tif', file), { format: 'original' }));
    expect(big.size).toBeLessThanOrEqual(file.length);
    await expectNothingPrivate(big.file);
    const gif = (await readFile(nasty('animated.gif'))).subarray(0, -1);
    const open = only(await harness.render(await harness.store('open.gif', gif), { format: 'original' }));
    expect(open).toMatchObject({ keptOriginal: true, size: gif.length });
    expect((await header(open.file)).pages).toBe(8);
  });

  it('in comments and text chunks is removed from kept files too', async () => {
    const gif = await readFile(nasty('animated.gif'));
    const comment = Buffer.from('\x21\xfe\x0dSecretComment\0', 'latin1');
    // After the global colour table.
    const at = 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1);
    const tailed = Buffer.concat([gif.subarray(0, at), comment, gif.subarray(at), Buffer.from('SecretText')]);
    const kept = only(await harness.render(await harness.store('comment.gif', tailed), { format: 'original' }));
    expect(kept.size).toBe(gif.length);
    await expectNothingPrivate(kept.file);
    expect(await header(kept.file)).toMatchObject({ pages: 8, loop: 0 });

    const jpeg = await readFile(await privatePhoto('jpeg'));
    const commented = Buffer.concat([
      jpeg.subarray(0, 2),
      Buffer.from('\xff\xfe\0\x0fSecretComment', 'latin1'),
      jpeg.subarray(2),
    ]);
    const file = await harness.store('comment.jpg', commented);
    const full = only(await harness.render(file, { format: 'original', preset: 'maximum' }));
    expect(full.keptOriginal).toBe(true);
    await expectNothingPrivate(full.file);
  });
});

describe('embedded texts', () => {
  const embed = { title: 'Golden Gate <at> "sunset" & more', alt: 'Eine Brücke im Nebel 🌉' };

  it.each(['webp', 'jpeg', 'png', 'avif'] as const)('are XMP in %s', async (format) => {
    for (const variant of await harness.render(nasty('jpeg-exif-orientation-1.jpg'), {
      format,
      embed,
      widths: [100],
    })) {
      const xmp = (await header(variant.file)).xmp?.toString('utf8') ?? '';
      expect(xmp).toContain(
        '<rdf:li xml:lang="x-default">Golden Gate &lt;at&gt; &quot;sunset&quot; &amp; more</rdf:li>',
      );
      expect(xmp).toContain(
        '<Iptc4xmpCore:AltTextAccessibility><rdf:Alt><rdf:li xml:lang="x-default">Eine Brücke im Nebel 🌉<',
      );
      await decode(variant.file);
    }
  });

  it('convert a simple WebP to an extended one, also lossless and with alpha', async () => {
    for (const file of [nasty('png-1bit.png'), nasty('png-16bit-grey-alpha.png'), nasty('animated.gif')]) {
      const plain = only(await harness.render(file, { format: 'webp' }));
      const full = only(await harness.render(file, { format: 'webp', embed: { title: 'T' } }));
      expect((await header(full.file)).xmp?.toString()).toContain('<rdf:li xml:lang="x-default">T</rdf:li>');
      expect(difference(await decode(full.file), await decode(plain.file))).toBe(0);
      expect((await header(full.file)).pages).toBe((await header(plain.file)).pages);
    }
  });

  it('cause a warning if the kept file cannot contain them, or would grow', async () => {
    const missing = [expect.objectContaining({ code: 'metadata_not_written' })];
    const gif = only(await harness.render(nasty('animated.gif'), { format: 'original', embed }));
    expect(gif).toMatchObject({ keptOriginal: true, warnings: missing });
    const bare = { format: 'original', preset: 'maximum' } as const;
    for (const format of ['avif', 'jpeg'] as const) {
      const small = await sharp(nasty('jpeg-grey.jpg')).resize(160)[format]({ quality: 20 }).toBuffer();
      const file = await harness.store(`bare.${format}`, small);
      expect(only(await harness.render(file, bare))).toMatchObject({ keptOriginal: true, warnings: [] });
      const mute = only(await harness.render(file, { ...bare, embed }));
      expect(mute).toMatchObject({ keptOriginal: true, warnings: missing });
    }
    const owned = await harness.render(await privatePhoto('avif'), bare);
    expect(owned).toMatchObject([{ keptOriginal: true, warnings: [] }]);
    expect(readExif((await header(only(owned).file)).exif)).toEqual({ artist: 'Ada Lovelace', copyright: '2024 Ada' });
  });

  it('and the copyright cause an AVIF to be encoded again if that is not larger than the upload', async () => {
    const large = sharp(nasty('jpeg-grey.jpg')).resize(160).withExif(PRIVATE).avif({ quality: 100 });
    const file = await harness.store('large.avif', await large.toBuffer());
    const full = only(await harness.render(file, { format: 'original', preset: 'maximum', embed }));
    expect(full).toMatchObject({ keptOriginal: false, warnings: [] });
    const read = await header(full.file);
    expect(readExif(read.exif)).toEqual({ artist: 'Ada Lovelace', copyright: '2024 Ada' });
    expect(read.xmpAsString).toContain('Eine Brücke');
  });

  it('are omitted if they are empty', async () => {
    const full = only(
      await harness.render(nasty('jpeg-grey.jpg'), { format: 'webp', embed: { title: '', alt: null } }),
    );
    expect((await header(full.file)).xmp).toBeUndefined();
  });
});

describe('readExif', () => {
  it('reads the block of writeExif, in UTF-8', () => {
    const tags = { artist: 'Jörg 写真', copyright: '© 2024' };
    expect(readExif(writeExif({ ...tags, orientation: 6 }) ?? undefined)).toEqual(tags);
    expect(writeExif({})).toBeNull();
    expect(writeExif({ orientation: 1 })).toBeNull();
  });

  it('reads damaged blocks as empty, and does not hang', () => {
    const fullExif = writeExif({ artist: 'Somebody', copyright: 'Something' }) ?? Buffer.alloc(0);
    for (let length = 0; length < fullExif.length; length += 1)
      expect(() => readExif(fullExif.subarray(0, length))).not.toThrow();
    for (let at = 0; at < fullExif.length; at += 1) {
      const broken = Buffer.from(fullExif);
      broken[at] = 0xff;
      expect(() => readExif(broken)).not.toThrow();
    }
  });
});
