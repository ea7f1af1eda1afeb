import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METADATA_LEVELS, type MetadataLevel } from '#contract/constants';
import type { RenderedVariant } from '../../server/processing/index.ts';
import { fateOf, rowOf } from '../../server/processing/shared/ledger.ts';
import { expectLedger } from './expect-ledger.ts';
import { type Laden, ladenJpeg, ladenWith, METADATA_KINDS } from './laden-file.ts';
import { type Harness, header, nasty, only, photo, startHarness } from './processor-harness.ts';
import { checkRandomFiles } from './random-metadata.ts';

const LEVELS: readonly MetadataLevel[] = METADATA_LEVELS;
const EVERYTHING = ladenWith(METADATA_KINDS);

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 1, QUALITY_SEARCH: 'off' });
});
afterAll(() => harness.close());

async function ladenPhoto(laden: Laden, quality = 60): Promise<string> {
  const plain = await sharp(photo('photo-brushes.jpg')).resize(160).jpeg({ quality }).toBuffer();
  return harness.store('laden.jpg', ladenJpeg(plain, laden));
}

describe('the ledger, cell by cell', () => {
  const cells = LEVELS.flatMap((metadata) =>
    (['jpeg', 'png', 'webp', 'avif'] as const).map((format) => [metadata, format] as const),
  );

  it.each(cells)('%s into %s, full size and width', async (metadata, format) => {
    const source = await ladenPhoto(EVERYTHING);
    for (const variant of await harness.render(source, { format, metadata, widths: [80] })) {
      await expectLedger(variant, EVERYTHING, metadata);
      expect(variant.warnings).toEqual([]);
    }
  });

  it.each(LEVELS)('%s of a kept JPEG', async (metadata) => {
    const source = await ladenPhoto(EVERYTHING, 10);
    const kept = only(await harness.render(source, { format: 'original', preset: 'maximum', metadata }));
    expect(kept).toMatchObject({ keptOriginal: true, warnings: [] });
    await expectLedger(kept, EVERYTHING, metadata);
  });

  it.each(['png', 'webp', 'avif', 'tiff'] as const)('of a kept %s', async (format) => {
    const laden = ladenWith(METADATA_KINDS, ['xmp']);
    const image = sharp(nasty('jpeg-exif-orientation-1.jpg')).resize(480).withXmp(laden.xmp);
    if (format === 'tiff') image.tiff({ compression: 'jpeg', quality: 20 });
    else if (format === 'png') image.png({ palette: true, colours: 8, compressionLevel: 9, effort: 10 });
    else image[format]({ quality: 20 });
    const source = await harness.store(`laden.${format}`, await image.toBuffer());
    for (const metadata of LEVELS) {
      const kept = only(await harness.render(source, { format: 'original', preset: 'maximum', metadata }));
      // Encoding the PNG again is a gain of a few bytes.
      expect(kept.keptOriginal || format === 'png').toBe(true);
      const lost = format === 'tiff' && metadata === 'all-but-private' ? ['metadata_not_written'] : [];
      expect(kept.warnings.map(({ code }) => code)).toEqual(lost);
      await expectLedger(kept, laden, metadata);
    }
  });

  it('of a width in TIFF: what it cannot hold is named', async () => {
    const source = await ladenPhoto(EVERYTHING);
    const tiff = await harness.store(
      'laden.tif',
      await sharp(source).withXmp(EVERYTHING.xmp).tiff({ compression: 'deflate' }).toBuffer(),
    );
    const [width] = await harness.render(tiff, {
      format: 'original',
      metadata: 'all-but-private',
      variants: [{ name: '80w', width: 80 }],
    });
    const lost = METADATA_KINDS.filter((kind) => fateOf(kind, 'tiff', 'all-but-private') === 'metadata_not_written');
    expect(lost).toEqual(['camera', 'dates', 'rating']);
    expect(width?.warnings).toEqual([expect.objectContaining({ code: 'metadata_not_written' })]);
    const inXmp = EVERYTHING.marks.filter(({ block }) => block === 'xmp');
    await expectLedger(width as RenderedVariant, { ...EVERYTHING, marks: inXmp }, 'all-but-private');
  });
});

