import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rewriteContainer } from '../../server/processing/worker/containers/rewrite.ts';
import {
  attachGainMap,
  gainMapDirectory,
  gainMapFile,
  readGainMap,
} from '../../server/processing/worker/hdr/gain-map.ts';
import { buildXmp } from '../../server/processing/worker/xmp.ts';
import { decode, type Harness, only, photo, startHarness } from './processor-harness.ts';
import { gainAt, isoParameters, makeUltraHdr, splitImages, xmpParameters } from './ultra-hdr.ts';

const SIZE = { width: 480, height: 320 };
/** Smooth: the gains are between 1.1 and 1.9. */
const light = (x: number, y: number) => 0.15 + 0.8 * (x / SIZE.width) * (0.4 + (0.6 * y) / SIZE.height);
/** Ten points in parts of width and height. */
const POINTS = Array.from({ length: 10 }, (_, index): [number, number] => [
  0.08 + index * 0.09,
  0.15 + ((index * 3) % 10) * 0.075,
]);

let harness: Harness;
let source: Buffer;
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 1, QUALITY_SEARCH: 'off' });
  source = await makeUltraHdr(SIZE, light);
});
afterAll(() => harness.close());

async function expectGains(file: Buffer, parameters = isoParameters): Promise<void> {
  const [base, map] = splitImages(file);
  const [, sourceMap] = splitImages(source);
  for (const image of [base, map]) await sharp(image, { failOn: 'error' }).stats();
  for (const [x, y] of POINTS) {
    const known = await gainAt(sourceMap, isoParameters(sourceMap), x, y);
    const got = await gainAt(map, parameters(map), x, y);
    expect(Math.abs(got / known - 1), `${x} ${y}`).toBeLessThan(0.05);
  }
}

