import type { MetadataPatch, TextsPatch, UploadResult, UrlImportInput } from '#contract';
import { type Call, type CallOptions, newIdempotencyKey, type Requester, type WriteOptions } from '../core/request.ts';
import { readJson } from '../core/response.ts';
import { requireUnchanged } from '../core/unchanged.ts';
import type { UploadProgress } from '../core/xhr.ts';

/** A file to upload. */
export interface UploadFile {
  file: Blob | Uint8Array;
  /** File name. */
  name: string;
  metadata?: {
    /** The caller's id, returned wherever the image appears. */
    clientRef?: string | undefined;
    /** Place among the images of the session, from 0. Default: behind those that were uploaded before. */
    position?: number | undefined;
    title?: string | null | undefined;
    alt?: string | null | undefined;
    /** Basename of the output, without extension. */
    filename?: string | null | undefined;
  };
}

/** Content of an upload: files, or addresses for the service to fetch (disabled there by default). */
export type Upload = { files: readonly UploadFile[] } | UrlImportInput;

/** Options of an upload. */
export interface UploadOptions extends WriteOptions {
  /** Called with the progress in bytes. Without XMLHttpRequest only once, at the end. */
  onProgress?: UploadProgress | undefined;
  /** Sends once; the caller repeats it with the same key. @default false */
  once?: boolean | undefined;
}

/** Creates the methods for sessions and their images. @internal */
export function createSessionMethods(requester: Requester) {
  async function upload(
    to: Pick<Call, 'name' | 'sessionId'>,
    what: Upload,
    options: UploadOptions = {},
  ): Promise<UploadResult> {
    const { signal, onProgress, once, idempotencyKey = newIdempotencyKey() } = options;
    const content = 'files' in what ? await formOf(what.files, onProgress) : { body: what };
    return requester.send(
      { ...to, idempotencyKey, signal, repeatable: true, once, ...content },
      readJson<UploadResult>,
    );
  }

  return {
    /** Creates a session with images. Refused files are listed in `rejected`. @throws ApiError if all are refused */
    createSession: (what: Upload, options?: UploadOptions) => upload({ name: 'POST /v1/sessions' }, what, options),

    /** Adds images to a session. */
    addImages: (sessionId: string, what: Upload, options?: UploadOptions) =>
      upload({ name: 'POST /v1/sessions/:sessionId/images', sessionId }, what, options),

    /** Reads a session, its images and its jobs. */
    getSession: (sessionId: string, options: CallOptions = {}) =>
      requester.call('GET /v1/sessions/:sessionId', { sessionId, ...options }),

    /**
     * Edits an image's metadata, and with `texts` its texts by language; `null` clears a field. A new file name also renames exported
     * files, free of charge.
     */
    updateImage: (
      sessionId: string,
      imageId: string,
      metadata: MetadataPatch,
      { signal, texts }: CallOptions & { texts?: TextsPatch | undefined } = {},
    ) => {
      return requester.call('PATCH /v1/sessions/:sessionId/images/:imageId', {
        sessionId,
        imageId,
        body: { metadata, texts },
        signal,
        repeatable: true,
      });
    },

    /** Reads a small WebP of an uploaded image, at least `width` pixels wide unless the image is smaller. */
    previewImage: (sessionId: string, imageId: string, query: { width?: number } = {}, options: CallOptions = {}) =>
      requester.getBlob('GET /v1/sessions/:sessionId/images/:imageId/preview', {
        sessionId,
        imageId,
        query,
        ...options,
      }),
  };
}

/** Bytes of a file that Node writes at once. Its `fetch` gives up if a single write takes 300 s. */
const PIECE = 2 ** 18;

/** Divides a file for Node's `fetch`; browsers need no pieces. */
function inPieces(file: Blob): Blob {
  if (typeof XMLHttpRequest === 'function') return file;
  const pieces: Blob[] = [];
  for (let at = 0; at < file.size; at += PIECE) pieces.push(file.slice(at, at + PIECE));
  return new Blob(pieces, { type: file.type });
}

async function formOf(files: readonly UploadFile[], onProgress: UploadProgress | undefined) {
  const form = new FormData();
  const blobs = files.map(({ file }) =>
    ArrayBuffer.isView(file) ? new Blob([file as Uint8Array<ArrayBuffer>]) : file,
  );
  const unchanged = await Promise.all(blobs.map(requireUnchanged));
  for (const [index, blob] of unchanged.entries()) form.append('images', inPieces(blob), files[index]?.name);
  const metadata = files.map((file) => file.metadata ?? null);
  if (metadata.some(Boolean)) form.append('metadata', JSON.stringify(metadata));
  // What was copied cannot change.
  const check = () => Promise.all(blobs.filter((blob) => unchanged.includes(blob)).map(requireUnchanged));
  return { form, onProgress, check };
}
