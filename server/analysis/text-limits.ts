import { METADATA_FIELDS } from '#contract';

const { alt, title, caption, tags } = METADATA_FIELDS;

/** Longest texts of a description in code points, and most tags: from files, and from a model (`aiTags`). */
export const TEXT_LIMITS = {
  alt: alt.foundLength,
  title: title.foundLength,
  caption: caption.foundLength,
  tag: tags.foundLength,
  tags: 20,
  aiTags: 8,
} as const;
