import type { CallInput, CallName, ShareAnswer, ShareAnswerRequest, SharedImages } from '#contract';
import { addressOf } from '../../plugin-bridge/sdk/index.ts';

/** The service refused or could not be reached; `status` is 0 without a response. */
export class ShareError extends Error {
  readonly status: number;
  /** Time until the next try may succeed, in seconds; 0 if the service named none. */
  readonly waitSeconds: number;

  constructor(status: number, waitSeconds = 0) {
    super(`The service responded ${status}`);
    this.status = status;
    this.waitSeconds = waitSeconds;
  }
}

/** An endpoint of visitors. */
type Call = Extract<CallName, `${string} /shared/${string}`>;

/** Creates the client of a link: its token goes into a header, never into an address. */
export function createShareClient(token: string) {
  async function send<Name extends Call>(name: Name, input = {} as CallInput<Name>): Promise<Response> {
    const { method, path } = addressOf(name, input);
    const { body } = input as { body?: unknown };
    const json = body === undefined ? null : { body: JSON.stringify(body) };
    const headers = { 'X-Share-Token': token, ...(json && { 'Content-Type': 'application/json' }) };
    const response = await fetch(path, { method, headers, ...json }).catch(() => null);
    if (!response?.ok) throw new ShareError(response?.status ?? 0, Number(response?.headers.get('Retry-After') ?? 0));
    return response;
  }

  return {
    /** Reads the images with their texts and answers. @throws ShareError */
    images: async (): Promise<SharedImages> => (await send('GET /shared/images')).json(),

    /** Reads a preview of an image, `width` pixels wide or more. @throws ShareError */
    preview: async (imageId: string, width: number): Promise<Blob> =>
      (await send('GET /shared/images/:imageId/preview', { imageId, query: { width } })).blob(),

    /** Reads the uploaded image. @throws ShareError */
    original: async (imageId: string): Promise<Blob> =>
      (await send('GET /shared/images/:imageId/original', { imageId })).blob(),

    /** Reads the file that is shown beside it, though there may be a newer one. @throws ShareError */
    result: async (imageId: string, sha256: string): Promise<Blob> =>
      (await send('GET /shared/images/:imageId/result', { imageId, query: { sha256 } })).blob(),

    /** Sends an answer in place of the earlier one. @throws ShareError */
    answer: async (imageId: string, body: ShareAnswerRequest): Promise<ShareAnswer> =>
      (await send('POST /shared/images/:imageId/answer', { imageId, body })).json(),
  };
}

/** The client of a link. */
export type ShareClient = ReturnType<typeof createShareClient>;
