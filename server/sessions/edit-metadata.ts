import {
  EMPTY_METADATA,
  emptyMetadataValues,
  type ImagePatch,
  LANGUAGE_FIELDS,
  languageTag,
  MAX_LANGUAGES,
  type Metadata,
  type MetadataField,
  type MetadataPatch,
  type TextsPatch,
} from '#contract';
import { AppError } from '../errors.ts';
import { type Described, languageTextsOf, withFirst, withLanguages, withTexts } from './image-texts.ts';

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
