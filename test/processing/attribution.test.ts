import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIF } from '../../server/processing/shared/exif-tags.ts';
import { readExif, writeExif } from '../../server/processing/worker/exif.ts';
import { type Harness, header, nasty, only, startHarness } from './processor-harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 1 });
});
afterAll(() => harness.close());

describe('author and copyright of an image', () => {
  const said = (creator: string, rights: string) =>
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/">' +
    `<dc:creator><rdf:Seq><rdf:li>${creator}</rdf:li></rdf:Seq></dc:creator>` +
    `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${rights}</rdf:li></rdf:Alt></dc:rights>` +
    '</rdf:Description></rdf:RDF></x:xmpmeta>';

  it('are taken from XMP if only that has them, field by field', async () => {
    const image = () => sharp(nasty('jpeg-exif-orientation-1.jpg')).resize(120).withXmp(said('Zoë', '© Zoë &amp; Co'));
    const alone = await harness.store('xmp.jpg', await image().jpeg().toBuffer());
    const webp = only(await harness.render(alone, { format: 'webp' }));
    expect(readExif((await header(webp.file)).exif)).toEqual({ artist: 'Zoë', copyright: '© Zoë & Co' });
    const none = only(await harness.render(alone, { format: 'webp', metadata: 'none' }));
    expect((await header(none.file)).exif).toBeUndefined();
    const both = image().withExif({ IFD0: { Artist: 'Ada' } });
    const mixed = await harness.store('both.jpg', await both.jpeg().toBuffer());
    const png = only(await harness.render(mixed, { format: 'png' }));
    expect(readExif((await header(png.file)).exif)).toEqual({ artist: 'Ada', copyright: '© Zoë & Co' });
  });

  it.each([
    ['UTF-8', Buffer.from('© Müller'), '© Müller'],
    ['the code page of Windows', Buffer.from('\xa9 M\xfcller\x92s', 'latin1'), '© Müller’s'],
    ['two parts', Buffer.from('Ada\0Zoë\0'), 'Ada; Zoë'],
    ['the second part alone', Buffer.from(' \0Zoë\0'), 'Zoë'],
    ['one part and its padding', Buffer.from('Ada\0\0\0'), 'Ada'],
    ['a cut character', Buffer.concat([Buffer.alloc(1023, 'a'), Buffer.from('ü')]), 'a'.repeat(1023)],
  ])('are read from EXIF in %s', (_, data, copyright) => {
    const exif = [{ directory: 'image' as const, tag: EXIF.imageId, type: 2, count: data.length, data }];
    const block = writeExif({ exif }) ?? Buffer.alloc(0);
    block.writeUInt16LE(EXIF.copyright, 10);
    expect(readExif(block)).toEqual({ copyright });
  });

  it('are taken from IPTC if only that has them', async () => {
    const dataset = (id: number, text: string) => `\x1c\x02${String.fromCharCode(id, 0, text.length)}${text}`;
    const iim = dataset(80, 'Ada') + dataset(116, '(c) Ada L.');
    const resource = `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0${String.fromCharCode(iim.length)}${iim}`;
    const segment = `\xff\xed\0${String.fromCharCode(resource.length + 2)}${resource}`;
    const jpeg = await sharp(nasty('jpeg-grey.jpg')).resize(80).jpeg().toBuffer();
    const bytes = Buffer.concat([jpeg.subarray(0, 2), Buffer.from(segment, 'latin1'), jpeg.subarray(2)]);
    const full = only(await harness.render(await harness.store('iptc.jpg', bytes), { format: 'webp' }));
    expect(readExif((await header(full.file)).exif)).toEqual({ artist: 'Ada', copyright: '(c) Ada L.' });
  });
});
