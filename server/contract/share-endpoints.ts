import { z } from 'zod';
import { type Endpoint, FILE_TYPES, PREVIEW_TYPES, UPLOAD_TYPES } from './endpoint.ts';
import { imageIdSchema, sessionIdSchema, shareIdSchema } from './ids.ts';
import { integerText } from './integer-text.ts';
import {
  createdShareSchema,
  shareAnswerRequestSchema,
  shareAnswerSchema,
  sharedImagesSchema,
  shareListSchema,
  shareRequestSchema,
} from './shares.ts';

const base = { tag: 'Shares', idempotent: false, errors: [] } as const;
const owner = { ...base, auth: 'key' } as const;
const visitor = { ...base, auth: 'share' } as const;
const inSession = z.object({ sessionId: sessionIdSchema });
const ofImage = z.object({ imageId: imageIdSchema });
const FILE_ERRORS = [
  'image_not_found',
  'file_not_found',
  'file_damaged',
  'precondition_failed',
  'range_not_satisfiable',
] as const;
const PREVIEW_ERRORS = [
  ...FILE_ERRORS,
  'invalid_image',
  'processing_timeout',
  'processing_failed',
  'overloaded',
] as const;

/** Links to a session for people without an account: what their owner does with them, and what their visitors may do. */
export const SHARE_ENDPOINTS = {
  createShare: {
    ...owner,
    method: 'POST',
    path: '/v1/sessions/:sessionId/shares',
    summary: 'Create a link by which people without an account look at the session and answer',
    params: inSession,
    body: shareRequestSchema,
    success: { status: 201, kind: 'json', schema: createdShareSchema },
    errors: ['session_not_found', 'share_limit_reached'],
  },
  listShares: {
    ...owner,
    method: 'GET',
    path: '/v1/sessions/:sessionId/shares',
    summary: 'List the links of a session with the answers of their visitors',
    params: inSession,
    success: { status: 200, kind: 'json', schema: shareListSchema },
    errors: ['session_not_found'],
  },
  revokeShare: {
    ...owner,
    method: 'DELETE',
    path: '/v1/sessions/:sessionId/shares/:shareId',
    summary: 'Revoke a link at once; its answers stay',
    params: z.object({ sessionId: sessionIdSchema, shareId: shareIdSchema }),
    success: { status: 204, kind: 'empty' },
    errors: ['session_not_found', 'share_not_found'],
  },
  listSharedImages: {
    ...visitor,
    method: 'GET',
    path: '/shared/images',
    summary: 'The images of the link, with their texts, files and answers',
    success: { status: 200, kind: 'json', schema: sharedImagesSchema },
  },
  getSharedPreview: {
    ...visitor,
    method: 'GET',
    path: '/shared/images/:imageId/preview',
    summary: 'A small WebP of the uploaded image',
    params: ofImage,
    query: z.object({ width: integerText(16, 2048).default(640).describe('Pixels.') }),
    success: { status: 200, kind: 'binary', media: PREVIEW_TYPES },
    errors: PREVIEW_ERRORS,
  },
  getSharedOriginal: {
    ...visitor,
    method: 'GET',
    path: '/shared/images/:imageId/original',
    summary: 'The uploaded image with its own pixels, without private data such as a place',
    params: ofImage,
    success: { status: 200, kind: 'binary', media: UPLOAD_TYPES },
    errors: PREVIEW_ERRORS,
  },
  getSharedResult: {
    ...visitor,
    method: 'GET',
    path: '/shared/images/:imageId/result',
    summary: 'The newest whole-size file that was made of the image',
    params: ofImage,
    query: z.object({
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'expected the sha256 of a result')
        .optional()
        .describe('Of the file that the answer with the images has shown; another one may be newer.'),
    }),
    success: { status: 200, kind: 'binary', media: FILE_TYPES },
    errors: FILE_ERRORS,
  },
  answerSharedImage: {
    ...visitor,
    method: 'POST',
    path: '/shared/images/:imageId/answer',
    summary: 'Approve an image or ask for a change; replaces the earlier answer of this link',
    params: ofImage,
    body: shareAnswerRequestSchema,
    success: { status: 200, kind: 'json', schema: shareAnswerSchema },
    errors: ['image_not_found'],
  },
} as const satisfies Record<string, Endpoint>;
