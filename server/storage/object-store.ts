import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

/** A file of the store. */
export interface StoredFile {
  key: string;
  /** Bytes. */
  size: number;
  modifiedAt: Date;
}

/** Facts of a file to store. */
export interface FileFacts {
  /** Bytes. */
  size: number;
  contentType: string;
  /** SHA-256 of the content, in hex. The store compares it with what it received where it can. */
  sha256?: string | undefined;
  /** True if a worker will read the file soon. */
  isSource?: boolean;
}

/** A part of a file; both ends are included. */
export interface ByteSpan {
  first: number;
  last: number;
}

/** Answer to a client that fetches a file from the store itself. */
export interface DirectDownload {
  mimeType: string;
  /** Value of `Content-Disposition`. */
  disposition: string;
}

/**
 * Files of all servers, named by keys like `sessions/sess_…/img_….jpg`. A file is there whole or not at all, and is not
 * changed. Every method throws {@link StoreAwayError} if the store does not respond.
 */
export interface ObjectStore {
  /** Name of the place, for messages. */
  readonly place: string;
  /** Creates what has to be there. */
  prepare(): Promise<void>;
  /** Stores a complete, flushed file of {@link Scratch} under a key; the file is used up. Replaces a file of that key. */
  putFile(key: string, file: string, facts: FileFacts): Promise<void>;
  /** Opens a file, or a part of it. Returns the stream and the bytes of the whole file; null if it does not exist. */
  open(key: string, span?: ByteSpan): Promise<{ stream: Readable; size: number } | null>;
  /** Calls `use` with the absolute path of a local copy. @throws Error with code ENOENT if the file does not exist */
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T>;
  /** Returns the bytes of a file; null if it does not exist. */
  head(key: string): Promise<{ size: number } | null>;
  /** Removes files; ignores missing ones. */
  removeMany(keys: string[]): Promise<void>;
  /** Removes every file below a folder. */
  removeBelow(folder: string): Promise<void>;
  /** Every file below a folder. */
  list(folder: string): AsyncIterable<StoredFile>;
  /** Names of the folders directly below a folder. */
  listFolders(folder: string): Promise<string[]>;
  /** Returns a URL at which a client can fetch the file for a while; null where the store has none. */
  urlOf(key: string, download: DirectDownload): Promise<string | null>;
}

const SEGMENT = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}(\.[0-9a-z]{1,8})?$/;

/** Joins segments made by the service itself into a store key; a segment with any other character is a programming error. */
function storeKey(...segments: string[]): string {
  for (const segment of segments) {
    if (!SEGMENT.test(segment)) throw new TypeError(`not a store key segment: ${JSON.stringify(segment)}`);
  }
  return segments.join('/');
}

/** Folder of a namespace: a session's uploads and previews, or its samples. */
export const namespaceFolder = (namespace: string) => storeKey('sessions', namespace);

/** Key of an uploaded file; also the `uploadPath` that callers see. */
export const uploadKey = (sessionId: string, imageId: string, extension: string) =>
  storeKey('sessions', sessionId, `${imageId}.${extension}`);

/** Key of the review preview of an image. */
export const previewKey = (sessionId: string, imageId: string, width: number) =>
  storeKey('sessions', sessionId, 'previews', `${imageId}-${width}.webp`);

/** Key of a copy of an uploaded file without private metadata. */
export const bareKey = (sessionId: string, imageId: string, extension: string) =>
  storeKey('sessions', sessionId, 'previews', `${imageId}-bare.${extension}`);

/** Folder of all variants. */
export const VARIANTS = 'variants';

/**
 * Returns a new key for a variant, by the hash of everything that made it. No two are equal, so that the removal of one file never removes one that was made later.
 */
export const newVariantKey = (hash: string, extension: string) =>
  storeKey(VARIANTS, hash.slice(0, 2), `${hash}-${randomBytes(4).toString('hex')}.${extension}`);

/** Returns the hash in the key of a variant. */
export const variantHashOf = (key: string) => key.split('/').at(-1)?.split(/[-.]/)[0] ?? '';
