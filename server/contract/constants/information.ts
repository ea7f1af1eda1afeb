/** Choices of `settings.metadata`, from the least that is kept to the most. */
export const METADATA_LEVELS = ['none', 'rights', 'all-but-private'] as const;
/** A choice of `settings.metadata`. */
export type MetadataLevel = (typeof METADATA_LEVELS)[number];

/**
 * The kinds of information that a file can carry beside its pixels, each with the first level of `settings.metadata` that keeps it.
 * `always`: the setting has no influence; `never`: removed on purpose.
 */
export const INFORMATION = {
  creator: 'rights',
  copyright: 'rights',
  credit: 'rights',
  licence: 'rights',
  data_mining: 'rights',
  digital_source: 'rights',
  ai: 'rights',
  camera: 'all-but-private',
  dates: 'all-but-private',
  rating: 'all-but-private',
  keywords: 'all-but-private',
  texts: 'never',
  place: 'never',
  serial_numbers: 'never',
  owner: 'never',
  people: 'never',
  thumbnail: 'never',
  software: 'never',
  comment: 'never',
  orientation: 'never',
  resolution: 'never',
  content_credentials: 'rights',
  gain_map: 'always',
  icc_profile: 'always',
  depth: 'always',
  alpha: 'always',
  animation: 'always',
  pages: 'always',
} as const satisfies Record<string, MetadataLevel | 'always' | 'never'>;

/** A kind of information that a file can carry. */
export type InformationKind = keyof typeof INFORMATION;
