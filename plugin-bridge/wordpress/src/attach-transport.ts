import type { Image, UploadResult } from '#contract';
import type { Upload, UploadOptions } from '../../sdk/index.ts';
import type { Rest } from './rest.ts';

/** Calls of the widget that are replaced. */
export interface AttachTransport {
  createSession(upload: Upload, options?: UploadOptions): Promise<UploadResult>;
  addImages(sessionId: string, upload: Upload, options?: UploadOptions): Promise<UploadResult>;
}

/**
 * Creates uploads of media library images: WordPress sends its own file to the service, so the browser uploads nothing. All
 * images of the widget come from the library, since dropped files are added to it first.
 */
export function createAttachTransport(rest: Rest): AttachTransport {
  async function attach(sessionId: string, upload: Upload, options: UploadOptions = {}): Promise<UploadResult> {
    const [image] = 'images' in upload ? upload.images : [];
    const id = image?.clientRef;
    if (!id) throw Object.assign(new Error('Not an image of the media library.'), { status: 400, code: 'type' });
    const { signal, idempotencyKey } = options;
    const response = await rest.call<{ sessionId: string; image: Image }>('POST', `/attachments/${id}/attach`, {
      json: { sessionId },
      ...(idempotencyKey ? { headers: { 'Idempotency-Key': idempotencyKey } } : {}),
      signal,
    });
    const now = new Date().toISOString();
    return { sessionId: response.sessionId, createdAt: now, expiresAt: now, images: [response.image], rejected: [] };
  }
  return {
    createSession: (upload, options) => attach('', upload, options),
    addImages: (sessionId, upload, options) => attach(sessionId, upload, options),
  };
}
