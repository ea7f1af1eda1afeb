import type { Image, UploadResult } from '#contract';
import type { Upload, UploadOptions } from '../../sdk/index.ts';
import type { Rest } from './rest.ts';

/** The calls of the widget that this replaces. */
export interface AttachTransport {
  createSession(upload: Upload, options?: UploadOptions): Promise<UploadResult>;
  addImages(sessionId: string, upload: Upload, options?: UploadOptions): Promise<UploadResult>;
}

/**
 * Uploads of images of the media library: WordPress sends its own file to the service, so that nothing goes up the
 * visitor's line. Everything in the widget on our page comes from the library, files that are dropped on it too.
 */
export function createAttachTransport(rest: Rest): AttachTransport {
  async function attach(sessionId: string, upload: Upload, options: UploadOptions = {}): Promise<UploadResult> {
    const [file] = 'files' in upload ? upload.files : [];
    const id = file?.metadata?.clientRef;
    if (!file || !id)
      throw Object.assign(new Error('Not an image of the media library.'), { status: 400, code: 'type' });
    const { signal, onProgress, idempotencyKey } = options;
    const answer = await rest.call<{ sessionId: string; image: Image }>('POST', `/attachments/${id}/attach`, {
      json: { sessionId },
      ...(idempotencyKey ? { headers: { 'Idempotency-Key': idempotencyKey } } : {}),
      signal,
    });
    onProgress?.(file.file.size, file.file.size);
    const now = new Date().toISOString();
    return { sessionId: answer.sessionId, createdAt: now, expiresAt: now, images: [answer.image], rejected: [] };
  }
  return {
    createSession: (upload, options) => attach('', upload, options),
    addImages: (sessionId, upload, options) => attach(sessionId, upload, options),
  };
}
