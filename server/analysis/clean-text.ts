import { METADATA_FIELDS } from '#contract';
import { invisibleCharacters } from '../processing/index.ts';

/** Limits of a text. */
export interface TextBounds {
  /** In code points. */
  maxLength: number;
  /** Removes links, mail addresses and the names of common domains. */
  withoutLinks?: boolean;
}

/** A text fit to be stored; `clipped`: it was cut. */
export interface CleanText {
  text: string;
  clipped: boolean;
}

const INVISIBLE = invisibleCharacters();
const LINE_BREAKING = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
const MARKUP = /<\/?[a-z!?][^<>]*>?/gi;
const MARKDOWN_LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
const MARKDOWN = /\*\*|__|~~|`+|^\s*(?:#{1,6}|>|[-*])\s+|(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gmu;
// Parts and their number are bounded, as DNS and mail bound them: otherwise "a.a.a." is read again from each of its letters.
const LINKS =
  /\b(?:https?|ftp|file|data|javascript|vbscript|mailto):\S*|\bwww\.\S+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|\b[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\/\S*/gi;
// Common top-level domains, in one case throughout, without those that end file names or abbreviations: "harbour.It",
// "e.g." and "readme.md" are no addresses.
const TOP_LEVEL =
  'com net org info biz io app dev xyz shop store online website site club vip icu click link top live ' +
  'ru cn uk nl jp kr br au eu ch fr ua tk';
const DOMAINS = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?:${[...TOP_LEVEL.split(' '), ...TOP_LEVEL.toUpperCase().split(' ')].join('|')})(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`,
  'gu',
);
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Most characters that are read: longer than any limit, and short enough for every pattern. */
const LONGEST = 4000;
/** Characters that are read per one that may be left: markup and spaces are removed. A file may have a hundred long tags. */
const READ_FACTOR = 8;

/**
 * Converts untrusted input to plain text: no markup, no angle brackets, no control or bidi characters, of zero-width ones only the joiners
 * that a script or an emoji needs, single spaces, cut at a word.
 */
export function cleanText(raw: string, { maxLength, withoutLinks = false }: TextBounds): CleanText {
  let text = raw
    .slice(0, Math.min(LONGEST, maxLength * READ_FACTOR))
    .normalize('NFC')
    .replace(INVISIBLE, '');
  text = text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi, decodeEntity);
  text = text.replace(MARKDOWN_LINK, '$1').replace(MARKUP, ' ').replace(/[<>]/g, ' ');
  text = text.replace(MARKDOWN, '');
  if (withoutLinks) text = text.replace(LINKS, ' ').replace(DOMAINS, ' ');
  // Entities may have brought invisible characters back.
  text = text.replace(LINE_BREAKING, ' ').replace(INVISIBLE, '').trim();
  text = text
    .replace(/\(\s*\)|\[\s*\]/g, '')
    .replace(/ +([,.;:!?])/g, '$1')
    .replace(/ {2,}/g, ' ')
    .trim();
  return cutAtWord(unquoted(text), maxLength);
}

// Screen readers announce images themselves, so a leading "image of …" is redundant.
const LEAD_INS = [
  /^(?:this is )?(?:an?|the|this)?\s*(?:close-?up )?(?:image|picture|photo(?:graph)?|graphic|pic)\s+(?:of|showing|shows|depicting|depicts|that shows|with|featuring)\s+/i,
  /^(?:the )?(?:alt(?:ernative)?(?:[ -]text)?|image description|description|caption)\s*:\s*/i,
  /^(?:(?:das|ein|dieses|auf dem) )?(?:bild|foto|fotografie|grafik|abbildung|aufnahme)\s+(?:von(?: einem| einer)?|zeigt|mit|des|der|eines|einer|sieht man)\s+/i,
  /^(?:(?:une?|la|cette) |l['’])?(?:image|photo(?:graphie)?|illustration)\s+(?:de la |du |des |de |d['’]|montrant |montre |représentant )/i,
  /^(?:(?:una?|la|esta) )?(?:imagen|foto(?:grafía)?)\s+(?:de|del|que muestra|mostrando|con)\s+/i,
  /^(?:(?:un['’]|una |l['’]|la ))?(?:immagine|foto(?:grafia)?)\s+(?:di|del|della|che mostra|con)\s+/i,
  /^(?:(?:een|de|het) )?(?:afbeelding|foto|plaatje)\s+(?:van|met|toont)\s+/i,
  /^(?:(?:uma?|a|esta) )?(?:imagem|foto(?:grafia)?)\s+(?:de|do|da|que mostra|mostrando|com)\s+/i,
];

/** Removes a leading "image of", "Bild von", … and "Alt text:", and restores the capital letter. */
export function withoutLeadIn(text: string): string {
  let rest = text;
  for (let round = 0; round < 2; round += 1) for (const leadIn of LEAD_INS) rest = rest.replace(leadIn, '');
  if (rest === text || rest === '') return rest === '' ? text : rest;
  const [first = ''] = rest;
  const wasCapital = /^\P{Ll}/u.test(text);
  return wasCapital ? first.toLocaleUpperCase() + rest.slice(first.length) : rest;
}

/** Cuts to a number of code points, at the end of a word if one ends in the second half. */
function cutAtWord(text: string, maxLength: number): CleanText {
  const points = [...text];
  if (points.length <= maxLength) return { text, clipped: false };
  const head = points.slice(0, maxLength).join('');
  const wholeWords = / /.test(points[maxLength] ?? '') ? head : head.replace(/\s+\S*$/, '');
  const cut = wholeWords.length >= head.length / 2 ? wholeWords : head;
  return { text: cut.replace(/(?:[\s,;:–-]|\u200C|\u200D)+$/u, ''), clipped: true };
}

function unquoted(text: string): string {
  const inner = /^["“„«']([^"“”„«»]*)["”“»']$/.exec(text)?.[1];
  return inner === undefined ? text : inner.trim();
}

function decodeEntity(match: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? match;
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '' : String.fromCodePoint(code);
}

const { alt, title, caption, tags } = METADATA_FIELDS;

/** Longest texts of a description in code points, and most tags: from files, and from a model (`aiTags`). */
export const TEXT_LIMITS = {
  alt: alt.foundLength,
  title: title.foundLength,
  caption: caption.foundLength,
  tag: tags.foundLength,
  tags: 20,
  aiTags: 8,
} as const;
