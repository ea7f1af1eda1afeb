import {
  EMPTY_METADATA,
  emptyMetadataValues,
  type ImagePatch,
  LANGUAGE_FIELDS,
  type LanguageTexts,
  languageTag,
  MAX_LANGUAGES,
  type Metadata,
  type MetadataField,
  type MetadataPatch,
  pickFields,
  type Texts,
  type TextsPatch,
} from '#contract';
import type { ImageRecord, OtherTexts } from '../db/index.ts';
import { AppError } from '../errors.ts';

/** Stored content of an image: metadata in the first language, and texts in the other ones. */
export type Described = Pick<ImageRecord, 'metadata' | 'texts'>;

/** The same of an image with texts by language. */
export type InLanguages = Described & { texts: OtherTexts };

/** Language of texts whose language is not known (BCP 47: undetermined). */
const UNDETERMINED = 'und';

/** Returns the texts of an image by language, the first one first; undefined if it has texts in one language alone. */
export function textsByLanguage({ metadata, texts }: Described): Texts | undefined {
  if (!texts) return undefined;
  const others = Object.entries(texts.others).map(([tag, one]): [string, LanguageTexts] => [
    tag,
    { ...one, alt: altOf(one, metadata) },
  ]);
  return { [texts.first]: languageTextsOf(metadata ?? EMPTY_METADATA), ...Object.fromEntries(others) };
}

/** Returns the form of the API of what is stored. */
export function showDescribed(described: Described): { metadata: Metadata | null; texts?: Texts } {
  const texts = textsByLanguage(described);
  return { metadata: described.metadata, ...(texts ? { texts } : {}) };
}

/** Returns the part of metadata that belongs to its language. */
export function languageTextsOf(metadata: Metadata): LanguageTexts {
  const { source, needsReview, model } = metadata;
  const sources = LANGUAGE_FIELDS.flatMap((field) => (source[field] ? [[field, source[field]] as const] : []));
  return { ...pickFields(metadata, LANGUAGE_FIELDS), source: Object.fromEntries(sources), needsReview, model };
}

/** Returns metadata with the texts of one language in place of its own. */
export function withTexts(metadata: Metadata | null, language: string, texts: LanguageTexts | undefined): Metadata {
  const base = metadata ?? EMPTY_METADATA;
  const source = { ...base.source };
  for (const field of LANGUAGE_FIELDS) delete source[field];
  const { source: sources, ...own } = texts ?? languageTextsOf(EMPTY_METADATA);
  return { ...base, ...own, alt: altOf(own, metadata), language, source: { ...source, ...sources } };
}

/** Returns the alternative text of a language: whether an image is decorative does not depend on it. */
function altOf({ alt }: Pick<LanguageTexts, 'alt'>, metadata: Metadata | null): string | null {
  return metadata?.decorative ? '' : alt || null;
}

/**
 * Returns texts by language of an image that may have none yet: its metadata is taken for texts in the language that they name.
 * Without one they are in `otherwise` if there are none, else in an undetermined language.
 */
export function withLanguages({ metadata, texts }: Described, otherwise: string): InLanguages {
  if (texts) return { metadata, texts };
  const hasText = metadata !== null && LANGUAGE_FIELDS.some((field) => metadata[field]?.length);
  const first = languageTag(metadata?.language ?? null) ?? (hasText ? UNDETERMINED : otherwise);
  return { metadata, texts: { first, others: {} } };
}

/** Makes a language the first one: its texts become those of the metadata, and those of the former first one are kept beside them. */
export function withFirst(described: InLanguages, language: string): InLanguages {
  const { metadata } = described;
  const { first, others } = described.texts;
  if (first === language) return described;
  const { [language]: wanted, ...rest } = others;
  const former = metadata && languageTextsOf(metadata);
  const isEmpty = !former || LANGUAGE_FIELDS.every((field) => !former[field]?.length);
  return {
    metadata: withTexts(metadata, language, wanted),
    texts: { first: language, others: isEmpty ? rest : { ...rest, [first]: former } },
  };
}

/** Keeps at most as many languages as are allowed: the requested ones and the ones that a person has edited. */
export function withinLanguages(
  others: Record<string, LanguageTexts>,
  requested: readonly string[],
): Record<string, LanguageTexts> {
  const kept = Object.entries(others).filter(
    ([tag, { source }]) => requested.includes(tag) || Object.values(source).includes('user'),
  );
  const rest = Object.entries(others).filter(([tag]) => !kept.some(([one]) => one === tag));
  return Object.fromEntries([...kept, ...rest].slice(0, Math.max(kept.length, MAX_LANGUAGES - 1)));
}

/** Applies a person's edit: replaces the given fields and sets their source to `user`; `null` clears a field. */
export function metadataFromUser(current: Metadata | null, patch: MetadataPatch): Metadata {
  const metadata: Metadata = { ...EMPTY_METADATA, ...current, source: { ...current?.source } };
  const empty = emptyMetadataValues();
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const field = name as MetadataField;
    Object.assign(metadata, { [field]: value ?? empty[field] });
    metadata.source[field] = 'user';
  }
  return metadata;
}

/**
 * Applies a person's edit of metadata, of texts by language, or of both. A new `language` of metadata makes it the first one if
 * there are texts in it, and renames the first one otherwise.
 * @throws invalid_request if the image would have texts in too many languages
 */
export function editDescribed(current: Described, { metadata, texts }: ImagePatch): Described {
  const edited = metadata ? editMetadata(current, metadata) : current;
  return texts && Object.keys(texts).length > 0 ? editTexts(edited, texts) : edited;
}

function editMetadata({ metadata, texts }: Described, patch: MetadataPatch): Described {
  const language = languageTag(patch.language ?? null);
  if (!texts || language === null) return { metadata: metadataFromUser(metadata, patch), ...(texts ? { texts } : {}) };
  const chosen = language in texts.others ? withFirst({ metadata, texts }, language) : { metadata, texts };
  return { metadata: metadataFromUser(chosen.metadata, patch), texts: { ...chosen.texts, first: language } };
}

function editTexts(current: Described, patch: TextsPatch): Described {
  const [otherwise = ''] = Object.keys(patch);
  let { metadata, texts } = withLanguages(current, languageTag(otherwise) ?? otherwise);
  for (const [raw, fields] of Object.entries(patch)) {
    const language = languageTag(raw) ?? raw;
    const isFirst = language === texts.first;
    const stored = isFirst ? metadata : withTexts(metadata, language, texts.others[language]);
    const edited = metadataFromUser(stored, fields);
    if (LANGUAGE_FIELDS.some((field) => edited[field]?.length))
      edited.needsReview = edited.needsReview.filter((reason) => reason !== 'missing');
    if (isFirst) metadata = { ...edited, language: metadata?.language ?? language };
    else texts = { ...texts, others: { ...texts.others, [language]: languageTextsOf(edited) } };
  }
  const count = Object.keys(texts.others).length + 1;
  if (count <= MAX_LANGUAGES) return { metadata, texts };
  const message = `texts: expected at most ${MAX_LANGUAGES} languages of an image, but it would have ${count}`;
  throw new AppError('invalid_request', message, { details: { errors: { texts: [message] } } });
}