describe('the gain map of an Ultra HDR photograph', () => {
  it('is known: light divided by the standard picture', async () => {
    const [base, map] = splitImages(source);
    const { data, info } = await sharp(base, { ignoreIcc: true } as object)
      .raw()
      .toBuffer({ resolveWithObject: true });
    for (const [x, y] of POINTS) {
      const [column, row] = [Math.floor(x * info.width), Math.floor(y * info.height)];
      const value = (data[(row * info.width + column) * info.channels] ?? 0) / 255;
      const linear = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
      const gain = await gainAt(map, isoParameters(map), x, y);
      expect(Math.abs((gain * linear) / light(column, row) - 1)).toBeLessThan(0.05);
    }
  });

  it.each(['jpeg', 'original'] as const)('is kept into %s, in widths too', async (format) => {
    const file = await harness.store('hdr.jpg', source);
    for (const variant of await harness.render(file, { format, widths: [240, 100] })) {
      const bytes = await readFile(variant.file);
      expect(variant.warnings.map(({ code }) => code)).not.toContain('hdr_dropped');
      await expectGains(bytes);
      const [base, map] = splitImages(bytes);
      expect(await sharp(base).metadata()).toMatchObject({ width: variant.width, height: variant.height });
      const { width = 0, height = 0 } = await sharp(map).metadata();
      expect(width / height).toBeCloseTo(variant.width / variant.height, 1);
      expect(width).toBeLessThanOrEqual(variant.width);
    }
  });

  it('is encoded with the quality of the preset', async () => {
    const file = await harness.store('hdr.jpg', source);
    const sizes: number[] = [];
    for (const preset of ['maximum', 'medium', 'minimum'] as const) {
      const [, map] = splitImages(await readFile(only(await harness.render(file, { format: 'jpeg', preset })).file));
      sizes.push(map.length);
    }
    expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
  });

  it('turns and is cropped with its photograph', async () => {
    const [base, map] = splitImages(source);
    const turned = await sharp(base).withMetadata({ orientation: 6 }).jpeg({ quality: 90 }).toBuffer();
    const file = attachGainMap(turned, map, true);
    const full = only(await harness.render(await harness.store('turned.jpg', file), { format: 'jpeg' }));
    const [, got] = splitImages(await readFile(full.file));
    expect(await sharp(got).metadata()).toMatchObject({ width: 160, height: 240 });
    for (const [x, y] of POINTS) {
      // Turned by 90 degrees, clockwise: the top of the upload is on the right.
      const known = await gainAt(map, isoParameters(map), y, 1 - x);
      expect(Math.abs((await gainAt(got, isoParameters(got), x, y)) / known - 1)).toBeLessThan(0.05);
    }
    const cover = { name: '160w', width: 160, height: 160, fit: 'cover', focalPoint: { x: 1, y: 0.5 } } as const;
    const crop = only(
      await harness.render(await harness.store('hdr.jpg', source), { format: 'jpeg', variants: [cover] }),
    );
    const [, cropped] = splitImages(await readFile(crop.file));
    for (const [x, y] of POINTS) {
      const known = await gainAt(map, isoParameters(map), 1 / 3 + (x * 2) / 3, y);
      expect(Math.abs((await gainAt(cropped, isoParameters(cropped), x, y)) / known - 1)).toBeLessThan(0.05);
    }
  });

  it('told of in XMP, as telephones do, is kept beside the rights', async () => {
    const [base, map] = splitImages(source);
    const { min, max, gamma } = isoParameters(map);
    const xmp = ` hdrgm:Version="1.0" hdrgm:GainMapMin="${min}" hdrgm:GainMapMax="${max}" hdrgm:Gamma="${gamma}" hdrgm:HDRCapacityMax="2">`;
    const second = gainMapFile({ jpeg: map, xmp, iso: null });
    const rights = new Map([['dc:rights', { form: 'alt' as const, texts: [{ language: null, text: 'Ada' }] }]]);
    const packet = buildXmp({ xmp: rights, gainMap: gainMapDirectory(second.length) });
    const first = rewriteContainer('jpeg', base, { exif: null, xmp: packet }, true) ?? base;
    const file = await harness.store('phone.jpg', attachGainMap(first, second, false));
    for (const variant of await harness.render(file, { format: 'jpeg', widths: [120] })) {
      const bytes = await readFile(variant.file);
      await expectGains(bytes, xmpParameters);
      const [photograph, gains] = splitImages(bytes);
      const told = photograph.toString('utf8');
      expect(told).toContain('>Ada<');
      expect(told).toContain('hdrgm:Version="1.0"');
      expect(told).toContain(`Item:Length="${gains.length}"`);
      expect(gains.includes('ISO')).toBe(false);
    }
  });

  it('is kept in a file that is not encoded again, and private data is not', async () => {
    const [, map] = splitImages(source);
    const small = await sharp(photo('photo-brushes.jpg'))
      .resize(SIZE.width, SIZE.height, { fit: 'fill' })
      .withExif({ IFD0: { Make: 'SecretCam', Artist: 'Ada' } })
      .jpeg({ quality: 10 })
      .toBuffer();
    const file = Buffer.concat([attachGainMap(small, map, true), Buffer.from('SecretTail')]);
    const kept = only(
      await harness.render(await harness.store('small.jpg', file), { format: 'original', preset: 'maximum' }),
    );
    expect(kept).toMatchObject({ keptOriginal: true, warnings: [] });
    const bytes = await readFile(kept.file);
    await expectGains(bytes);
    expect(bytes.includes('Secret')).toBe(false);
    expect(bytes.includes('Ada')).toBe(true);
  });

  it.each(['webp', 'avif', 'png'] as const)('dropped into %s is named', async (format) => {
    const file = await harness.store('hdr.jpg', source);
    for (const variant of await harness.render(file, { format, widths: [100] }))
      expect(variant.warnings.map(({ code }) => code)).toContain('hdr_dropped');
  });

  it('that is damaged is dropped and named, and the photograph is exported', async () => {
    const [base] = splitImages(source);
    // Its parameters stay, its tables do not.
    const file = Buffer.from(source).fill(0xff, base.length + 120);
    const full = only(await harness.render(await harness.store('broken.jpg', file), { format: 'jpeg' }));
    expect(full.warnings.map(({ code }) => code)).toContain('hdr_dropped');
    await decode(full.file);
  });

  it('is found at the upload, and cut lists never throw', async () => {
    const { carries } = await harness.processor.probe({
      account: 'a',
      file: await harness.store('hdr.jpg', source),
      sha256: 'x',
      originalFilename: 'hdr.jpg',
    });
    expect(carries).toContain('gain_map');
    const at = source.indexOf('MPF\0', 0, 'latin1');
    for (let byte = at; byte < at + 90; byte += 1) {
      const odd = Buffer.from(source);
      odd[byte] = 0xff;
      expect(() => readGainMap(odd)).not.toThrow();
      expect(() => readGainMap(odd.subarray(0, byte))).not.toThrow();
    }
  });
});

