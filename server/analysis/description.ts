import type { ImageFacts, ImageKind, METADATA_SOURCES, MetadataField, MetadataValues, ReviewReason } from '#contract';

/** Where a value comes from. */
export type MetadataSource = (typeof METADATA_SOURCES)[number];

/** Values of the fields. An absent one is unknown. */
export type FieldValues = { [Field in MetadataField]?: NonNullable<MetadataValues[Field]> };

/** What one analysis found out about an image, before anything is compared with what is stored. */
export interface Description {
  values: FieldValues;
  source: Partial<Record<MetadataField, MetadataSource>>;
  /** Languages (BCP 47) that embedded texts are tagged with. */
  taggedLanguages: Partial<Record<MetadataField, string>>;
  kind: { value: ImageKind; source: 'ai' | 'pixels' } | null;
  facts: ImageFacts | null;
  review: Set<ReviewReason>;
}

/** Puts a value into a description, with its source; an empty one changes nothing. */
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
