import type { ShareAnswer, ShareAnswerRequest, SharedImages } from '#contract';

/** The service refused or could not be reached; `status` is 0 without a response. */
export class ShareError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The service responded ${status}`);
    this.status = status;
  }
}

/** Creates the client of a link: its token goes into a header, never into an address. */
export function createShareClient(token: string) {
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { 'X-Share-Token': token, ...init.headers };
    const response = await fetch(`/shared/images${path}`, { ...init, headers }).catch(() => null);
    if (!response?.ok) throw new ShareError(response?.status ?? 0);
    return response;
  }

  return {
    /** Reads the images with their texts and answers. @throws ShareError */
    images: async (): Promise<SharedImages> => (await send('')).json(),

    /** Reads a file of an image: `preview?width=…`, `original` or `result`. @throws ShareError */
    blob: async (imageId: string, what: string): Promise<Blob> => (await send(`/${imageId}/${what}`)).blob(),

    /** Sends an answer in place of the earlier one. @throws ShareError */
    async answer(imageId: string, answer: ShareAnswerRequest): Promise<ShareAnswer> {
      const headers = { 'Content-Type': 'application/json' };
      return (await send(`/${imageId}/answer`, { method: 'POST', headers, body: JSON.stringify(answer) })).json();
    },
  };
}

/** The client of a link. */
export type ShareClient = ReturnType<typeof createShareClient>;
