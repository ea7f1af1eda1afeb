import { type AnalyzeOptions, languageTag, METADATA_FIELDS, XMP_FIELDS, type XmpField } from '#contract';
import type { ImageRecord } from '../db/index.ts';
import { cleanBasename, type Inspection } from '../processing/index.ts';
import { cleanText } from './clean-text.ts';
import { type Description, setField } from './description.ts';
import { fileNameWords } from './file-name-words.ts';

import { TEXT_LIMITS } from './text-limits.ts';

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
