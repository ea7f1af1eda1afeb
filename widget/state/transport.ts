import type {
  AnalysisReport,
  AnalysisResult,
  Balance,
  CreditCheck,
  EditedImage,
  ImageResult,
  Job,
  Limits,
  MetadataPatch,
  Session,
  TextsPatch,
  UploadResult,
} from '#contract';
import {
  type CallOptions,
  type ClientOptions,
  createImageClient,
  type ResultStream,
  type Upload,
  type UploadOptions,
  type WriteOptions,
} from '../../plugin-bridge/sdk/index.ts';
import type { Settings } from './types.ts';

/** An image as an export names it. */
export interface ExportImageInput {
  id: string;
  metadata?: { filename?: string | null; title?: string | null; alt?: string | null };
}

/** Every call the widget makes. The default is the SDK's client; a CMS adapter or a test may replace any of them. */
export interface Transport {
  createSession(upload: Upload, options?: UploadOptions): Promise<UploadResult>;
  addImages(sessionId: string, upload: Upload, options?: UploadOptions): Promise<UploadResult>;
  getSession(sessionId: string, options?: CallOptions): Promise<Session>;
  updateImage(
    sessionId: string,
    imageId: string,
    metadata: MetadataPatch,
    options?: CallOptions & { texts?: TextsPatch },
  ): Promise<EditedImage>;
  previewImage(sessionId: string, imageId: string, query: { width: number }, options?: CallOptions): Promise<Blob>;
  analyzeImages(
    sessionId: string,
    body: { images?: string[]; options?: { [option: string]: unknown } },
    options?: WriteOptions,
  ): ResultStream<AnalysisResult>;
  getAnalysis(sessionId: string, options?: CallOptions): Promise<AnalysisReport>;
  sampleImages(
    sessionId: string,
    body: { images: ExportImageInput[]; settings: Settings },
    options?: WriteOptions,
  ): ResultStream<ImageResult>;
  exportImages(
    sessionId: string,
    body: { images: ExportImageInput[]; settings: Settings },
    options?: WriteOptions,
  ): ResultStream<ImageResult>;
  getJob(jobId: string, options?: CallOptions): Promise<Job>;
  cancelJob(jobId: string, options?: CallOptions): Promise<unknown>;
  followJob(jobId: string, options?: CallOptions): ResultStream<ImageResult | AnalysisResult>;
  checkCredits(body: { imageCount: number; operation?: 'export' }, options?: CallOptions): Promise<CreditCheck>;
  getLimits(options?: CallOptions): Promise<Limits>;
  getBalance(options?: CallOptions): Promise<Balance>;
  downloadFile(namespace: string, filename: string, options?: CallOptions): Promise<Blob>;
  /** Fetches a CMS media item's bytes. Default: `fetch` with the page's cookies for its own origin. */
  fetchMedia(url: string, options?: CallOptions): Promise<Blob>;
}

/** The transport that talks to the service, or to the CMS' proxy in front of it. */
export function createTransport(options: ClientOptions): Transport {
  return {
    ...createImageClient(options),
    async fetchMedia(url, { signal } = {}) {
      const response = await fetch(url, { signal }).catch((cause) => {
        // The same shape as the client's errors have.
        throw Object.assign(new Error(url, { cause }), { code: 'network', retryable: true });
      });
      if (!response.ok) throw Object.assign(new Error(url), { status: response.status, code: 'media' });
      return response.blob();
    },
  };
}
