import { z } from 'zod';

/** Image formats that uploads may have, by what their bytes are. */
export const INPUT_FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const;
export type InputFormat = (typeof INPUT_FORMATS)[number];

/** Output formats of the specification; `original` keeps the upload's format. */
export const OUTPUT_FORMATS = ['webp', 'avif', 'jpeg', 'png', 'original'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** Visual quality, from visually lossless down to smallest. */
export const PRESETS = ['maximum', 'very_high', 'high', 'medium', 'low', 'minimum'] as const;
export type Preset = (typeof PRESETS)[number];

/** Widths in pixels that `responsive: true` makes when no `responsiveSizes` are given. */
export const DEFAULT_RESPONSIVE_WIDTHS = [480, 768, 1024, 1440, 1920] as const;

const edge = z.int().min(16).max(8192);

const sizeObject = z.strictObject({
  width: edge.describe('Width in pixels.'),
  height: edge.optional().describe('Height in pixels; absent: by the aspect ratio.'),
  fit: z
    .enum(['inside', 'cover'])
    .default('inside')
    .describe('`inside` keeps the whole image within width x height, `cover` fills them and crops.'),
});

/** One custom breakpoint: `{width, height?, fit?}`, or a bare width in pixels. */
export const responsiveSizeSchema = z
  .union([edge.transform((width): z.input<typeof sizeObject> => ({ width })).pipe(sizeObject), sizeObject])
  .describe('A width in pixels, or `{width, height?, fit?}`.');

/** A breakpoint after parsing. */
export type ResponsiveSize = z.output<typeof responsiveSizeSchema>;

/** The settings object of export and sample requests. */
export const settingsSchema = z
  .object({
    format: z.enum(OUTPUT_FORMATS).default('webp').describe('Output format.'),
    preset: z.enum(PRESETS).default('high').describe('Visual quality.'),
    responsive: z.boolean().default(false).describe('Make responsive size variants beside `full`.'),
    responsiveSizes: z
      .array(responsiveSizeSchema)
      .max(10)
      .optional()
      .describe('Custom breakpoints, used when `responsive` is true. Nothing is ever enlarged.'),
    embedMetadata: z
      .boolean()
      .default(false)
      .describe('Write alt text, title, caption and tags as XMP into the files.'),
    keepCopyright: z.boolean().default(true).describe('Keep artist and copyright; everything else private is removed.'),
  })
  .meta({ id: 'Settings' });

/** The settings with every default filled in. */
export type Settings = z.output<typeof settingsSchema>;
