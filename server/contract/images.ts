import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import {
  emptyMetadataValues,
  INFORMATION,
  INPUT_FORMATS,
  METADATA_LEVELS,
  METADATA_SOURCES,
} from './constants/index.ts';
import { warningSchema } from './error-codes.ts';
import { imageIdSchema, sessionIdSchema } from './ids.ts';
import { PATCH_SHAPE, STORED_SHAPE, UPLOAD_SHAPE } from './metadata-shapes.ts';
import { namedEnum } from './named-enum.ts';
import { textsPatchSchema, textsSchema } from './texts.ts';

/** Kinds of images; `blank` has no content. */
export const IMAGE_KINDS = [
  'photo',
  'illustration',
  'logo',
  'icon',
  'screenshot',
  'chart',
  'document',
  'blank',
  'other',
] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

/** Outcomes of the request to the vision model; `none`: there was none. */
export const AI_STATUSES = ['none', 'completed', 'failed', 'timeout', 'refused', 'unavailable', 'limit'] as const;
export type AiStatus = (typeof AI_STATUSES)[number];

/** Reason for which the vision model has not described an image. More may be added. */
export const AI_REASONS = {
  loading: 'The model is still loading.',
  unreachable: 'The service does not answer at its address.',
  slow: 'There was no answer within the time limit.',
  overloaded: 'The service has too much to do.',
  cut_off: 'The answer was cut off at its longest.',
  too_long: 'The question and the image do not fit into the context of the model.',
  no_model: 'The service has no model of this name.',
  key_refused: 'The service refuses the key.',
  no_credit: 'The account at the service has no credit left.',
  no_images: 'The model does not see images.',
  unsupported: 'The service takes the question in no form.',
  refused: 'The model refuses to describe the image.',
  empty: 'The answer had no text.',
  unusable: 'The answer could not be read.',
  broken: 'The service has failed.',
} as const;
export type AiReason = keyof typeof AI_REASONS;

