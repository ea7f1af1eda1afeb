import { z } from 'zod';
import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import { analysisSchema, analyzeRequestSchema, flatAnalyzeRequestSchema } from './analysis.ts';
import { ANALYZE_ERRORS, type Endpoint, EXPORT_ERRORS, FILE_TYPES, PREVIEW_TYPES, UPLOAD_ERRORS } from './endpoint.ts';
import { exportRequestSchema, flatExportRequestSchema } from './exports.ts';
import { imageIdSchema, jobIdSchema, namespaceSchema, sessionIdSchema } from './ids.ts';
import { editedImageSchema, imagePatchSchema, uploadResultSchema, urlImportSchema } from './images.ts';
import { integerText } from './integer-text.ts';
import { OPERATOR_ENDPOINTS } from './operator-endpoints.ts';
import { SERVICE_ENDPOINTS } from './service-endpoints.ts';
import { jobSchema, recentSessionsSchema, sessionSchema, sessionTokenSchema, tokenRequestSchema } from './sessions.ts';
import { SHARE_ENDPOINTS } from './share-endpoints.ts';

const base = { auth: 'key', idempotent: false, errors: [] } as const;
const inSession = z.object({ sessionId: sessionIdSchema });
const inImage = z.object({ sessionId: sessionIdSchema, imageId: imageIdSchema });
const inJob = z.object({ jobId: jobIdSchema });

const stream = { status: 200, kind: 'stream' } as const;

