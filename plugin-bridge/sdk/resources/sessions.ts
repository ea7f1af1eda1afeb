import type {
  CreatedShare,
  EditedImage,
  MetadataPatch,
  RecentSessions,
  Session,
  SessionToken,
  ShareList,
  shareRequestSchema,
  tokenRequestSchema,
  UploadResult,
  urlImportSchema,
} from '#contract';
import type { Input } from '../core/input.ts';
import { type CallOptions, newIdempotencyKey, type Requester, type WriteOptions } from '../core/request.ts';
import { readJson, readNothing } from '../core/response.ts';
import type { UploadProgress } from '../core/xhr.ts';

/** A file to upload. */
export interface UploadFile {
  file: Blob;
  /** File name. */
  name: string;
  metadata?: {
    /** The caller's id, returned wherever the image appears. */
    clientRef?: string;
    title?: string | null;
    alt?: string | null;
    /** Basename of the output, without extension. */
    filename?: string | null;
  };
}

/** Content of an upload: files, or addresses for the service to fetch (disabled there by default). */
export type Upload = { files: readonly UploadFile[] } | Input<typeof urlImportSchema>;

/** Options of an upload. */
export interface UploadOptions extends WriteOptions {
  /** Called with the progress in bytes. Without XMLHttpRequest only once, at the end. */
  onProgress?: UploadProgress;
  /** Sends once; the caller repeats it with the same key. @default false */
  once?: boolean;
}

/** Creates the methods for sessions and their images. */
export function createSessionMethods(requester: Requester) {
  function upload(path: string, what: Upload, options: UploadOptions = {}): Promise<UploadResult> {
    const { signal, onProgress, once, idempotencyKey = newIdempotencyKey() } = options;
    const content = 'files' in what ? { form: formOf(what.files), onProgress } : { json: what };
    return requester.send(
      { method: 'POST', path, idempotencyKey, signal, repeatable: true, once, ...content },
      readJson<UploadResult>,
    );
  }

  return {
    /** Creates a session with images. Refused files are listed in `rejected`. @throws ApiError if all are refused */
    createSession: (what: Upload, options?: UploadOptions) => upload('/v1/sessions', what, options),

    /** Adds images to a session. */
    addImages: (sessionId: string, what: Upload, options?: UploadOptions) =>
      upload(`${pathOf(sessionId)}/images`, what, options),

    /** Lists the sessions of the account that have not ended, newest first. */
    listSessions: (query: { limit?: number } = {}, options: CallOptions = {}) =>
      requester.get<RecentSessions>('/v1/sessions', options, query),

    /** Reads a session, its images and its jobs. */
    getSession: (sessionId: string, options: CallOptions = {}) => requester.get<Session>(pathOf(sessionId), options),

    /** Deletes a session and all its files. */
    deleteSession: (sessionId: string, { signal }: CallOptions = {}) =>
      requester.send({ method: 'DELETE', path: pathOf(sessionId), signal }, readNothing),

    /** Edits an image's metadata; `null` clears a field. A new file name also renames exported files, free of charge. */
    updateImage: (sessionId: string, imageId: string, metadata: MetadataPatch, { signal }: CallOptions = {}) => {
      const path = imagePathOf(sessionId, imageId);
      return requester.send(
        { method: 'PATCH', path, json: { metadata }, signal, repeatable: true },
        readJson<EditedImage>,
      );
    },

    /** Creates a token for pages of `origin`, valid for one session and one hour. Takes an API key. */
    createToken: (json: Input<typeof tokenRequestSchema>, { signal }: CallOptions = {}) =>
      requester.send({ method: 'POST', path: '/v1/tokens', json, signal }, readJson<SessionToken>),

    /** Creates a link by which people without an account look at a session and answer. Only this response contains it. */
    createShare: (sessionId: string, json: Input<typeof shareRequestSchema> = {}, { signal }: CallOptions = {}) =>
      requester.send({ method: 'POST', path: sharesOf(sessionId), json, signal }, readJson<CreatedShare>),

    /** Lists the links of a session, newest first, with the answers of their visitors. */
    listShares: (sessionId: string, options: CallOptions = {}) =>
      requester.get<ShareList>(sharesOf(sessionId), options),

    /** Revokes a link at once; its answers stay. */
    revokeShare: (sessionId: string, shareId: string, { signal }: CallOptions = {}) => {
      const path = `${sharesOf(sessionId)}/${encodeURIComponent(shareId)}`;
      return requester.send({ method: 'DELETE', path, signal }, readNothing);
    },

    /** Reads a small WebP of an uploaded image, at least `width` pixels wide unless the image is smaller. */
    previewImage: (sessionId: string, imageId: string, query: { width?: number } = {}, options: CallOptions = {}) =>
      requester.getBlob(`${imagePathOf(sessionId, imageId)}/preview`, options, query),
  };
}

/** Returns the path of a session or another namespace. */
export function pathOf(sessionId: string): string {
  return `/v1/sessions/${encodeURIComponent(sessionId)}`;
}

const sharesOf = (sessionId: string) => `${pathOf(sessionId)}/shares`;

function imagePathOf(sessionId: string, imageId: string): string {
  return `${pathOf(sessionId)}/images/${encodeURIComponent(imageId)}`;
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

function formOf(files: readonly UploadFile[]): FormData {
  const form = new FormData();
  for (const { file, name } of files) form.append('images', inPieces(file), name);
  const metadata = files.map((file) => file.metadata ?? null);
  if (metadata.some(Boolean)) form.append('metadata', JSON.stringify(metadata));
  return form;
}
