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
