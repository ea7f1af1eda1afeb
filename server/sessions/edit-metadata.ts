import { EMPTY_METADATA, type Metadata, type MetadataPatch } from '#contract';

/** Applies a person's edit: given fields are replaced and from now on theirs; `null` clears a field. */
export function metadataFromUser(current: Metadata | null, patch: MetadataPatch): Metadata {
  const { tags, decorative, ...texts } = patch;
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const source = { ...(current?.source ?? {}) };
  for (const [field] of given) source[field] = 'user';
  const edited = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return {
    ...EMPTY_METADATA,
    ...current,
    ...edited,
    ...(tags !== undefined ? { tags: tags ?? [] } : {}),
    ...(decorative !== undefined ? { decorative } : {}),
    source,
  };
}
