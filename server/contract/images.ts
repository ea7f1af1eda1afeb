import { z } from 'zod';
import { imageIdSchema, sessionIdSchema } from './ids.ts';
import { INPUT_FORMATS } from './settings.ts';
import { warningSchema } from './warnings.ts';

/** Where a metadata field's value came from. */
export const METADATA_SOURCES = ['ai', 'embedded', 'filename', 'pixels', 'user'] as const;

const text = (max: number) => z.string().max(max).nullable();

/** The fields of an image's metadata that a person can edit; `null` clears one. */
export const metadataPatchSchema = z
  .strictObject({
    filename: text(255).optional().describe('Basename of the output file, without extension.'),
    title: text(500).optional(),
    alt: text(1000).optional().describe('Alternative text; `null`: unknown, `""` with `decorative`: none needed.'),
    caption: text(2000).optional(),
    tags: z.array(z.string().max(100)).max(50).nullable().optional(),
    language: z.string().max(35).nullable().optional().describe('BCP 47.'),
    decorative: z.boolean().optional(),
  })
  .meta({ id: 'MetadataPatch' });
export type MetadataPatch = z.output<typeof metadataPatchSchema>;

/** An image's metadata as stored. */
export const metadataSchema = z
  .object({
    filename: text(255),
    title: text(500),
    alt: text(1000),
    caption: text(2000),
    tags: z.array(z.string()),
    language: z.string().nullable(),
    decorative: z.boolean(),
    source: z.record(z.string(), z.enum(METADATA_SOURCES)).describe('Where each field came from.'),
    needsReview: z.array(z.string()),
    model: z.string().nullable(),
  })
  .meta({ id: 'Metadata' });
export type Metadata = z.output<typeof metadataSchema>;

/** An uploaded image. */
export const imageSchema = z
  .object({
    id: imageIdSchema,
    originalFilename: z.string(),
    uploadPath: z.string().describe('Opaque; send it back unchanged or leave it out.'),
    mimeType: z.string(),
    format: z.enum(INPUT_FORMATS).describe('By what the bytes are, not by extension.'),
    size: z.int().describe('Bytes.'),
    width: z.int().describe('Pixels, after EXIF orientation.'),
    height: z.int().describe('Pixels, after EXIF orientation.'),
    hasAlpha: z.boolean(),
    pages: z.int().describe('Frames of an animation, pages of a TIFF; else 1.'),
    clientRef: z.string().nullable().describe("The caller's own id, echoed wherever the image appears."),
    warnings: z.array(warningSchema),
    metadata: metadataSchema.nullable(),
  })
  .meta({ id: 'Image' });
export type Image = z.output<typeof imageSchema>;

/** A file of an upload that was not accepted. */
export const rejectedSchema = z
  .object({
    originalFilename: z.string(),
    clientRef: z.string().nullable(),
    status: z.int().describe('The HTTP status this file alone would have got.'),
    code: z.string(),
    error: z.string(),
  })
  .catchall(z.unknown())
  .meta({ id: 'RejectedFile' });
export type Rejected = z.output<typeof rejectedSchema>;

const clientRef = z.string().max(255).optional().describe("The caller's own id, e.g. a CMS attachment id.");

/** One element of the multipart text field `metadata`, in file order. */
export const uploadMetadataSchema = z.array(
  z
    .object({
      clientRef,
      title: text(500).optional(),
      alt: text(1000).optional(),
      filename: text(255).optional(),
    })
    .nullable(),
);
export type UploadMetadata = z.output<typeof uploadMetadataSchema>;

/** The JSON form of an upload: import by URL, off by default. */
export const urlImportSchema = z
  .object({
    images: z
      .array(
        z.object({
          url: z.url({ protocol: /^https?$/ }).max(2048),
          filename: z.string().max(255).optional(),
          clientRef,
        }),
      )
      .min(1)
      .max(100),
  })
  .meta({ id: 'UrlImport' });
export type UrlImport = z.output<typeof urlImportSchema>;

/** The answer to creating a session or adding images to it. */
export const uploadResultSchema = z
  .object({
    sessionId: sessionIdSchema,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    images: z.array(imageSchema).describe('The accepted images of this request, in its order.'),
    rejected: z.array(rejectedSchema),
  })
  .meta({ id: 'UploadResult' });
export type UploadResult = z.output<typeof uploadResultSchema>;
