import type { Metadata, MetadataPatch } from '#contract';

const EMPTY: Metadata = {
  filename: null,
  title: null,
  alt: null,
  caption: null,
  tags: [],
  language: null,
  decorative: false,
  source: {},
  needsReview: [],
  model: null,
};

/** Applies a person's edit: given fields are replaced and from now on theirs; `null` clears a field. */
export function metadataFromUser(current: Metadata | null, patch: MetadataPatch): Metadata {
  const { tags, decorative, ...texts } = patch;
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  const source = { ...(current?.source ?? {}) };
  for (const [field] of given) source[field] = 'user';
  const edited = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return {
    ...EMPTY,
    ...current,
    ...edited,
    ...(tags !== undefined ? { tags: tags ?? [] } : {}),
    ...(decorative !== undefined ? { decorative } : {}),
    source,
  };
}
