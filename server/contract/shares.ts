import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { imageIdSchema, sessionIdSchema, shareIdSchema } from './ids.ts';
import { namedEnum } from './named-enum.ts';

/** Days for which a link can be shared. */
export const SHARE_DAYS = { default: 7, max: 30 } as const;
/** Live links of a session. */
export const SHARES_PER_SESSION = 20;
/** Characters of the name under which a link is sent. */
export const SHARE_SENDER_LENGTH = 80;
/** Characters of a visitor's comment. */
export const SHARE_COMMENT_LENGTH = 2000;

/** Verdict of a visitor on an image. */
export const SHARE_VERDICTS = ['approved', 'change'] as const;
export type ShareVerdict = (typeof SHARE_VERDICTS)[number];

/** Body of `POST /v1/sessions/:sessionId/shares`. */
export const shareRequestSchema = closedObject({
  days: z.int().min(1).max(SHARE_DAYS.max).default(SHARE_DAYS.default).describe('Days until the link ends.'),
  sender: z
    .string()
    .trim()
    .max(SHARE_SENDER_LENGTH)
    .default('')
    .describe('Who asks, e.g. the name of the site. Visitors see it; may be empty.'),
}).meta({ id: 'ShareRequest' });

const answerFields = {
  verdict: namedEnum('ShareVerdict', SHARE_VERDICTS),
  comment: z.string().describe('Plain text; may be empty.'),
  at: z.iso.datetime(),
  isCurrent: z.boolean().describe('False if the texts of the image were changed after the visitor read them.'),
};

/** A visitor's answer about one image. */
export const shareAnswerSchema = z.object({ imageId: imageIdSchema, ...answerFields }).meta({ id: 'ShareAnswer' });
export type ShareAnswer = z.output<typeof shareAnswerSchema>;

/** A link to a session, as its owner sees it. */
export const shareSchema = z
  .object({
    id: shareIdSchema,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable().describe('Null while the link works, or until it expires.'),
    answers: z.array(shareAnswerSchema).describe('The latest answer about each image.'),
  })
  .meta({ id: 'Share' });
export type Share = z.output<typeof shareSchema>;

/** Response of `POST …/shares`, the only one that contains the link. */
export const createdShareSchema = shareSchema
  .extend({ url: z.string().describe('The link. It cannot be read again.') })
  .meta({ id: 'CreatedShare' });
export type CreatedShare = z.output<typeof createdShareSchema>;

/** Response of `GET …/shares`, newest first. */
export const shareListSchema = z
  .object({ sessionId: sessionIdSchema, shares: z.array(shareSchema) })
  .meta({ id: 'ShareList' });
export type ShareList = z.output<typeof shareListSchema>;

const fileFacts = {
  format: z.string(),
  size: z.int().describe('Bytes.'),
  width: z.int(),
  height: z.int(),
};

/** An image as a visitor sees it. */
export const sharedImageSchema = z
  .object({
    id: imageIdSchema,
    name: z.string().describe('File name of the upload.'),
    original: z.object(fileFacts),
    result: z
      .object({
        kind: namedEnum('ResultKind', ['sample', 'export']),
        filename: z.string(),
        sha256: z.string(),
        ...fileFacts,
      })
      .nullable()
      .describe('The newest whole-size file; null: the image was not exported yet.'),
    texts: z.object({
      filename: z.string().nullable(),
      title: z.string().nullable(),
      alt: z.string().nullable(),
      caption: z.string().nullable(),
      decorative: z.boolean(),
    }),
    textsVersion: z.string().describe('Returned with an answer, so that it counts for the texts that were read.'),
    answer: z.object(answerFields).nullable().describe('The latest answer of this link.'),
  })
  .meta({ id: 'SharedImage' });
export type SharedImage = z.output<typeof sharedImageSchema>;

/** Response of `GET /shared/images`. */
export const sharedImagesSchema = z
  .object({
    expiresAt: z.iso.datetime(),
    sender: z.string().describe('Who asks, as the creator of the link has written it; may be empty.'),
    images: z.array(sharedImageSchema),
  })
  .meta({ id: 'SharedImages' });
export type SharedImages = z.output<typeof sharedImagesSchema>;

/** Body of `POST /shared/images/:imageId/answer`. */
export const shareAnswerRequestSchema = closedObject({
  verdict: namedEnum('ShareVerdict', SHARE_VERDICTS),
  comment: z.string().max(SHARE_COMMENT_LENGTH).default(''),
  textsVersion: z.string().regex(/^[0-9a-f]{16}$/, 'expected the textsVersion of the image'),
}).meta({ id: 'ShareAnswerRequest' });
export type ShareAnswerRequest = z.output<typeof shareAnswerRequestSchema>;