describe('rights that only IPTC has', () => {
  it('are written as XMP', async () => {
    const source = await ladenPhoto(ladenWith(METADATA_KINDS, ['iptc']));
    const file = only(await harness.render(source, { format: 'webp', metadata: 'all-but-private' })).file;
    const packet = (await header(file)).xmpAsString ?? '';
    for (const kind of METADATA_KINDS) {
      const { iptc = {} } = rowOf(kind);
      for (const [dataset, name] of Object.entries(iptc)) {
        const isKept = name !== null && fateOf(kind, 'webp', 'all-but-private') === 'kept';
        expect(packet.includes(`I-${kind}-${dataset}.`), `${kind} ${dataset}`).toBe(isKept);
      }
    }
  });
});

describe('XMP', () => {
  const inPacket = (inside: string, declared: string) =>
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" ${declared}>${inside}</rdf:Description></rdf:RDF></x:xmpmeta>`;
  async function exported(xmp: string) {
    const source = await ladenPhoto({ ...ladenWith([]), xmp });
    const variant = only(await harness.render(source, { format: 'webp' }));
    return { variant, packet: (await header(variant.file)).xmpAsString ?? '' };
  }

  it('with other prefixes, in short form and with resources is understood', async () => {
    const { packet } = await exported(
      inPacket(
        '<a:WebStatement rdf:resource="https://example.org/licence"/>',
        'xmlns:a="http://ns.adobe.com/xap/1.0/rights/" xmlns:b="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" ' +
          'b:DigitalSourceType="http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia"',
      ),
    );
    expect(packet).toContain('<xmpRights:WebStatement>https://example.org/licence</xmpRights:WebStatement>');
    expect(packet).toContain('digitalsourcetype/trainedAlgorithmicMedia</Iptc4xmpExt:DigitalSourceType>');
  });

  it('whose prefix stands for another namespace is not taken for rights', async () => {
    const { packet } = await exported(inPacket('<dc:rights>Foreign</dc:rights>', 'xmlns:dc="urn:other"'));
    expect(packet).toBe('');
  });

  it.each([
    ['declares a document type', '<!DOCTYPE x [<!ENTITY a "b">]><x:xmpmeta xmlns:x="adobe:ns:meta/"/>'],
    ['is larger than 256 kB', ''],
  ])('that %s is not read, and said so', async (name, packet) => {
    const png = sharp(photo('photo-brushes.jpg')).resize(40).png();
    const large = inPacket(
      `<dc:rights>${'x'.repeat(300_000)}</dc:rights>`,
      'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    );
    const file = await pngWithXmp(await png.toBuffer(), packet || large);
    const source = await harness.store(`unreadable-${name.length}.png`, file);
    const variant = only(await harness.render(source, { format: 'webp' }));
    expect(variant.warnings).toEqual([expect.objectContaining({ code: 'metadata_unreadable' })]);
    expect((await header(variant.file)).xmp).toBeUndefined();
    const none = only(await harness.render(source, { format: 'webp', metadata: 'none' }));
    expect(none.warnings).toEqual([]);
  });

  it('cannot inject elements, properties or prototypes', async () => {
    const evil = '&lt;/dc:rights&gt;&lt;exif:GPSLatitude&gt;51&lt;/exif:GPSLatitude&gt;';
    const { packet, variant } = await exported(
      inPacket(
        `<dc:rights>${evil}</dc:rights><toString>Evil</toString>`,
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
      ),
    );
    expect(packet).not.toContain('<exif:GPSLatitude>');
    expect(packet).not.toContain('Evil');
    expect(variant.warnings).toEqual([]);
    const polluted = await exported(
      inPacket('<__proto__><dc:creator>Evil</dc:creator></__proto__>', 'xmlns:dc="urn:x"'),
    );
    expect(polluted.packet).toBe('');
  });
});

describe('random sets of metadata', () => {
  it('lose nothing that is kept and carry nothing private, in 60 files', async () => {
    await checkRandomFiles(harness, 60);
  });
});

/** Adds an XMP chunk, which the library would not write. */
async function pngWithXmp(png: Buffer, packet: string): Promise<Buffer> {
  const { crc32 } = await import('node:zlib');
  const body = Buffer.concat([Buffer.from('iTXtXML:com.adobe.xmp\0\0\0\0\0', 'latin1'), Buffer.from(packet)]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length - 4);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, 33), head, body, sum, png.subarray(33)]);
}

it('reads the source file of a test', async () => {
  expect((await readFile(await ladenPhoto(EVERYTHING))).includes('PrivateTail')).toBe(true);
});
