import type { AnalyzeOptions, MetadataField } from '#contract';
import type { VisionAnswer } from './answer.ts';
import { cleanText, withoutLeadIn } from './clean-text.ts';
import { cleanTags } from './describe-from-file.ts';
import { type Description, setField } from './description.ts';
import { languageTag } from './language-tag.ts';
import { slugOf } from './slug.ts';
import { TEXT_LIMITS } from './text-limits.ts';

/**
 * Completes what the file says with a model's answer. What people wrote into the file stays, unless another language was
 * asked for; words of the file's name give way. Every text is cleaned and cut: the answer is as untrusted as the image.
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
    // A link's or button's picture has a function, and an informative one informs: the caller has decided.
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
  if (options.language && language && primary(language) !== primary(options.language)) review.add('language');
  return description;
}

const WHOLE = { maxLength: 10_000, withoutLinks: true };

/** A person's embedded text is kept if it is in the language that was asked for, or none was. */
function staysEmbedded(
  { source, taggedLanguages }: Description,
  field: MetadataField,
  wanted: string | undefined,
): boolean {
  if (source[field] === 'user') return true;
  if (source[field] !== 'embedded' || field === 'language') return false;
  const tagged = taggedLanguages[field];
  return wanted === undefined || (tagged !== undefined && primary(tagged) === primary(wanted));
}

function primary(language: string): string {
  return language.toLowerCase().split('-')[0] ?? '';
}
