import { MAX_ALT_CHARS } from '#contract';

/** Most code points of each stored text, and most tags. */
export const TEXT_LIMITS = { alt: MAX_ALT_CHARS, title: 120, caption: 500, tag: 40, tags: 20, aiTags: 8 } as const;
