import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../server/analysis/index.ts';
import { photo } from '../processing/processor-harness.ts';
import { type AnalysisHarness, describeImage, startAnalysisHarness } from './analysis-harness.ts';
import { alt, bag, iptcSegment, picture, withSegment, xmp } from './embedded-files.ts';

let harness: AnalysisHarness;
let analysis: Analysis;

beforeAll(async () => {
  harness = await startAnalysisHarness();
  analysis = harness.analysis();
});
afterAll(() => harness.close());

const FULL = xmp(
  alt('dc:title', { 'x-default': 'Harbour', de: 'Hafen' }) +
    alt('dc:description', { 'x-default': 'Boats wait.', de: 'Boote warten.' }) +
    alt('Iptc4xmpCore:AltTextAccessibility', { 'x-default': 'Two boats', 'de-CH': 'Zwei Boote' }) +
    bag('dc:subject', ['boat', 'Sea', 'boat', '#dusk']),
);
const EMBEDDED = { alt: 'embedded', title: 'embedded', caption: 'embedded', tags: 'embedded' };
const EXIF = (description: string, extra: Record<string, string> = {}) => ({
  IFD0: { ImageDescription: description, ...extra },
});
const iptc = async (datasets: [number, string | Buffer][], utf8 = true) =>
  withSegment(await picture().jpeg().toBuffer(), 0xed, iptcSegment(datasets, utf8));

interface Case {
  name: string;
  bytes: () => Promise<Buffer>;
  file?: string;
  options?: object;
  expected: Record<string, unknown>;
}

const CASES: Case[] = [
  ...(['jpeg', 'png', 'webp', 'avif', 'tiff'] as const).map(
    (format): Case => ({
      name: `XMP in ${format}`,
      bytes: () => picture().withXmp(FULL).toFormat(format).toBuffer(),
      expected: {
        alt: 'Two boats',
        title: 'Harbour',
        caption: 'Boats wait.',
        tags: ['boat', 'Sea', 'dusk'],
        source: EMBEDDED,
      },
    }),
  ),
  {
    name: 'XMP in the language that is asked for, or the same one of another region',
    bytes: () => picture().withXmp(FULL).jpeg().toBuffer(),
    options: { language: 'de' },
    expected: {
      alt: 'Zwei Boote',
      title: 'Hafen',
      caption: 'Boote warten.',
      language: 'de-CH',
      source: { language: 'embedded' },
    },
  },
  {
    name: 'XMP without the language that is asked for: its default',
    bytes: () => picture().withXmp(FULL).jpeg().toBuffer(),
    options: { language: 'fr' },
    expected: { alt: 'Two boats', title: 'Harbour', language: null },
  },
  ...['&lt;script&gt;', `en-${'abcdefgh-'.repeat(340)}x`, 'en-us-', 'english'].map(
    (language): Case => ({
      name: `XMP in a language that is none (${language.slice(0, 12)}): its text alone`,
      bytes: () =>
        picture()
          .withXmp(xmp(alt('dc:title', { [language]: 'Harbour' })))
          .jpeg()
          .toBuffer(),
      expected: { title: 'Harbour', language: null, source: { title: 'embedded' } },
    }),
  ),
  {
    name: 'only a description: a caption, never an alternative text',
    bytes: () =>
      picture()
        .withXmp(xmp(alt('dc:description', { 'x-default': 'Boats &amp; more' })))
        .jpeg()
        .toBuffer(),
    expected: { alt: null, caption: 'Boats & more', source: { caption: 'embedded' } },
  },
  {
    name: 'a headline, in the short form',
    bytes: () => picture().withXmp(xmp('', 'photoshop:Headline="Boats &#x26; sea"')).png().toBuffer(),
    expected: { title: 'Boats & sea', source: { title: 'embedded' } },
  },
  {
    name: 'XMP with a document type of its own: nothing',
    bytes: () =>
      picture()
        .withXmp(`<!DOCTYPE x [<!ENTITY e "boo">]>${xmp(alt('dc:title', { 'x-default': '&e;' }))}`)
        .png()
        .toBuffer(),
    expected: { title: null },
  },
  {
    name: 'XMP that is no XML: nothing',
    bytes: () => picture().withXmp('not xml <<<').png().toBuffer(),
    expected: { title: null, alt: null },
  },
  {
    name: 'XMP above 256 kB: nothing',
    bytes: () =>
      picture()
        .withXmp(xmp(alt('dc:title', { 'x-default': 'T' }) + ' '.repeat(300_000)))
        .png()
        .toBuffer(),
    expected: { title: null },
  },
  {
    name: 'hostile XMP: plain text',
    bytes: () =>
      picture()
        .withXmp(
          xmp(
            alt('Iptc4xmpCore:AltTextAccessibility', {
              'x-default': '&lt;script&gt;x&lt;/script&gt; Boat \u202Ehttp://evil.example',
            }),
          ),
        )
        .jpeg()
        .toBuffer(),
    expected: { alt: 'x Boat' },
  },
  {
    name: 'IPTC in UTF-8',
    bytes: () =>
      iptc([
        [5, 'Hafen – Süd'],
        [120, 'Boote\rim Hafen'],
        [25, 'Boot'],
        [25, 'Meer'],
      ]),
    expected: {
      title: 'Hafen – Süd',
      caption: 'Boote im Hafen',
      tags: ['Boot', 'Meer'],
      source: { title: 'embedded', tags: 'embedded' },
    },
  },
  {
    name: 'IPTC in Latin-1',
    bytes: () => iptc([[5, Buffer.from('S\xfcdhafen', 'latin1')]], false),
    expected: { title: 'Südhafen' },
  },
  {
    name: 'IPTC that is cut off: what stands before',
    bytes: async () =>
      withSegment(
        await picture().jpeg().toBuffer(),
        0xed,
        iptcSegment([
          [5, 'Harbour'],
          [25, 'x'.repeat(50)],
        ]).subarray(0, -30),
      ),
    expected: { title: 'Harbour', tags: [] },
  },
  {
    name: 'EXIF description',
    bytes: () => picture().withExif(EXIF('Boats in the harbour')).jpeg().toBuffer(),
    expected: { alt: null, caption: 'Boats in the harbour', source: { caption: 'embedded' } },
  },
  {
    name: 'EXIF description by a camera: nothing, but a photo',
    bytes: () =>
      picture()
        .withExif(EXIF('OLYMPUS DIGITAL CAMERA         ', { Make: 'OLYMPUS', Model: 'E-M1' }))
        .jpeg()
        .toBuffer(),
    expected: { caption: null, kind: 'photo', source: { kind: 'pixels' } },
  },
  {
    name: 'XMP before IPTC before EXIF, field by field',
    bytes: async () => {
      const file = await picture()
        .withXmp(xmp(alt('dc:title', { 'x-default': 'From XMP' })))
        .withExif(EXIF('From EXIF'))
        .jpeg()
        .toBuffer();
      return withSegment(
        file,
        0xed,
        iptcSegment([
          [5, 'From IPTC'],
          [120, 'Caption from IPTC'],
        ]),
      );
    },
    expected: { title: 'From XMP', caption: 'Caption from IPTC' },
  },
  {
    name: 'a title that is a camera’s file name gives way to the words of the name',
    file: 'old-mill.jpg',
    bytes: () =>
      picture()
        .withXmp(xmp(alt('dc:title', { 'x-default': 'DSC_1234.JPG' })))
        .jpeg()
        .toBuffer(),
    expected: { title: 'old mill', filename: 'old-mill', source: { title: 'filename', filename: 'filename' } },
  },
  {
    name: 'nothing embedded: the words of the name, and no alternative text',
    file: 'red-bicycle_front-view-1920x1080.jpg',
    bytes: () => picture().jpeg().toBuffer(),
    expected: {
      alt: null,
      decorative: false,
      title: 'red bicycle front view',
      filename: 'red-bicycle-front-view',
      needsReview: [],
      model: null,
      aiStatus: 'none',
    },
  },
  {
    name: 'nothing at all',
    bytes: () => picture(300, 300).jpeg().toBuffer(),
    expected: {
      alt: null,
      title: null,
      filename: null,
      caption: null,
      tags: [],
      language: null,
      facts: { orientation: 'square', transparent: false, animated: false },
    },
  },
  {
    name: 'EXIF that lies about its lengths: nothing',
    bytes: async () =>
      withSegment(
        await picture().jpeg().toBuffer(),
        0xe1,
        Buffer.from('Exif\0\0II*\0\x08\0\0\0\xff\xff\x0e\x01\x02\0\xff\xff\xff\xff\xff\xff\xff\xff', 'latin1'),
      ),
    expected: { caption: null, title: null },
  },
];

