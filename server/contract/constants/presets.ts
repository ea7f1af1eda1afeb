/** Presets by visual quality, from visually lossless down to smallest. */
export const PRESETS = ['maximum', 'very_high', 'high', 'medium', 'low', 'minimum'] as const;
export type Preset = (typeof PRESETS)[number];

/** Widths in pixels that `responsive: true` makes when no `responsiveSizes` are given. */
export const DEFAULT_RESPONSIVE_WIDTHS = [480, 768, 1024, 1440, 1920] as const;
/** Shortest and longest edge of a responsive size, in pixels. */
export const RESPONSIVE_EDGE = { min: 16, max: 8192 } as const;
/** Most entries of `responsiveSizes`. */
export const MAX_RESPONSIVE_SIZES = 10;
