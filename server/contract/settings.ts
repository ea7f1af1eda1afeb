import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import {
  FORMATS,
  type InputFormat,
  MAX_EDGE,
  MAX_RESPONSIVE_SIZES,
  METADATA_LEVELS,
  type MetadataLevel,
  OUTPUT_FORMATS,
  PRESETS,
  RESPONSIVE_EDGE,
} from './constants/index.ts';
import { namedEnum } from './named-enum.ts';
import { canonicalLanguageSchema } from './texts.ts';

const edge = z.int().min(RESPONSIVE_EDGE.min).max(RESPONSIVE_EDGE.max);

const sizeObject = closedObject({
  width: edge.describe('Width in pixels.'),
  height: edge.optional().describe('Height in pixels. Default: by the aspect ratio.'),
  fit: namedEnum('Fit', ['inside', 'cover'])
    .default('inside')
    .describe(
      '`inside` keeps the whole image within width x height, `cover` fills them and crops around `focalPoint`.',
    ),
}).meta({ id: 'ResponsiveSize' });

/** One custom breakpoint: `{width, height?, fit?}`, or a bare width in pixels. */
export const responsiveSizeSchema = z
  .union([edge.transform((width): z.input<typeof sizeObject> => ({ width })).pipe(sizeObject), sizeObject])
  .describe('A width in pixels, or `{width, height?, fit?}`.');

/** The point that a crop keeps. */
export const focalPointSchema = closedObject({
  x: z.number().min(0).max(1).describe('Part of the width, 0 (left) to 1 (right).'),
  y: z.number().min(0).max(1).describe('Part of the height, 0 (top) to 1 (bottom).'),
}).meta({ id: 'FocalPoint' });

/** A point of an image, in parts of its width and height. */
export type FocalPoint = z.output<typeof focalPointSchema>;

const largest = z.int().min(MAX_EDGE.min).max(MAX_EDGE.max).optional();

/** A breakpoint after parsing. */
export type ResponsiveSize = z.output<typeof responsiveSizeSchema>;

const formatsSchema = z
  .array(namedEnum('OutputFormat', OUTPUT_FORMATS))
  .min(1)
  .max(OUTPUT_FORMATS.length)
  .check((context) => {
    const formats = context.value;
    for (const [index, format] of formats.entries()) {
      if (formats.indexOf(format) === index) continue;
      const message = `expected each format once, but received ${format} twice`;
      context.issues.push({ code: 'custom', input: format, path: [index], message });
    }
  })
  .meta({ uniqueItems: true });

