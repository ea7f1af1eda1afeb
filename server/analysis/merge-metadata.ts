import {
  type AiReason,
  type AiStatus,
  type AnalyzeOptions,
  DESCRIBING_FIELDS,
  EMPTY_METADATA,
  type ImageFacts,
  type ImageKind,
  METADATA_FIELD_NAMES,
  type METADATA_SOURCES,
  type Metadata,
  type MetadataField,
  type MetadataValues,
  type ReviewReason,
} from '#contract';

/** Source of a value. */
type MetadataSource = (typeof METADATA_SOURCES)[number];

/** Values of the fields; absent ones are unknown. */
type FieldValues = { [Field in MetadataField]?: NonNullable<MetadataValues[Field]> };

/** Findings of one analysis, before they are merged with the stored metadata. */
export interface Description {
  values: FieldValues;
  source: Partial<Record<MetadataField, MetadataSource>>;
  /** Language tags (BCP 47) of embedded texts. */
  taggedLanguages: Partial<Record<MetadataField, string>>;
  kind: { value: ImageKind; source: 'ai' | 'pixels' } | null;
  facts: ImageFacts | null;
  review: Set<ReviewReason>;
}

/** Sets a value and its source; an empty value changes nothing. */
export function setField<Field extends MetadataField>(
  description: Description,
  field: Field,
  value: FieldValues[Field] | null,
  source: MetadataSource,
): void {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return;
  description.values[field] = value;
  description.source[field] = source;
}

const TEXT_FIELDS: readonly MetadataField[] = DESCRIBING_FIELDS;

/** Options that decide which fields are written. */
export type WriteOptions = Pick<AnalyzeOptions, 'fields' | 'overwrite'>;

/** Returns the fields that an analysis may write: the requested ones, except fields that a person has edited. */
export function writableFields(current: Metadata | null, { fields, overwrite }: WriteOptions): Set<MetadataField> {
  const isRequested = (field: MetadataField): boolean => {
    if (!fields || fields.includes(field)) return true;
    // `alt` and `decorative` are one statement; `language` belongs to the texts.
    if (field === 'alt' || field === 'decorative') return fields.includes('alt') || fields.includes('decorative');
    return field === 'language';
  };
  const edited = (field: MetadataField) => current?.source[field] === 'user' && !overwrite;
  const writable = new Set(METADATA_FIELD_NAMES.filter((field) => isRequested(field) && !edited(field)));
  // An image with an alternative text by a person is not marked as decorative.
  if (!writable.has('alt') && current?.alt !== '') writable.delete('decorative');
  return writable;
}

/** Merges the findings of an analysis into the stored metadata. */
export function mergeMetadata(
  current: Metadata | null,
  description: Description,
  options: WriteOptions,
  modelCall: { aiStatus: AiStatus; aiReason?: AiReason | null; model: string | null; promptVersion: string },
): Metadata {
  const answered = modelCall.aiStatus === 'completed';
  const writable = writableFields(current, options);
  const merged: Metadata = { ...EMPTY_METADATA, ...current, source: { ...current?.source } };
  const { values, source } = description;
  let texts = 0;
  const write = (field: MetadataField) => {
    const value = values[field];
    const stored = current?.source[field];
    if (value === undefined) {
      // A new answer of the model replaces its earlier one as a whole.
      if (answered && stored === 'ai') clear(merged, field);
      return;
    }
    // A value from the file never replaces one by a model.
    if (stored === 'ai' && source[field] !== 'ai' && source[field] !== 'user' && !answered) return;
    Object.assign(merged, { [field]: value });
    merged.source[field] = source[field] ?? 'ai';
    if (TEXT_FIELDS.includes(field)) texts += 1;
  };
  for (const field of METADATA_FIELD_NAMES) if (field !== 'language' && writable.has(field)) write(field);
  if (texts > 0 && writable.has('language')) write('language');
  agreeOnDecoration(merged, writable);

  const fromModel = TEXT_FIELDS.some((field) => merged.source[field] === 'ai');
  const earlier = fromModel && !answered ? (current?.needsReview ?? []) : [];
  const kind = description.kind ?? (merged.kind ? { value: merged.kind, source: merged.source.kind } : null);
  if (kind?.source) merged.source.kind = kind.source;
  return {
    ...merged,
    kind: kind?.value ?? null,
    ...(description.facts ? { facts: description.facts } : {}),
    needsReview: [...new Set([...earlier, ...description.review])],
    model: answered ? modelCall.model : fromModel ? merged.model : null,
    promptVersion: answered ? modelCall.promptVersion : fromModel ? (merged.promptVersion ?? null) : null,
    aiStatus: modelCall.aiStatus,
    aiReason: modelCall.aiReason ?? null,
  };
}

/** Resolves contradictions between `decorative` and `alt`; a value by a person wins. */
function agreeOnDecoration(merged: Metadata, writable: Set<MetadataField>): void {
  if (merged.decorative && merged.alt !== '') {
    if (merged.source.decorative === 'user' && writable.has('alt')) {
      merged.alt = '';
      merged.source.alt = 'user';
    } else if (merged.alt !== null && merged.source.decorative !== 'user') clear(merged, 'decorative');
  }
  // An empty text is valid only for decorative images; otherwise it is unknown.
  if (!merged.decorative && merged.alt === '' && writable.has('alt')) clear(merged, 'alt');
}

function clear(metadata: Metadata, field: MetadataField): void {
  Object.assign(metadata, { [field]: EMPTY_METADATA[field] });
  delete metadata.source[field];
}