/** Schema of why the model has not described an image. */
export const aiReasonSchema = z
  .string()
  .nullable()
  .optional()
  .describe(
    `Why the model has not described the image, null if it has: ${Object.keys(AI_REASONS)
      .map((reason) => `\`${reason}\``)
      .join(', ')}; more may be added. Absent in answers of earlier versions.`,
  );

/** Reasons for a person to review a description. More may be added. */
export const REVIEW_REASONS = {
  people: 'The image shows people.',
  text: 'The image contains text.',
  document: 'The image is a document: its content belongs in the page.',
  chart: 'The image is a chart: its data belongs in the page.',
  small: 'The image is very small.',
  clipped: 'A text was too long and was cut.',
  long: 'The alternative text is longer than `maxAltChars`.',
  decorative: 'The model considers the image decorative; that depends on the page.',
  language: 'The texts are not in the requested language.',
  fallback: 'The model gave no usable answer; the texts come from the file.',
  missing: 'The model gave no texts in this language.',
} as const;
export type ReviewReason = keyof typeof REVIEW_REASONS;

/** The fields of an image's metadata that a person can edit; `null` clears one. */
export const metadataPatchSchema = closedObject(PATCH_SHAPE).meta({ id: 'MetadataPatch' });
export type MetadataPatch = z.output<typeof metadataPatchSchema>;

/** Body of an edit of an image. */
export const imagePatchSchema = closedObject({
  metadata: metadataPatchSchema.optional(),
  texts: textsPatchSchema.optional(),
})
  .refine(({ metadata, texts }) => metadata !== undefined || texts !== undefined, 'expected metadata or texts')
  .meta({ id: 'ImagePatch', minProperties: 1 });
export type ImagePatch = z.output<typeof imagePatchSchema>;

/** Facts measured on the pixels. */
export const imageFactsSchema = z
  .object({
    orientation: namedEnum('Orientation', ['landscape', 'portrait', 'square']),
    dominantColour: z.string().nullable().describe('One of twelve plain colour names.'),
    transparent: z.boolean(),
    animated: z.boolean(),
  })
  .meta({ id: 'ImageFacts' });
export type ImageFacts = z.output<typeof imageFactsSchema>;

/** An image's metadata as stored. */
export const metadataSchema = z
  .object({
    ...STORED_SHAPE,
    // Stored languages have no limit: they also come from files.
    language: z.string().nullable(),
    source: z.record(z.string(), namedEnum('TextSource', METADATA_SOURCES)).describe('Source of each field.'),
    needsReview: z.array(z.string()).describe('Reasons for a person to review it, e.g. `people`, `text`, `fallback`.'),
    model: z.string().nullable(),
    promptVersion: z.string().nullable().optional().describe('Version of the instructions for the model.'),
    aiStatus: namedEnum('AiStatus', AI_STATUSES).optional().describe('Outcome of the request to the vision model.'),
    aiReason: aiReasonSchema,
    kind: namedEnum('ImageKind', IMAGE_KINDS)
      .nullable()
      .optional()
      .describe('Determined by the model, else guessed from the pixels.'),
    facts: imageFactsSchema.optional(),
  })
  .meta({ id: 'Metadata' });
export type Metadata = z.output<typeof metadataSchema>;

/** Metadata without any value. */
export const EMPTY_METADATA: Metadata = {
  ...emptyMetadataValues(),
  source: {},
  needsReview: [],
  model: null,
};

/** Something that an uploaded file carries beside its pixels. */
export const carriedSchema = z
  .object({
    kind: z.string().describe(
      `One of ${Object.keys(INFORMATION)
        .map((kind) => `\`${kind}\``)
        .join(', ')}; more may be added.`,
    ),
    keptBy: namedEnum('KeptBy', [...METADATA_LEVELS, 'always', 'never']).describe(
      'The first level of `settings.metadata` that keeps it; `never`: it is private or of no use in a web page, and removed; `always`: the setting has no influence. What a format cannot hold is named by a warning of the result.',
    ),
    droppedIn: z
      .array(z.string())
      .optional()
      .describe('Formats of results that cannot hold it. Absent in answers of earlier versions.'),
  })
  .meta({ id: 'Carried' });
export type Carried = z.output<typeof carriedSchema>;

/** An uploaded image. */
export const imageSchema = z
  .object({
    id: imageIdSchema,
    originalFilename: z.string(),
    uploadPath: z.string().describe('Opaque; return it unchanged or omit it.'),
    mimeType: z.string(),
    format: namedEnum('InputFormat', INPUT_FORMATS).describe('Detected from the bytes, not from the extension.'),
    size: z.int().describe('Bytes.'),
    sha256: z.string().describe('Of the uploaded bytes, hexadecimal.'),
    width: z.int().describe('Pixels, upright.'),
    height: z.int().describe('Pixels, upright.'),
    hasAlpha: z.boolean(),
    pages: z.int().describe('Frames of an animation, pages of a TIFF, pictures of a HEIC; else 1.'),
    clientRef: z.string().nullable().describe("The caller's own id, echoed wherever the image appears."),
    position: z
      .int()
      .optional()
      .describe(
        'Place in the session, by which its images are listed everywhere. Absent in answers of earlier versions.',
      ),
    carries: z
      .array(carriedSchema)
      .optional()
      .describe('What the file carries beside its pixels. Absent for uploads of versions that did not look for it.'),
    warnings: z.array(warningSchema),
    metadata: metadataSchema.nullable(),
    texts: textsSchema.optional(),
  })
  .meta({ id: 'Image' });
export type Image = z.output<typeof imageSchema>;

/** An exported file that was renamed. */
export const renamedFileSchema = z
  .object({
    from: z.string().describe('A name that it had before; it can still be downloaded by it.'),
    to: z.string().describe('The name that it has now.'),
  })
  .meta({ id: 'RenamedFile' });
export type RenamedFile = z.output<typeof renamedFileSchema>;

/** An image after an edit. */
export const editedImageSchema = imageSchema
  .extend({
    renamedFiles: z
      .array(renamedFileSchema)
      .optional()
      .describe(
        'All exported files of the image that were renamed since their export, if the edit has a `filename`. Results of jobs have the new names.',
      ),
  })
  .meta({ id: 'EditedImage' });
export type EditedImage = z.output<typeof editedImageSchema>;

/** A rejected file of an upload. */
export const rejectedSchema = z
  .object({
    originalFilename: z.string(),
    clientRef: z.string().nullable(),
    status: z.int().describe('HTTP status of an upload of this file alone.'),
    code: z.string(),
    error: z.string(),
  })
  .catchall(z.unknown())
  .meta({ id: 'RejectedFile' });
export type Rejected = z.output<typeof rejectedSchema>;

const clientRef = z.string().max(255).optional().describe("The caller's own id, e.g. a CMS attachment id.");
const position = z
  .int()
  .min(0)
  .max(1_000_000_000)
  .optional()
  .describe(
    'Place among the images of the session, for uploads whose order of arrival is not that of the images. Default: behind those that were uploaded before.',
  );

/** One element of the multipart text field `metadata`, in file order. */
const uploadMetadataSchema = z.array(
  closedObject({
    clientRef,
    position,
    ...UPLOAD_SHAPE,
  })
    .meta({ id: 'UploadMetadata' })
    .nullable(),
);
export type UploadMetadata = z.output<typeof uploadMetadataSchema>;

/** The text fields of a multipart upload, each parsed from JSON. */
export const uploadFieldsSchema = closedObject({ metadata: uploadMetadataSchema.optional() });

/** The JSON form of an upload: import by URL, off by default. */
export const urlImportSchema = closedObject({
  images: z
    .array(
      closedObject({
        url: z.url({ protocol: /^https?$/ }).max(2048),
        filename: z.string().max(255).optional(),
        clientRef,
        position,
      }),
    )
    .min(1)
    .max(100),
}).meta({ id: 'UrlImport' });
export type UrlImport = z.output<typeof urlImportSchema>;

/** Response of creating a session or adding images to it. */
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