describe('a gain map that cannot be written again', () => {
  const APPLE = 'urn:com:apple:photo:2020:aux:hdrgainmap';
  const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);
  const plain = (channels: 3 | 4 = 3) =>
    sharp({ create: { width: 64, height: 48, channels, background: { r: 160, g: 90, b: 40, alpha: 0.5 } } });

  /** A photograph with Apple's older map, as its JPEGs have it. */
  async function appleJpeg(): Promise<Buffer> {
    const packet =
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
      `<rdf:Description xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" apdi:AuxiliaryImageType="${APPLE}"/>` +
      '</rdf:RDF></x:xmpmeta>';
    const map = await plain().greyscale().resize(32).withXmp(packet).jpeg().toBuffer();
    return attachGainMap(await plain().jpeg().toBuffer(), map, false);
  }

  /** An AVIF whose item of EXIF became a map of ISO 21496-1. */
  async function isoAvif(): Promise<Buffer> {
    const picture = sharp(photo('photo-brushes.jpg')).resize(160);
    const file = await picture
      .withExif({ IFD0: { Artist: 'Ada' } })
      .avif({ quality: 5 })
      .toBuffer();
    file.write('tmap', file.indexOf('Exif', file.indexOf('iinf'), 'latin1'), 'latin1');
    return file;
  }

  /** An AVIF whose auxiliary image is Apple's map. */
  async function appleAvif(): Promise<Buffer> {
    const file = await plain(4).avif().toBuffer();
    const at = file.indexOf('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha', 0, 'latin1');
    file.fill(0, at, at + 43).write(APPLE, at, 'latin1');
    return file;
  }

  it.each([
    ['Apple, in a JPEG', 'apple.jpg', appleJpeg],
    ['ISO 21496-1, in an AVIF', 'iso.avif', isoAvif],
    ['Apple, in an AVIF', 'apple.avif', appleAvif],
  ])('(%s) is found at the upload, and its loss is named in every format and width', async (_kind, name, make) => {
    const file = await harness.store(name, await make());
    expect(await harness.facts(file)).toMatchObject({ carries: expect.arrayContaining(['gain_map']) });
    for (const format of ['jpeg', 'webp', 'avif', 'png'] as const)
      for (const made of await harness.render(file, { format, widths: [32] }))
        expect(codes(made)).toContain('hdr_dropped');
  });

  it('stays in an AVIF that is not encoded again, and not in a JPEG', async () => {
    const avif = await harness.store('kept.avif', await isoAvif());
    const kept = only(await harness.render(avif, { format: 'original', preset: 'maximum' }));
    expect(kept.keptOriginal).toBe(true);
    expect(codes(kept)).not.toContain('hdr_dropped');
    expect((await readFile(kept.file)).includes('tmap')).toBe(true);
    const jpeg = await harness.store('kept.jpg', await appleJpeg());
    expect(codes(only(await harness.render(jpeg, { format: 'original', preset: 'maximum' })))).toContain('hdr_dropped');
  });

  it('is not found in an AVIF with transparency, nor in a JPEG with another picture behind it', async () => {
    for (const [name, bytes] of [
      ['alpha.avif', await plain(4).avif().toBuffer()],
      ['second.jpg', attachGainMap(await plain().jpeg().toBuffer(), await plain().jpeg().toBuffer(), false)],
    ] as const)
      expect(((await harness.facts(await harness.store(name, bytes))) as { carries?: string[] }).carries).not.toContain(
        'gain_map',
      );
  });
});
