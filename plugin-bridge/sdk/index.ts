// Owns the client of /v1 for browsers and Node: requests, streams, retries, errors. Must not know pages, CMSs or files on
// disk; of the server only types of the contract.
export type {
  AnalyzeInput,
  CreditCheckInput,
  ExportInput,
  ShareInput,
  TokenInput,
  TransactionPage,
  UrlImportInput,
} from '#contract';
export { type Client, createClient, createImageClient } from './client.ts';
export type { CompleteDataOf, JobStream } from './core/job-stream.ts';
export {
  addressOf,
  type CallOptions,
  type CallPlace,
  type ClientOptions,
  type HeadersSource,
  newIdempotencyKey,
  type WriteOptions,
} from './core/request.ts';
export type { ResultEvent, ResultStream } from './core/result-stream.ts';
export { rememberFile } from './core/unchanged.ts';
export type { UploadProgress } from './core/xhr.ts';
export { ApiError, ConnectionError, type ConnectionErrorCode } from './errors.ts';
export type { AnalyzeEvent } from './resources/analysis.ts';
export type { ExportEvent } from './resources/exports.ts';
export type { FollowOptions } from './resources/jobs.ts';
export type { Upload, UploadFile, UploadOptions } from './resources/sessions.ts';
