import { type AnalyzeOptions, languageTag, type MetadataField } from '#contract';
import type { VisionAnswer } from './answer.ts';
import { cleanText, TEXT_LIMITS, withoutLeadIn } from './clean-text.ts';
import { cleanTags } from './describe-from-file.ts';
import { type Description, setField } from './merge-metadata.ts';

/**
 * Completes the description from the file with a model's answer. Texts embedded in the file are kept, unless another
 * language was requested; words of the file name are replaced. Every text is untrusted, so it is cleaned and cut.
 */
export function describeFromAnswer(
  fromFile: Description,
  answer: VisionAnswer,
  options: Pick<AnalyzeOptions, 'language' | 'usage' | 'maxAltChars'>,
): Description {
  const { values, source } = fromFile;
  const description: Description = {
    ...fromFile,
    values: { ...values },
    source: { ...source },
    kind: { value: answer.kind, source: 'ai' },
    review: new Set(fromFile.review),
  };
  const { review } = description;
  const language = languageTag(answer.language);
  const write = <Field extends MetadataField>(field: Field, value: Description['values'][Field] | null) => {
    if (!staysEmbedded(fromFile, field, options.language)) setField(description, field, value, 'ai');
  };
  const bounded = (text: string, maxLength: number): string | null => {
    const clean = cleanText(text, { maxLength, withoutLinks: true });
    if (clean.clipped) review.add('clipped');
    return clean.text || null;
  };

  if (source.alt !== 'user' && !staysEmbedded(fromFile, 'alt', options.language)) {
    // With `usage` the caller has decided already.
    const decorative = answer.decorative && options.usage === undefined;
    const alt = decorative ? '' : bounded(withoutLeadIn(cleanText(answer.alt ?? '', WHOLE).text), TEXT_LIMITS.alt);
    write('alt', alt);
    if (alt !== null) write('decorative', decorative);
    if (decorative) review.add('decorative');
    if (alt !== null && [...alt].length > options.maxAltChars) review.add('long');
  }
  write('title', bounded((answer.title ?? '').replace(/(?<!\.)\.\s*$/, ''), TEXT_LIMITS.title));
  write('filename', slugOf(answer.filename ?? '', language));
  write('caption', bounded(withoutLeadIn(cleanText(answer.caption ?? '', WHOLE).text), TEXT_LIMITS.caption));
  const tags = cleanTags(
    answer.tags.map((tag) => tag.toLocaleLowerCase(language ?? 'en')),
    TEXT_LIMITS.aiTags,
  );
  write('tags', tags);
  setField(description, 'language', language ?? options.language ?? null, 'ai');

  if (answer.people) review.add('people');
  if (answer.textInImage?.trim()) review.add('text');
  if (answer.kind === 'document' || answer.kind === 'chart') review.add(answer.kind);
  if (options.language && language && !isLanguage(language, options.language)) review.add('language');
  return description;
}

const WHOLE = { maxLength: 10_000, withoutLinks: true };

/** Keeps a person's text: one of the caller, or an embedded one unless another language was requested. */
function staysEmbedded(
  { source, taggedLanguages }: Description,
  field: MetadataField,
  wanted: string | undefined,
): boolean {
  if (source[field] === 'user') return true;
  if (source[field] !== 'embedded' || field === 'language') return false;
  return wanted === undefined || isLanguage(taggedLanguages[field], wanted);
}

/** True if two tags name one language, whatever the region. */
export function isLanguage(tag: string | undefined, wanted: string): boolean {
  return tag !== undefined && primary(tag) === primary(wanted);
}

function primary(language: string): string {
  return language.toLowerCase().split('-')[0] ?? '';
}

const MAX_WORDS = 8;
const MAX_CHARACTERS = 80;
const IMAGE_EXTENSION = /\.(?:jpe?g|png|webp|avif|gif|tiff?|svg|heic|hei?f|bmp)$/i;

/** Letters without a Unicode decomposition. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
};
const GERMAN: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/**
 * Converts a model's suggestion to a file name: lower-case ASCII words joined by hyphens, at most 8 words and 80 characters.
 * @param language BCP 47; German umlauts become two letters
 * @returns null if nothing is left
 */
function slugOf(raw: string, language: string | null): string | null {
  const letters = language?.toLowerCase().startsWith('de') ? { ...LETTERS, ...GERMAN } : LETTERS;
  const words = raw
    .slice(0, 500)
    // The last part of a path is the name.
    .split(/[/\\]/)
    .findLast((part) => /[\p{L}\p{N}]/u.test(part))
    ?.replace(/<[^<>]*>/g, ' ')
    .replace(IMAGE_EXTENSION, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\0-\x7f]/g, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}|['’]/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let slug = '';
  for (const word of words?.slice(0, MAX_WORDS) ?? []) {
    const longer = slug === '' ? word.slice(0, MAX_CHARACTERS) : `${slug}-${word}`;
    if (longer.length > MAX_CHARACTERS) break;
    slug = longer;
  }
  return slug === '' ? null : slug;
}
