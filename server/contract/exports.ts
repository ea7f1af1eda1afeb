import { z } from 'zod';
import { closedObject, echoedObject } from './closed-object.ts';
import { MAX_RESPONSIVE_SIZES, STOPPED_REASONS, UNSCORED_REASONS } from './constants/index.ts';
import { warningSchema } from './error-codes.ts';
import { imageIdSchema, sessionIdSchema } from './ids.ts';
import { editedImageSchema } from './images.ts';
import { completeEventBase, errorEventBase, failureSchema, jobSummarySchema } from './jobs.ts';
import { EXPORT_SHAPE } from './metadata-shapes.ts';
import { namedEnum } from './named-enum.ts';
import { focalPointSchema, settingsSchema } from './settings.ts';

const variantNameSchema = z.string().regex(/^(full|[1-9]\d{0,4}w)$/, 'expected full, or a width such as 300w');

/** A file in use that a variant is to replace. */
const replacedFileSchema = closedObject({
  name: variantNameSchema.describe(
    'The variant that replaces it: `full`, or `<width>w`. A variant that the export does not make is ignored.',
  ),
  bytes: z.int().min(0).describe('Size of the file; 0: none is in use, so the variant is neither made nor delivered.'),
}).meta({ id: 'ReplacedFile' });

const replacesSchema = z
  .array(replacedFileSchema)
  .max(MAX_RESPONSIVE_SIZES + 1)
  .check((context) => {
    const names = context.value.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      const message = `expected each name once, but received ${name} twice`;
      context.issues.push({ code: 'custom', input: name, path: [index, 'name'], message });
    }
  });

/** How much smaller the files have to become together for an image to be delivered and paid for. */
const leastGainSchema = closedObject({
  bytes: z.int().min(1).describe('Bytes that these variants have to save together.'),
  of: z
    .array(variantNameSchema)
    .max(MAX_RESPONSIVE_SIZES + 1)
    .describe(
      'Variants whose files are shown to people. Each saves the bytes of its entry in `replaces` less its own.',
    ),
});

/** An image in an export or sample request (specification, "Image"). */
export const exportImageSchema = echoedObject(
  {
    id: imageIdSchema,
    uploadPath: z.string().max(1024).optional().describe('Only compared with the stored path.'),
    originalFilename: z.string().max(1024).optional(),
    metadata: z
      .looseObject(EXPORT_SHAPE)
      .meta({ id: 'ExportMetadata' })
      .nullish()
      .describe(
        'Absent: the stored metadata is used. May be the metadata of an analysis, unchanged; other fields give the warning `unknown_field`.',
      ),
    focalPoint: focalPointSchema.optional().describe('Of this image; overrides `settings.focalPoint`.'),
    replaces: replacesSchema
      .optional()
      .describe(
        'The files in use now, for `settings.onlySmaller`; without that setting it has no effect. A variant without an entry replaces nothing and is delivered; `full` without one is compared with the upload.',
      ),
    leastGain: leastGainSchema
      .optional()
      .describe(
        'With `settings.onlySmaller` and `replaces`: with less gain nothing of the image is delivered, and it costs nothing. A file that lost an animation gains nothing.',
      ),
  },
  editedImageSchema,
).meta({
  id: 'ExportImage',
  description: 'The image as it was answered may be sent back: its other fields are ignored.',
});
export type ExportImage = z.output<typeof exportImageSchema>;

/** Body of an export or sample request. */
export const exportRequestSchema = closedObject({
  sessionId: sessionIdSchema.optional().describe('If given, the same as in the path.'),
  // The size of the largest possible session: bounds the work of rejecting an invalid list.
  images: z.array(exportImageSchema).min(1).max(100_000).describe('No id twice.'),
  settings: settingsSchema,
}).meta({ id: 'ExportRequest' });
export type ExportRequest = z.output<typeof exportRequestSchema>;

/** Body of `POST /v1/export`, where the session is named in the body alone. */
export const flatExportRequestSchema = exportRequestSchema
  .extend({ sessionId: sessionIdSchema })
  .meta({ id: 'FlatExportRequest' });

/** The visual quality that was promised, and the one that was reached. */
export const qualitySchema = z
  .object({
    preset: z.string(),
    target: z
      .number()
      .optional()
      .describe('SSIMULACRA2 score that the preset promises; absent in results of earlier versions.'),
    score: z
      .number()
      .nullable()
      .optional()
      .describe(
        'SSIMULACRA2 score that was measured, against the pixels that the file was encoded from, at most 100 (identical); null where none was measured (`unscored`). On samples of large images.',
      ),
    used: z
      .union([z.number(), z.string()])
      .nullable()
      .describe(
        'Quality number of the encoder, number of colours of a palette, or `lossless`; null: pixels of the upload.',
      ),
    reached: z
      .literal(false)
      .optional()
      .describe('The file stays below the target, and `stopped` says why; absent if it keeps the promise.'),
    stopped: namedEnum('StoppedReason', STOPPED_REASONS)
      .optional()
      .describe(
        'With `reached`. `knee`: one more point of the score would cost more than 12 % of the file; `settings.quality: "exact"` insists. `format`: the format cannot reach the target, and this is its best, or the last file before that price; `exact` takes its best. Absent in results of earlier versions.',
      ),
    estimatedBytes: z
      .int()
      .optional()
      .describe('With `stopped: "knee"`: bytes that a file with the target would have, estimated.'),
    unscored: namedEnum('UnscoredReason', UNSCORED_REASONS).optional().describe('Why `score` is null.'),
  })
  .meta({ id: 'Quality' });
