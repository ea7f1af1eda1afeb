import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { blankAvif } from '../../server/processing/worker/containers/avif.ts';
import { nasty } from './processor-harness.ts';

const plain = readFileSync(nasty('avif-input.avif'));
const META_AT = plain.readUInt32BE(0);
const NOTHING = { exif: null, xmp: null };

const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const u32 = (value: number) => Buffer.from([...u16(value >>> 16), ...u16(value & 0xffff)]);

function box(type: string, ...content: (Buffer | string)[]): Buffer {
  const parts = content.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part));
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

const META_BYTES = plain.readUInt32BE(META_AT);
const MDAT_AT = META_AT + META_BYTES;
const picture = plain.subarray(MDAT_AT + 8);

/** Builds the sample with other boxes in `meta` and an EXIF item of a given extent. */
function made({
  inMeta = [] as Buffer[],
  behind = [] as Buffer[],
  exif = null as { shift: number; length: number } | null,
  secret = '',
}): Buffer {
  const find = (type: string) => {
    const at = plain.indexOf(type, META_AT + 12, 'latin1') - 4;
    return plain.subarray(at, at + plain.readUInt32BE(at));
  };
  const infe = (id: number, type: string) => box('infe', u32(2 << 24), u16(id), u16(0), `${type}\0`);
  const ids = exif ? [1, 2] : [1];
  const build = (mediaAt: number): Buffer => {
    const lengths = [picture.length, exif?.length ?? 0];
    const offsets = [mediaAt, mediaAt + picture.length + (exif?.shift ?? 0)];
    const locations = ids.map((id, index) =>
      Buffer.concat([u16(id), u16(0), u16(1), u32(offsets[index] ?? 0), u32(lengths[index] ?? 0)]),
    );
    const iloc = box('iloc', u32(0), u16(0x4400), u16(ids.length), ...locations);
    const iinf = box('iinf', u32(0), u16(ids.length), ...ids.map((id) => infe(id, id === 1 ? 'av01' : 'Exif')));
    const kept = ['hdlr', 'pitm', 'iprp'].map(find);
    return box('meta', u32(0), ...kept, iloc, iinf, ...inMeta);
  };
  const head = plain.subarray(0, META_AT);
  const at = head.length + build(0).length + 8;
  return Buffer.concat([head, build(at), box('mdat', picture, secret), ...behind]);
}

async function samePixels(file: Buffer | null): Promise<boolean> {
  if (!file) return false;
  return (await sharp(file).raw().toBuffer()).equals(await sharp(plain).raw().toBuffer());
}

describe('blankAvif', () => {
  it('is tested with files that can be read', async () => {
    expect(await samePixels(made({}))).toBe(true);
    expect(await samePixels(made({ exif: { shift: 0, length: 10 }, secret: 'SecretExif' }))).toBe(true);
  });

  it('empties unknown boxes, free space and unreferenced data', async () => {
    for (const file of [
      made({ inMeta: [box('xml ', u32(0), '<SecretXml/>')] }),
      made({ inMeta: [box('uuid', 'SecretUuid')] }),
      made({ secret: 'SecretRest' }),
      made({ exif: { shift: 0, length: 10 }, secret: 'SecretExif' }),
      made({ behind: [box('free', 'SecretFree'), box('uuid', 'SecretUuid')] }),
    ]) {
      expect(file.includes('Secret')).toBe(true);
      const clean = blankAvif(file, NOTHING);
      expect(clean?.includes('Secret')).toBe(false);
      expect(await samePixels(clean)).toBe(true);
    }
  });

  it('empties the places and times of a movie', async () => {
    const place = box('udta', box('\xa9xyz', '+48.1+11.5Secret'));
    const file = made({
      behind: [
        box('moov', box('mvhd', u32(0), 'Times...', u32(1000), Buffer.alloc(84)), box('meta', u32(0), 'Secret'), place),
      ],
    });
    const clean = blankAvif(file, NOTHING);
    expect(clean?.includes('Secret') || clean?.includes('+48.1') || clean?.includes('Times')).toBe(false);
    expect(await samePixels(clean)).toBe(true);
    const track = box('trak', box('mdia', box('hdlr', u32(0), u32(0), 'meta', u32(0))));
    expect(blankAvif(made({ behind: [box('moov', track)] }), NOTHING)).toBeNull();
  });

  it('returns null for thumbnails, overlapping extents and unknown items', () => {
    const thumbnail = box('iref', u32(0), box('thmb', u16(2), u16(1), u16(1)));
    expect(blankAvif(made({ inMeta: [thumbnail] }), NOTHING)).toBeNull();
    expect(blankAvif(made({ exif: { shift: -5, length: 10 }, secret: 'Secret' }), NOTHING)).toBeNull();
    expect(blankAvif(made({ exif: { shift: 0, length: 1000 }, secret: 'Secret' }), NOTHING)).toBeNull();
    expect(blankAvif(made({ exif: { shift: -picture.length - 300, length: 10 } }), NOTHING)).toBeNull();
    const odd = made({});
    odd.write('hvc1', odd.indexOf('av01', META_AT), 'latin1');
    expect(blankAvif(odd, NOTHING)).toBeNull();
  });
});
