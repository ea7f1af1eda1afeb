import type { Image, MetadataPatch, Session, UploadResult, urlImportSchema } from '#contract';
import type { Input } from '../core/input.ts';
import {
  type CallOptions,
  newIdempotencyKey,
  readJson,
  readNothing,
  type Transport,
  type WriteOptions,
} from '../core/request.ts';
import type { UploadProgress } from '../core/xhr.ts';

/** A file to upload. */
export interface UploadFile {
  file: Blob;
  /** The file's name. */
  name: string;
  metadata?: {
    /** The caller's own id, echoed wherever the image appears. */
    clientRef?: string;
    title?: string | null;
    alt?: string | null;
    /** Basename of the output, without extension. */
    filename?: string | null;
  };
}

/** What is uploaded: files, or addresses for the service to fetch (off by default there). */
export type Upload = { files: readonly UploadFile[] } | Input<typeof urlImportSchema>;

/** What an upload takes beside its files. */
export interface UploadOptions extends WriteOptions {
  /** Told how far it is, in bytes. Without XMLHttpRequest only once, at the end. */
  onProgress?: UploadProgress;
  /** Sends once and leaves repeating to a queue of the caller's own, which keeps the key. @default false */
  once?: boolean;
}

/** Makes the methods that are about sessions and their images. */
export function createSessionMethods(transport: Transport) {
  function upload(path: string, what: Upload, options: UploadOptions = {}): Promise<UploadResult> {
    const { signal, onProgress, once, idempotencyKey = newIdempotencyKey() } = options;
    const content = 'files' in what ? { form: formOf(what.files), onProgress } : { json: what };
    return transport.send(
      { method: 'POST', path, idempotencyKey, signal, repeatable: true, once, ...content },
      readJson<UploadResult>,
    );
  }

  return {
    /** Creates a session with images. Files that are refused are listed in `rejected`; when all are, it is an ApiError. */
    createSession: (what: Upload, options?: UploadOptions) => upload('/v1/sessions', what, options),

    /** Adds images to a session. */
    addImages: (sessionId: string, what: Upload, options?: UploadOptions) =>
      upload(`${pathOf(sessionId)}/images`, what, options),

    /** Reads a session, its images and its jobs. */
    getSession: (sessionId: string, options: CallOptions = {}) => transport.get<Session>(pathOf(sessionId), options),

    /** Deletes a session and all its files. */
    deleteSession: (sessionId: string, { signal }: CallOptions = {}) =>
      transport.send({ method: 'DELETE', path: pathOf(sessionId), signal }, readNothing),

    /** Edits an image's metadata; `null` clears a field. */
    updateImage: (sessionId: string, imageId: string, metadata: MetadataPatch, { signal }: CallOptions = {}) => {
      const path = imagePathOf(sessionId, imageId);
      return transport.send({ method: 'PATCH', path, json: { metadata }, signal, repeatable: true }, readJson<Image>);
    },

    /** A small WebP of an uploaded image, at least `width` pixels wide unless the image is smaller. */
    previewImage: (sessionId: string, imageId: string, query: { width?: number } = {}, options: CallOptions = {}) =>
      transport.getBlob(`${imagePathOf(sessionId, imageId)}/preview`, options, query),
  };
}

/** The path of a session, or of another namespace. */
export function pathOf(sessionId: string): string {
  return `/v1/sessions/${encodeURIComponent(sessionId)}`;
}

function imagePathOf(sessionId: string, imageId: string): string {
  return `${pathOf(sessionId)}/images/${encodeURIComponent(imageId)}`;
}

function formOf(files: readonly UploadFile[]): FormData {
  const form = new FormData();
  for (const { file, name } of files) form.append('images', file, name);
  const metadata = files.map((file) => file.metadata ?? null);
  if (metadata.some(Boolean)) form.append('metadata', JSON.stringify(metadata));
  return form;
}