describe('without a model', () => {
  it('is tested with at least 20 files', () => expect(CASES.length).toBeGreaterThanOrEqual(20));

  it.each(CASES)('$name', async ({ bytes, file = 'IMG_2034.jpg', options, expected }) => {
    const image = await harness.place({ name: file, bytes: await bytes() });
    const { metadata, aiStatus, cached } = await describeImage(analysis, image, options);
    expect(metadata).toMatchObject(expected);
    expect({ aiStatus, cached }).toEqual({ aiStatus: 'none', cached: false });
    expect(Object.values(metadata.source)).not.toContain('ai');
  });

  const RED = { r: 220, g: 20, b: 20 };
  it.each<[string, () => Sharp, Record<string, unknown>]>([
    [
      'one colour',
      () => sharp({ create: { width: 400, height: 300, channels: 3, background: RED } }).png(),
      { kind: 'blank', facts: { dominantColour: 'red', orientation: 'landscape' } },
    ],
    [
      'a small transparent one',
      () => sharp({ create: { width: 64, height: 64, channels: 4, background: { ...RED, alpha: 0.5 } } }).png(),
      { kind: 'icon', facts: { transparent: true }, needsReview: ['small'] },
    ],
    [
      'the size of a telephone’s screen',
      () => picture(1170, 2532).png({ compressionLevel: 0 }),
      { kind: 'screenshot', facts: { orientation: 'portrait' } },
    ],
    ['a photograph', () => sharp(photo('photo-mountains.jpg')).resize(800).jpeg(), { kind: 'photo' }],
    ['a page', () => page(), { kind: 'document', facts: { dominantColour: 'white', orientation: 'portrait' } }],
  ])('guesses the kind of %s', async (_name, make, expected) => {
    const image = await harness.place({ name: 'IMG_1.png', bytes: await make().toBuffer() });
    expect((await describeImage(analysis, image)).metadata).toMatchObject({ ...expected, source: { kind: 'pixels' } });
  });
});

function page(): Sharp {
  const line = { create: { width: 480, height: 8, channels: 3 as const, background: '#222222' } };
  const composite = Array.from({ length: 20 }, (_, row) => ({ input: line, left: 60, top: 60 + row * 36 }));
  return sharp({ create: { width: 600, height: 848, channels: 3, background: '#ffffff' } })
    .composite(composite)
    .jpeg();
}
