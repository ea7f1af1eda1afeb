import { type AnalyzeOptions, languageTag, METADATA_FIELDS, XMP_FIELDS, type XmpField } from '#contract';
import type { ImageRecord } from '../db/index.ts';
import { cleanBasename, type Inspection } from '../processing/index.ts';
import { cleanText, TEXT_LIMITS } from './clean-text.ts';
import { type Description, setField } from './merge-metadata.ts';

/** Longest edge in pixels below which an image counts as very small. */
const SMALL_EDGE = 128;

/** The texts that files can hold; lists are handled apart. */
const XMP_TEXTS = XMP_FIELDS.filter(
  (field): field is Exclude<XmpField, 'tags'> => METADATA_FIELDS[field].type === 'text',
);

/**
 * Describes an image without a model, from embedded texts, the words of the file name and facts about the pixels.
 * Fields without a source stay unknown; an alternative text `""` would mean decorative.
 */
export function describeFromFile(
  image: Pick<ImageRecord, 'originalFilename' | 'width' | 'height'>,
  { embedded, pixels }: Pick<Inspection, 'embedded' | 'pixels'>,
  options: Pick<AnalyzeOptions, 'usage'>,
): Description {
  const description: Description = {
    values: {},
    source: {},
    taggedLanguages: {},
    kind: pixels?.kind ? { value: pixels.kind, source: 'pixels' } : null,
    facts: pixels?.facts ?? null,
    review: new Set(),
  };
  for (const field of XMP_TEXTS) {
    const found = embedded[field];
    if (!found) continue;
    const { text, clipped } = cleanText(found.text, {
      maxLength: METADATA_FIELDS[field].foundLength,
      withoutLinks: field !== 'caption',
    });
    // Import programs often set the title to the file name.
    if (text === '' || (field === 'title' && isFileName(text))) continue;
    setField(description, field, text, 'embedded');
    const tagged = languageTag(found.language);
    if (tagged) description.taggedLanguages[field] = tagged;
    if (clipped) description.review.add('clipped');
  }
  setField(description, 'tags', cleanTags(embedded.tags, TEXT_LIMITS.tags), 'embedded');
  const tagged = description.taggedLanguages;
  setField(description, 'language', tagged.alt ?? Object.values(tagged)[0] ?? null, 'embedded');

  const words = fileNameWords(image.originalFilename);
  if (words !== null) {
    if (description.values.title === undefined) {
      const { text } = cleanText(words, { maxLength: TEXT_LIMITS.title, withoutLinks: true });
      setField(description, 'title', text || null, 'filename');
    }
    setField(description, 'filename', cleanBasename(words.toLowerCase().replace(/[\s'’&]+/gu, '-')), 'filename');
  }
  if (options.usage === 'decorative') {
    // Stated by the caller, not found in the file.
    setField(description, 'decorative', true, 'user');
    setField(description, 'alt', '', 'user');
  }
  if (Math.max(image.width, image.height) < SMALL_EDGE) description.review.add('small');
  return description;
}

/** Cleans and deduplicates tags and keeps the first `limit`. */
export function cleanTags(raw: string[], limit: number): string[] {
  const tags = new Map<string, string>();
  for (const tag of raw) {
    const { text } = cleanText(tag.replace(/^#+/, ''), { maxLength: TEXT_LIMITS.tag, withoutLinks: true });
    const key = text.toLowerCase();
    if (/[\p{L}\p{N}]/u.test(text) && !tags.has(key)) tags.set(key, text);
    if (tags.size === limit) break;
  }
  return [...tags.values()];
}

function isFileName(title: string): boolean {
  return (/\.[a-z]{3,4}$/i.test(title) || !title.includes(' ')) && fileNameWords(title) === null;
}

const EXTENSION = /(?:\.(?:arw|cr[23]|nef|dng|orf|raf|rw2|psd|mp))?\.[a-z0-9]{2,5}$/i;

/** Programs that name files after themselves and the time. Tested first. */
const PROGRAM_NAMES =
  /^(?:screen[ _-]?shot|screen[ _-]?recording|bildschirmfoto|schermata|capture d.[eé]cran|captura de (?:pantalla|ecrã)|schermafbeelding|whatsapp[ _-](?:image|bild|foto|video)|signal|telegram|fb[ _-]img|received|clipboard|zwischenablage|image[ _-]from[ _-]ios|snapchat|chatgpt image|gemini generated image|dall[·._ -]?e)(?=[\s_.-]*(?:\d|\(|$))/i;
/** Prefixes that devices and programs number, with the number. */
const COUNTED_NAMES =
  /^_*(?:img|imag|image|mg|dsc[nf]?|dji|gopr|gh|gx|pxl|mvimg|pano|psx|cimg|hpim|sam|kimg|imgp|dcp|sdc|wp|vid|burst|p|r|photo|picture|pic|foto|bild|bilder|scan|file|unnamed|untitled|unbenannt|download|screenshot|bildschirmfoto|temp|tmp|page|slide|frame|render|output|noname|media|asset|attachment|anhang)[\s_.-]*(?:e?\d+|\(\d+\)|$)/i;
/** Suffixes that programs append. */
const NOISE =
  /(?<=^|[\s_.@-])(?:scaled|resized|cropped|edit(?:ed)?|bearbeitet|rotated|thumb(?:nail)?|hd|4k|8k|final|optimi[sz]ed|copy|kopie|wa\d+|mp|hdr|cover|burst\d*|e\d{10,}|[1-9]x)(?=$|[\s_.@-])/gi;

const UUIDS_AND_HEX =
  /(?<=^|[\s_.-])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}|\d{6,})(?=$|[\s_.-])/gi;
const DATES =
  /(?<=^|[\s_.-])(?:(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])[-_.]?(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])[-_.](?:0[1-9]|1[0-2])[-_.](?:19|20)\d\d)(?:[\sT_-]*(?:(?:at|um) )?\d{1,2}[.:_-]?\d{2}(?:[.:_-]?\d{2,5})?)?(?=$|[\s_.-])/gi;
const SIZES = /(?<=^|[\s_.-])(?:\d{2,5}\s?[x×]\s?\d{2,5}(?:px)?|\d{2,5}(?:w|h|px))(?=$|[\s_.@-])|@\dx(?=$|[\s_.-])/gi;
const COPIES = /\s*\(\d{1,3}\)/g;
const MAX_CHARACTERS = 200;

/**
 * Extracts the words that a person put into a file name; null if a device or program generated it.
 * Extensions, sizes, copy numbers, ids and dates are removed.
 */
export function fileNameWords(filename: string): string | null {
  const base = (filename.split(/[/\\]/).at(-1) ?? '').slice(0, 500).normalize('NFC').replace(EXTENSION, '').trim();
  if (PROGRAM_NAMES.test(base)) return null;
  let rest = base;
  for (const pattern of [UUIDS_AND_HEX, DATES, SIZES, COPIES]) rest = rest.replace(pattern, ' ');
  // A long serial number may have been removed as an id.
  if (COUNTED_NAMES.test(base)) rest = rest.replace(/^_*[a-z]+[\s_.-]*(?:e?\d+)?/i, ' ');
  const words = rest
    .replace(NOISE, ' ')
    .replace(/(\p{Ll}{2})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/[^\p{L}\p{M}\p{N}'’&]+/gu, ' ')
    .trim()
    .split(' ');
  // Numbers at the end count copies; one of four digits may be a year.
  while (words.length > 1 && /^\d{1,3}$/.test(words.at(-1) ?? '')) words.pop();
  const found = words.join(' ').slice(0, MAX_CHARACTERS).trim();
  const letters = found.match(/\p{L}/gu)?.length ?? 0;
  return letters < 2 || looksRandom(found) ? null : found;
}

/** Detects random strings: letters and digits that alternate, or letters without a vowel. */
function looksRandom(text: string): boolean {
  if (text.includes(' ')) return false;
  const changes = text.match(/\p{L}\p{N}|\p{N}\p{L}/gu)?.length ?? 0;
  return changes >= 3 || (/^[a-z]{5,}$/i.test(text) && !/[aeiouy]/i.test(text));
}
