import type { ImageFacts, ImageKind, METADATA_SOURCES, MetadataField, MetadataValues, ReviewReason } from '#contract';

/** Source of a value. */
export type MetadataSource = (typeof METADATA_SOURCES)[number];

/** Values of the fields; absent ones are unknown. */
export type FieldValues = { [Field in MetadataField]?: NonNullable<MetadataValues[Field]> };

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
