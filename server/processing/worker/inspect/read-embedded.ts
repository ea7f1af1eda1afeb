import exifReader from 'exif-reader';
import type { Metadata as Header } from 'sharp';
import type { EmbeddedMetadata, EmbeddedText } from '../../shared/inspection.ts';
import { readIptc } from './read-iptc.ts';
import { readXmp } from './read-xmp.ts';

/** Texts that cameras and programs write into every file. */
const FILLERS = new RegExp(
  [
    'olympus digital camera|(konica )?minolta digital camera|digital (still )?camera|kodak .*digital .*camera',
    String.raw`sony dsc|samsung( digital camera| camera pictures)?|<?digimax.*|exif[_ ]jpeg[_ ]picture|dcim\\.*`,
    'my beautiful picture|lead technologies.*|created (with|by) .*|charset=.*|untitled|default|picture|image',
    // Names of processing modes, written by some telephones.
    '(dav|cof|edf|sdr|mde|hdr|rhdr|btf|btfhdr|rbt|ptr|nor|bty|vsco|oppo)(_soft|_vivid)?',
  ]
    .map((alternatives) => `^(${alternatives})$`)
    .join('|'),
  'i',
);

const MAX_EXIF_BYTES = 64 * 1024;
const MAX_TAGS = 100;
const MAX_TEXT_CHARACTERS = 4000;

/** Result of {@link readEmbedded}. */
export interface EmbeddedReport {
  embedded: EmbeddedMetadata;
  /** True if EXIF names a camera. */
  camera: boolean;
}

/** Reads the embedded texts, each field from the preferred standard first. */
export function readEmbedded(header: Pick<Header, 'xmpAsString' | 'iptc' | 'exif'>, language?: string): EmbeddedReport {
  const xmp = readXmp(header.xmpAsString, language);
  const iptc = readIptc(header.iptc);
  const exif = readExifTexts(header.exif);
  const tags = xmp.tags.length > 0 ? xmp.tags : iptc.tags;
  return {
    embedded: {
      // A description is not an alternative text, since it may explain the image instead of describing it.
      alt: meaningful(xmp.alt),
      title: meaningful(xmp.title) ?? untagged(iptc.title) ?? meaningful(xmp.headline),
      caption: meaningful(xmp.caption) ?? untagged(iptc.caption) ?? untagged(exif.description),
      tags: tags.slice(0, MAX_TAGS).map((tag) => tag.slice(0, MAX_TEXT_CHARACTERS)),
    },
    camera: exif.camera,
  };
}

function untagged(text: string | null): EmbeddedText | null {
  return meaningful(text === null ? null : { text, language: null });
}

function meaningful(found: EmbeddedText | null): EmbeddedText | null {
  const text = found?.text.trim().slice(0, MAX_TEXT_CHARACTERS) ?? '';
  return found === null || !/\p{L}/u.test(text) || FILLERS.test(text) ? null : { ...found, text };
}

function readExifTexts(block: Buffer | undefined): { description: string | null; camera: boolean } {
  if (!block || block.length > MAX_EXIF_BYTES) return { description: null, camera: false };
  try {
    const { Image: image } = exifReader(block);
    // The standard requires ASCII; other texts are returned as bytes, and editors write UTF-8.
    const description: unknown = image?.ImageDescription;
    return {
      description: Buffer.isBuffer(description) || typeof description === 'string' ? asText(description) : null,
      camera: Boolean(image?.Make || image?.Model),
    };
  } catch {
    return { description: null, camera: false };
  }
}

function asText(value: Buffer | string): string {
  return value.toString('utf8').replace(/\0.*$/s, '');
}