/** The settings object of export and sample requests. */
export const settingsSchema = closedObject({
  format: namedEnum('OutputFormat', OUTPUT_FORMATS).default('webp').describe('Output format.'),
  preset: namedEnum('Preset', PRESETS).default('high').describe('Visual quality.'),
  responsive: z.boolean().default(false).describe('Create responsive variants besides `full`.'),
  responsiveSizes: z
    .array(responsiveSizeSchema)
    .max(MAX_RESPONSIVE_SIZES)
    .optional()
    .describe(
      'Custom breakpoints, used when `responsive` is true; without it, results have the warning `sizes_ignored`. Images are never enlarged.',
    ),
  // Without defaults: requests and jobs without these settings keep their identity.
  formats: formatsSchema
    .optional()
    .describe(
      "Several output formats in one export, for one credit an image. Overrides `format`. The first one is the result's main format, and what a CMS takes.",
    ),
  placeholder: z
    .boolean()
    .optional()
    .meta({ default: false })
    .describe('Add a ThumbHash to each result, to show while the image loads.'),
  maxWidth: largest.describe('Most pixels of the width of `full`, which is scaled down to fit and never up.'),
  maxHeight: largest.describe('Most pixels of the height of `full`, which is scaled down to fit and never up.'),
  focalPoint: focalPointSchema
    .optional()
    .describe(
      'Point that sizes with `fit: "cover"` keep nearest to their centre. Default: the part that attracts attention.',
    ),
  embedMetadata: z.boolean().default(false).describe('Write alt text, title, caption and tags as XMP into the files.'),
  // Without a parsed default: requests and jobs without this setting keep their identity.
  language: canonicalLanguageSchema
    .optional()
    .describe(
      'With `embedMetadata`: BCP 47 tag of the language whose texts are written. Default: the texts of `metadata`, which images without texts in this language also get.',
    ),
  keepCopyright: z
    .boolean()
    .optional()
    .meta({ default: true })
    .describe('The older form of `metadata`: `true` means `rights`, `false` means `none`.'),
  // Without a parsed default: requests and jobs of versions without this setting keep their identity.
  onlySmaller: z
    .boolean()
    .optional()
    .meta({ default: false })
    .describe(
      'Deliver only variants that are smaller than the file they replace (`replaces` of an image). An image of which none is delivered costs nothing. Samples ignore it.',
    ),
  hdr: namedEnum('HdrChoice', ['flatten', 'keep'])
    .optional()
    .meta({ default: 'flatten' })
    .describe(
      'HDR photographs with a gain map. `flatten`: into other formats than JPEG the standard picture alone, with the warning `hdr_dropped`. `keep`: these images are exported as with `format: "original"`, so that they stay HDR.',
    ),
  quality: z
    .enum(['exact'])
    .optional()
    .describe(
      '`exact` insists on the score of the preset where one more point costs more than 12 % of the file. Default: there the file stops below it, and `quality.stopped` of the result is `knee`.',
    ),
  metadata: namedEnum('MetadataLevel', METADATA_LEVELS)
    .optional()
    .meta({ default: 'rights' })
    .describe(
      'What is kept of the metadata of the uploads. `rights`: creator, copyright, credit, licence, permission of data mining, marks of AI. `all-but-private`: also camera, lens, exposure, dates, rating, keywords. `none`: nothing. Place, serial numbers, owner, thumbnail and names of people are always removed.',
    ),
})
  .check((context) => {
    const { metadata, keepCopyright } = context.value;
    if (metadata === undefined || keepCopyright === undefined || metadata === levelOf(keepCopyright)) return;
    const message = `expected ${levelOf(keepCopyright)}, as \`keepCopyright: ${keepCopyright}\` means, or only one of both, but received ${metadata}`;
    context.issues.push({ code: 'custom', input: metadata, path: ['metadata'], message });
  })
  .overwrite(withOlderDefault)
  .meta({ id: 'Settings', not: { anyOf: [contradiction(true), contradiction(false)] } });

/** Returns the JSON Schema of settings whose level contradicts a value of `keepCopyright`. */
function contradiction(keepCopyright: boolean) {
  const others = METADATA_LEVELS.filter((level) => level !== levelOf(keepCopyright));
  const properties = { keepCopyright: { const: keepCopyright }, metadata: { enum: others } };
  return { required: ['keepCopyright', 'metadata'], properties };
}

/** Returns the level that a value of `keepCopyright` means. */
function levelOf(keepCopyright: boolean): MetadataLevel {
  return keepCopyright ? 'rights' : 'none';
}

/** Fills in `keepCopyright` where neither form is given, as before `metadata`: jobs and requests keep their identity. */
function withOlderDefault<Given extends { metadata?: unknown; keepCopyright?: unknown; embedMetadata: unknown }>(
  settings: Given,
): Given {
  if (settings.metadata !== undefined || settings.keepCopyright !== undefined) return settings;
  // In its former place, since identities depend on the order.
  const entries = Object.entries(settings).flatMap(([name, value]) =>
    name === 'embedMetadata'
      ? [
          [name, value],
          ['keepCopyright', true],
        ]
      : [[name, value]],
  );
  return Object.fromEntries(entries) as Given;
}

/** The settings with every default filled in. */
export type Settings = z.output<typeof settingsSchema>;

/** The settings as they are given: whatever has a default may be missing. */
export type SettingsInput = z.input<typeof settingsSchema>;

/** Returns the settings that hold for an image: with `hdr: "keep"`, one with a gain map keeps its format, if that can be written. */
export function settingsFor(
  settings: Settings,
  { format, carries }: { format: InputFormat; carries?: readonly string[] | undefined },
): Settings {
  if (settings.hdr !== 'keep' || !carries?.includes('gain_map') || FORMATS[format].original !== format) return settings;
  return { ...settings, format: 'original', formats: undefined };
}

/** Returns the level of metadata that the settings ask for. */
export function metadataLevel({
  metadata,
  keepCopyright = true,
}: Pick<Settings, 'metadata' | 'keepCopyright'>): MetadataLevel {
  return metadata ?? levelOf(keepCopyright);
}
