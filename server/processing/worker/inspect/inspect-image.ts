import exifReader from 'exif-reader';
import type { Metadata as Header } from 'sharp';
import { METADATA_FIELDS, XMP_FIELDS } from '#contract/constants';
import { ProcessingFailure, readSource } from '../../shared/failure.ts';
import type { EmbeddedMetadata, EmbeddedText, InspectReport, InspectTask, PixelReport } from '../../shared/protocol.ts';
import { readIptc } from '../metadata/carried.ts';
import { decodeText } from '../metadata/decode-text.ts';
import { alternativesOf, listOf, parseXmp, propertyOf } from '../metadata/parse-xmp.ts';
import { type OpenSource, openSource, openUpright, readHeader } from '../open-source.ts';
import { makeSmallCopy, measurePixels, type SmallCopy } from './pixel-facts.ts';

/**
 * Inspects one image: embedded metadata, measurements of the pixels and the copy for a vision model. Damaged pixels do not
 * prevent reading the metadata.
 */
export async function inspectImage(task: InspectTask): Promise<InspectReport> {
  const { source, facts, limits } = task;
  const header = await readHeader(source, { failOn: 'none', limitInputPixels: false });
  const { embedded, camera } = readEmbedded(header, task.language);
  const further = (task.furtherLanguages ?? []).map((tag) => [tag, readEmbedded(header, tag).embedded] as const);
  const texts = { embedded, ...(further.length > 0 ? { translated: Object.fromEntries(further) } : {}) };
  try {
    return await readSource(async () => {
      const options = { failOn: 'none' as const, limitInputPixels: limits.maxPixels };
      const opened = await openSource(source, facts.format, options);
      const copy = await makeSmallCopy(opened);
      const pixels = await measurePixels({ source, facts, camera, maxPixels: limits.maxPixels }, copy);
      return { ...texts, pixels, vision: await visionCopy(task, opened, pixels, copy) };
    });
  } catch (error) {
    if (error instanceof ProcessingFailure) return { ...texts, pixels: null, vision: null };
    throw error;
  }
}

async function visionCopy(
  { facts, vision }: InspectTask,
  source: OpenSource,
  { kind }: PixelReport,
  copy: SmallCopy,
): Promise<InspectReport['vision']> {
  if (!vision || Math.min(facts.width, facts.height) < MIN_VISION_EDGE) return null;
  // Small text needs more pixels than photographs.
  const maxEdge = kind === 'screenshot' || kind === 'document' ? vision.maxTextEdge : vision.maxEdge;
  const { data, width, height } = await makeVisionImage(source, facts, { maxEdge }, copy);
  return { base64: data.toString('base64'), width, height };
}

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

interface EmbeddedReport {
  embedded: EmbeddedMetadata;
  /** True if EXIF names a camera. */
  camera: boolean;
}

/** Reads the embedded texts, each field from the preferred standard first. */
function readEmbedded(header: Pick<Header, 'xmpAsString' | 'iptc' | 'exif'>, language?: string): EmbeddedReport {
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
    // Texts that are not ASCII are returned as bytes.
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
  return (typeof value === 'string' ? value : decodeText(value)).replace(/\0.*$/s, '');
}

/** Shortest side in pixels that can be described; some models refuse smaller images. */
const MIN_VISION_EDGE = 32;

const JPEG_QUALITY = 80;
const DARK_GREY = '#404040';
const LIGHT_GREY = '#c0c0c0';

/**
 * Renders the copy for a vision model: the first frame, upright, sRGB, at most `maxEdge` pixels a side, without metadata.
 * Transparency becomes a grey that contrasts with the picture, so that a white logo stays visible.
 */
async function makeVisionImage(
  source: OpenSource,
  size: { width: number; height: number },
  { maxEdge }: { maxEdge: number },
  { meanLightness }: Pick<SmallCopy, 'meanLightness'>,
): Promise<{ data: Buffer; width: number; height: number }> {
  const scale = Math.min(1, maxEdge / Math.max(size.width, size.height));
  const background = meanLightness > 128 ? DARK_GREY : LIGHT_GREY;
  const image = await openUpright(source, { width: maxEdge, height: maxEdge });
  const { data, info } = await image
    .resize({
      width: Math.max(MIN_VISION_EDGE, Math.round(size.width * scale)),
      height: Math.max(MIN_VISION_EDGE, Math.round(size.height * scale)),
      // Pads a long thin banner to the minimum height.
      fit: 'contain',
      background,
    })
    .toColourspace('srgb')
    .flatten({ background })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** Texts of an XMP packet: one for each metadata field with an XMP property, and the headline. */
type XmpTexts = EmbeddedMetadata & { headline: EmbeddedText | null };

/** Reads the texts of an XMP packet. One that is too large, damaged or declares a document type yields nothing. */
export function readXmp(packet: string | undefined, language: string | undefined): XmpTexts {
  const descriptions = parseXmp(packet) ?? [];
  const fields = XMP_FIELDS.map((name) => {
    const { type, xmp } = METADATA_FIELDS[name];
    const property = propertyOf(descriptions, xmp);
    return [name, type === 'list' ? listOf(property) : textOf(property, language)];
  });
  const headline = textOf(propertyOf(descriptions, 'photoshop:Headline'), language);
  return { ...(Object.fromEntries(fields) as EmbeddedMetadata), headline };
}

/** Chooses from a language alternative: the requested language, the same one of another region, the default, or the first. */
function textOf(property: unknown, wanted: string | undefined): EmbeddedText | null {
  const texts = alternativesOf(property);
  const tag = wanted?.toLowerCase();
  const primary = tag?.split('-')[0];
  return (
    texts.find(({ language }) => tag !== undefined && language === tag) ??
    texts.find(({ language }) => primary !== undefined && language?.split('-')[0] === primary) ??
    texts.find(({ language }) => language === null) ??
    texts[0] ??
    null
  );
}