export type Quality = z.output<typeof qualitySchema>;

const LACKS = ['animation', 'transparency'] as const;

/** One exported file (specification, "Variant"). */
export const variantSchema = z
  .object({
    name: z.string().describe('`full`, or `<width>w`; with `format` the key of a file.'),
    format: z.string().optional().describe('Format of the file; absent in results of earlier versions.'),
    path: z.string().describe('Server-side path; opaque.'),
    size: z.int().describe('Bytes.'),
    width: z.int(),
    height: z.int(),
    filename: z.string(),
    url: z
      .string()
      .describe(
        'Download path below the base URL. It leads to these bytes as long as the session lives, whatever is exported, edited or renamed afterwards. Results of earlier versions: to the newest file of that name, where these bytes are not there any more.',
      ),
    sha256: z.string(),
    quality: qualitySchema.optional().describe('Of this file; absent in results of earlier versions.'),
    lacks: z
      .array(namedEnum('Lack', LACKS))
      .optional()
      .describe(
        'Absent if nothing. `animation`: the image moves, but this file shows its first frame alone, and `html` leaves it out where another file moves; `transparency`: it is on white.',
      ),
  })
  .meta({ id: 'Variant' });
export type Variant = z.output<typeof variantSchema>;

/** Part of an image that a file does not show. */
export type Lack = (typeof LACKS)[number];

/** The result of one image. */
export const imageResultSchema = z
  .object({
    imageId: imageIdSchema,
    clientRef: z.string().nullable(),
    status: namedEnum('ImageOutcome', ['completed', 'failed']),
    originalFilename: z.string(),
    filename: z.string().nullable().describe('Name of the `full` file; null if it is not delivered.'),
    metadata: z
      .object({ filename: z.string().nullable(), title: z.string().nullable(), alt: z.string().nullable() })
      .optional()
      .describe('Texts used for the files; absent for a failed image and in results of earlier versions.'),
    format: z.string().describe('Of `filename`: the first of `settings.formats` that was delivered.'),
    mimeType: z.string().nullable(),
    original: z.object({
      size: z.int(),
      sha256: z.string().optional().describe('Of the upload; absent in results of earlier versions.'),
      width: z.int(),
      height: z.int(),
      format: z.string(),
    }),
    variants: z
      .array(variantSchema)
      .describe(
        '`full` first, format by format; with `onlySmaller` without those that are not smaller; empty for a failed image.',
      ),
    focalPoint: focalPointSchema.optional().describe('Point of the image that the request named for its crops.'),
    placeholder: z.string().optional().describe('ThumbHash, base64, about 25 bytes; only with `settings.placeholder`.'),
    html: z
      .string()
      .nullable()
      .optional()
      .describe(
        'A ready `<picture>` or `<img>` of all files that show the whole image, without an AVIF that is larger than the WebP, without stills of an animation; file names are relative. Null without `full`; absent in results of earlier versions.',
      ),
    savedBytes: z
      .int()
      .describe('Bytes saved by `full` compared with the upload; negative if it is larger; 0 without `full`.'),
    savedPercent: z.number(),
    quality: qualitySchema.describe('Of `full`; of the first file if `full` is not delivered.'),
    largerThanOriginal: z.boolean(),
    keptOriginal: z.boolean().describe('The pixels of the uploaded file were delivered unchanged.'),
    fromCache: z.boolean().describe('All files came from the cache.'),
    skippedSizes: z.array(z.int()).describe('Widths omitted because the source is smaller.'),
    warnings: z.array(warningSchema),
    creditsCharged: z.int(),
    error: failureSchema.nullable(),
  })
  .meta({ id: 'ImageResult' });
export type ImageResult = z.output<typeof imageResultSchema>;

/** Sums over the results of an export or sample. */
export const summarySchema = jobSummarySchema
  .extend({
    originalBytes: z.int().describe('Of the images whose `full` file was delivered.'),
    outputBytes: z.int().describe('Of their `full` files.'),
    savedBytes: z.int(),
    savedPercent: z.number(),
    quality: z
      .object({ worst: z.number(), mean: z.number() })
      .nullable()
      .optional()
      .describe(
        'Lowest and mean score over all delivered files; null if none has a score; absent in results of earlier versions.',
      ),
  })
  .meta({ id: 'Summary' });
export type Summary = z.output<typeof summarySchema>;

/** Data of the `complete` event of an export or sample. */
export const completeEventSchema = completeEventBase
  .extend({
    results: z.array(imageResultSchema).describe('In request order.'),
    summary: summarySchema,
  })
  .meta({ id: 'CompleteEvent' });
export type CompleteEvent = z.output<typeof completeEventSchema>;

/** Data of an `error` event: nothing could be exported, or the job could not continue. */
export const errorEventSchema = errorEventBase
  .extend({ results: z.array(imageResultSchema).optional() })
  .meta({ id: 'ErrorEvent' });
export type ErrorEvent = z.output<typeof errorEventSchema>;

/** Answer to a download where clients fetch files from the store, for those that accept it. */
export const downloadAddressSchema = z
  .object({
    url: z.url().describe('Address of the file, which needs no key: send none, and follow it no further.'),
    expiresAt: z.iso.datetime().describe('End of its validity.'),
    filename: z.string(),
    mimeType: z.string(),
    size: z.int().describe('Bytes.'),
    sha256: z.string().describe('Hash of the file, in hex; compare it.'),
  })
  .meta({ id: 'DownloadAddress' });
export type DownloadAddress = z.output<typeof downloadAddressSchema>;
