import { EMPTY_METADATA, emptyMetadataValues, type Metadata, type MetadataField, type MetadataPatch } from '#contract';

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