const V1_ENDPOINTS = {
  createSession: {
    ...base,
    token: 'create',
    method: 'POST',
    path: '/v1/sessions',
    tag: 'Sessions',
    summary: 'Create a session with images',
    takesFiles: true,
    body: urlImportSchema,
    idempotent: true,
    success: { status: 201, kind: 'json', schema: uploadResultSchema },
    errors: [...UPLOAD_ERRORS, 'session_limit_reached'],
  },
  listSessions: {
    ...base,
    method: 'GET',
    path: '/v1/sessions',
    tag: 'Sessions',
    summary: 'List the sessions of the account that have not ended, newest first',
    query: z.object({ limit: integerText(1, 50).default(20).describe('Most sessions.') }),
    success: { status: 200, kind: 'json', schema: recentSessionsSchema },
  },
  addImages: {
    ...base,
    token: 'session',
    method: 'POST',
    path: '/v1/sessions/:sessionId/images',
    tag: 'Sessions',
    summary: 'Add images to a session',
    params: inSession,
    takesFiles: true,
    body: urlImportSchema,
    idempotent: true,
    success: { status: 201, kind: 'json', schema: uploadResultSchema },
    errors: [...UPLOAD_ERRORS, 'session_not_found'],
  },
  getSession: {
    ...base,
    token: 'session',
    method: 'GET',
    path: '/v1/sessions/:sessionId',
    tag: 'Sessions',
    summary: 'Read a session, its images and its jobs',
    params: inSession,
    success: { status: 200, kind: 'json', schema: sessionSchema },
    errors: ['session_not_found'],
  },
  deleteSession: {
    ...base,
    token: 'session',
    method: 'DELETE',
    path: '/v1/sessions/:sessionId',
    tag: 'Sessions',
    summary: 'Delete a session and all its files',
    params: inSession,
    success: { status: 204, kind: 'empty' },
    errors: ['session_not_found'],
  },
  updateImage: {
    ...base,
    token: 'session',
    method: 'PATCH',
    path: '/v1/sessions/:sessionId/images/:imageId',
    tag: 'Sessions',
    summary: "Edit an image's metadata; a new file name renames its exported files, free of charge",
    params: inImage,
    body: imagePatchSchema,
    success: { status: 200, kind: 'json', schema: editedImageSchema },
    errors: ['session_not_found', 'image_not_found'],
  },
  previewImage: {
    ...base,
    token: 'session',
    method: 'GET',
    path: '/v1/sessions/:sessionId/images/:imageId/preview',
    tag: 'Sessions',
    summary: 'A small WebP of an uploaded image, for review screens',
    params: inImage,
    query: z.object({
      width: integerText(16, 2048)
        .default(320)
        .describe('Pixels. The preview is at least as wide, unless the image is smaller.'),
    }),
    success: { status: 200, kind: 'binary', media: PREVIEW_TYPES },
    errors: [
      'session_not_found',
      'image_not_found',
      'file_not_found',
      'precondition_failed',
      'range_not_satisfiable',
      'invalid_image',
      'processing_timeout',
      'processing_failed',
      'overloaded',
    ],
  },
  analyzeImages: {
    ...base,
    token: 'session',
    method: 'POST',
    path: '/v1/sessions/:sessionId/analyze',
    tag: 'Analysis',
    summary: 'Describe images, with a vision model if one is configured',
    params: inSession,
    body: analyzeRequestSchema,
    idempotent: true,
    success: stream,
    errors: ANALYZE_ERRORS,
  },
  analyzeImagesFlat: {
    ...base,
    method: 'POST',
    path: '/v1/analyze',
    tag: 'Analysis',
    summary: 'Describe images, with the session named in the body',
    body: flatAnalyzeRequestSchema,
    idempotent: true,
    success: stream,
    errors: ANALYZE_ERRORS,
  },
  getAnalysis: {
    ...base,
    token: 'session',
    method: 'GET',
    path: '/v1/sessions/:sessionId/analysis',
    tag: 'Analysis',
    summary: 'Read the analysis state of a session and the metadata of its images',
    params: inSession,
    success: { status: 200, kind: 'json', schema: analysisSchema },
    errors: ['session_not_found'],
  },
  exportImages: {
    ...base,
    token: 'session',
    method: 'POST',
    path: '/v1/sessions/:sessionId/export',
    tag: 'Export',
    summary: 'Export images: 1 credit each',
    params: inSession,
    body: exportRequestSchema,
    idempotent: true,
    success: stream,
    errors: [...EXPORT_ERRORS, 'insufficient_credits', 'daily_limit_reached'],
  },
  exportImagesFlat: {
    ...base,
    method: 'POST',
    path: '/v1/export',
    tag: 'Export',
    summary: 'Export images, with the session named in the body',
    body: flatExportRequestSchema,
    idempotent: true,
    success: stream,
    errors: [...EXPORT_ERRORS, 'insufficient_credits', 'daily_limit_reached'],
  },
  sampleImages: {
    ...base,
    token: 'session',
    method: 'POST',
    path: '/v1/sessions/:sessionId/sample',
    tag: 'Export',
    summary: 'Export up to 5 images as a free sample',
    params: inSession,
    body: exportRequestSchema,
    idempotent: true,
    success: stream,
    errors: [...EXPORT_ERRORS, 'sample_limit_exceeded', 'daily_limit_reached'],
  },
  downloadFile: {
    ...base,
    token: 'session',
    method: 'GET',
    path: '/v1/sessions/:sessionId/download',
    tag: 'Export',
    summary: 'Download an exported file',
    params: z.object({ sessionId: namespaceSchema }),
    query: z.object({
      filename: z
        .string({ error: 'expected the name of an exported file' })
        .min(1)
        .max(1024)
        .describe(
          'A file name: the newest file of that name is sent, and clients have to ask each time (`no-cache`). Or `<sha256>/<file name>`, as in the `url` of a result: these bytes are sent, `immutable` until the session ends.',
        ),
    }),
    // With DOWNLOADS=redirect a GET without If-Match and If-None-Match is a 302 to the store, or 200 with an address as JSON.
    success: { status: 200, kind: 'binary', media: FILE_TYPES },
    errors: ['session_not_found', 'file_not_found', 'file_damaged', 'precondition_failed', 'range_not_satisfiable'],
  },
  getJob: {
    ...base,
    token: 'job',
    method: 'GET',
    path: '/v1/jobs/:jobId',
    tag: 'Jobs',
    summary: 'State and results of a job',
    params: inJob,
    success: { status: 200, kind: 'json', schema: jobSchema },
    errors: ['job_not_found'],
  },
  followJob: {
    ...base,
    token: 'job',
    method: 'GET',
    path: '/v1/jobs/:jobId/events',
    tag: 'Jobs',
    summary: 'Join or resume the stream of a job; 204 after its last event',
    params: inJob,
    success: stream,
    errors: ['job_not_found'],
  },
  cancelJob: {
    ...base,
    token: 'job',
    method: 'POST',
    path: '/v1/jobs/:jobId/cancel',
    tag: 'Jobs',
    summary: 'Cancel a job; images that were not exported are refunded',
    params: inJob,
    success: { status: 200, kind: 'json', schema: jobSchema },
    errors: ['job_not_found', 'job_finished'],
  },
  createToken: {
    ...base,
    method: 'POST',
    path: '/v1/tokens',
    tag: 'Sessions',
    summary: 'Create a token by which a page of one origin works with one session for an hour',
    body: tokenRequestSchema,
    success: { status: 201, kind: 'json', schema: sessionTokenSchema },
    errors: ['session_not_found', 'token_limit_reached'],
  },
} as const satisfies Record<string, Endpoint>;

/** Every endpoint. Tests compare `docs`, OpenAPI and the router with this table. */
export const ENDPOINTS = {
  ...V1_ENDPOINTS,
  ...SERVICE_ENDPOINTS,
  ...SHARE_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...OPERATOR_ENDPOINTS,
} as const;

/** Name of an endpoint of the table. */
export type EndpointName = keyof typeof ENDPOINTS;
