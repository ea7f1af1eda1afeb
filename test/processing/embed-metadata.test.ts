import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutputFormat } from '#contract';
import type { EmbeddedTexts } from '#contract/constants';
import { readXmp } from '../../server/processing/worker/inspect/inspect-image.ts';
import { buildXmp } from '../../server/processing/worker/xmp.ts';
import { type Harness, only, photo, startHarness } from './processor-harness.ts';

const TEXTS = {
  title: 'Größe & <Übersicht>',
  alt: 'Zwei Boote "im" Hafen – 新しい ⛵',
  caption: "Sie warten auf d'Ebbe.",
  tags: ['Boot', 'Meer & See', '港'],
  language: 'de',
};
const FORMATS: OutputFormat[] = ['jpeg', 'png', 'webp', 'avif', 'original'];

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ WORKERS: 1 });
});
afterAll(() => harness.close());

async function rendered(format: OutputFormat, embed?: EmbeddedTexts): Promise<string> {
  return only(
    await harness.render(photo('photo-brushes.jpg'), {
      format,
      preset: 'low',
      embed,
      variants: [{ name: '320w', width: 320 }],
    }),
  ).file;
}

async function packetOf(file: string): Promise<string | undefined> {
  return (await sharp(await readFile(file)).metadata()).xmpAsString;
}

describe('texts in exported files', () => {
  it.each(FORMATS)('are read back from %s', async (format) => {
    const packet = await packetOf(await rendered(format, TEXTS));
    for (const [asked, tagged] of [
      [undefined, null],
      ['de', 'de'],
    ] as const) {
      expect(readXmp(packet, asked)).toEqual({
        alt: { text: TEXTS.alt, language: tagged },
        title: { text: TEXTS.title, language: tagged },
        caption: { text: TEXTS.caption, language: tagged },
        headline: null,
        tags: TEXTS.tags,
      });
    }
  });

  it.each(FORMATS)('name the model that wrote them in %s, and say nothing of the picture', async (format) => {
    const packet = await packetOf(await rendered(format, { ...TEXTS, writer: 'vision-1' }));
    expect(packet).toContain('<photoshop:CaptionWriter>AI: vision-1</photoshop:CaptionWriter>');
    expect(packet).not.toMatch(/AISystem|DigitalSourceType/);
    expect(await packetOf(await rendered(format, TEXTS))).not.toContain('CaptionWriter');
    expect(await packetOf(await rendered(format, { title: null, writer: 'vision-1' }))).toBeUndefined();
  });

  it.each(FORMATS)('are missing in %s unless requested', async (format) => {
    expect(await packetOf(await rendered(format))).toBeUndefined();
  });

  const exiftool = findExifTool();
  const title = exiftool
    ? 'are read by ExifTool from %s'
    : 'are read by ExifTool from %s (SKIPPED: no exiftool here; Debian: libimage-exiftool-perl)';
  it.skipIf(!exiftool).each(['jpeg', 'png', 'webp', 'avif'] as const)(title, async (format) => {
    if (!exiftool) return;
    const file = await rendered(format, TEXTS);
    const fields = [
      '-AltTextAccessibility',
      '-AltTextAccessibility-de',
      '-Title',
      '-Title-de',
      '-Description',
      '-Subject',
    ];
    const [read] = JSON.parse(execFileSync(exiftool, ['-j', '-XMP:all', ...fields, file], { encoding: 'utf8' }));
    expect(read).toMatchObject({
      AltTextAccessibility: TEXTS.alt,
      'AltTextAccessibility-de': TEXTS.alt,
      Title: TEXTS.title,
      'Title-de': TEXTS.title,
      Description: TEXTS.caption,
      Subject: TEXTS.tags,
    });
    expect(read.Warning).toBeUndefined();
  });
});

function findExifTool(): string | null {
  try {
    execFileSync('exiftool', ['-ver'], { stdio: 'ignore' });
    return 'exiftool';
  } catch {
    return null;
  }
}

describe('buildXmp', () => {
  const size = (packet: string | null) => Buffer.byteLength(packet ?? '');

  it('stays within 8 kB and omits the least important fields first', () => {
    expect(readXmp(buildXmp(TEXTS) ?? '', 'de').title?.language).toBe('de');

    const longCaption = buildXmp({ ...TEXTS, caption: 'c'.repeat(4000) });
    expect(size(longCaption)).toBeLessThanOrEqual(8192);
    expect(readXmp(longCaption ?? '', 'de')).toMatchObject({
      title: { language: null },
      tags: TEXTS.tags,
      caption: { text: 'c'.repeat(4000) },
    });

    const longer = buildXmp({
      ...TEXTS,
      caption: 'ü'.repeat(20_000),
      tags: Array.from({ length: 50 }, () => '&'.repeat(100)),
    });
    expect(size(longer)).toBeLessThanOrEqual(8192);
    expect(readXmp(longer ?? '', undefined)).toMatchObject({
      alt: { text: TEXTS.alt },
      title: { text: TEXTS.title },
      caption: null,
      tags: [],
    });

    const longest = buildXmp({ alt: '"'.repeat(5000), title: '"'.repeat(5000) });
    expect(size(longest)).toBeLessThanOrEqual(8192);
    expect(readXmp(longest ?? '', undefined)).toMatchObject({ alt: { text: '"'.repeat(1000) }, title: null });
  });

  it('returns null without texts', () => {
    expect(buildXmp({ title: '', alt: null, tags: [], language: 'de' })).toBeNull();
  });
});
