import type { OptimizerConfig } from '../optimizer-interface.ts';
import type { Rejection, RejectionCode, Restrictions } from '../types.ts';
import type { Candidate } from './collect-files.ts';

/** No limits, but what the service reads, and HEIC: whoever picks one learns what to do instead of finding it greyed out. */
export const NO_LIMITS: Restrictions = {
  accept: 'image/jpeg,image/png,image/webp,image/avif,image/gif,image/tiff,.heic,.heif',
  maxFiles: null,
  maxFileSize: null,
  maxTotalSize: null,
  maxPixels: null,
  validate: null,
};

const TYPES: { readonly [extension: string]: string } = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  heic: 'image/heic',
  heif: 'image/heif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
};

/** Existing items that count towards the limits. */
export interface Present {
  count: number;
  bytes: number;
  /** Of {@link KnownCandidate}. */
  identities: ReadonlySet<string>;
}

/** A candidate whose file was asked once what it says of itself: Chromium goes to the disk for each such question. */
export interface KnownCandidate extends Candidate {
  size: number | null;
  /** Bytes 4 to 11 as characters; null when the file cannot be read. */
  head: Promise<string | null>;
  /** Identity of the file without reading it. */
  identity: string;
}

/** Asks a candidate's file for its size and age, and begins to read it. */
export function getToKnow(candidate: Candidate): KnownCandidate {
  const { file, clientRef, relativePath, url } = candidate;
  const { size = null, lastModified = 0 } = (file ?? {}) as Partial<File>;
  const identity = clientRef ? `ref ${clientRef}` : [relativePath, size, lastModified, url].join('\n');
  return { ...candidate, size, identity, head: readHead(file) };
}

/** A file that was moved, a folder in a file's clothes, a cloud file that is not here: all fail at the first read. */
async function readHead(file: Blob | null): Promise<string | null> {
  try {
    return file && String.fromCharCode(...new Uint8Array(await file.slice(4, 12).arrayBuffer()));
  } catch {
    return null;
  }
}

/** True when an `accept` list names the file's type or extension. */
function isAccepted(name: string, type: string, accept: string): boolean {
  const extension = /\.(\w+)$/.exec(name.toLowerCase())?.[1] ?? '';
  // Windows and phones leave the type out, or say application/octet-stream.
  const types = [type.toLowerCase(), TYPES[extension] ?? ''];
  return accept
    .toLowerCase()
    .split(',')
    .map((token) => token.trim())
    .some((token) => {
      if (token === '' || token === '*/*') return token !== '';
      if (token.startsWith('.')) return token === `.${extension}`;
      return types.some((one) => (token.endsWith('/*') ? one.startsWith(token.slice(0, -1)) : one === token));
    });
}

/** Looks at candidates in two steps: what the list says, and what is in the file. */
export function createRestrictions(
  given: Partial<Restrictions>,
  { translate: t, formatBytes }: Pick<OptimizerConfig, 'translate' | 'formatBytes'>,
) {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits: Restrictions = { ...NO_LIMITS, ...Object.fromEntries(set) };
  limits.accept ||= NO_LIMITS.accept;
  const refuse = (
    { name, file }: Candidate,
    code: RejectionCode,
    message = '',
    key = code === 'count' ? 'limit' : code,
  ): Rejection => ({
    name,
    file,
    code,
    get message() {
      const { maxFiles, maxFileSize, maxTotalSize, maxPixels } = limits;
      const bytes = formatBytes((code === 'total' ? maxTotalSize : maxFileSize) ?? 0);
      const max = code === 'count' ? (maxFiles ?? 0) : bytes;
      const params = { name, max, megapixels: Math.round((maxPixels ?? 0) / 1e5) / 10 };
      return message || t(`reject.${key}`, params);
    },
  });
  const heic = (candidate: Candidate) => refuse(candidate, 'type', '', 'heic');

  return {
    /** By name, type, size and what is there; null when nothing speaks against it. */
    checkListed(candidate: KnownCandidate, present: Present): Rejection | null {
      const { file, name, size, identity } = candidate;
      const { maxFiles, maxFileSize, maxTotalSize, accept } = limits;
      const type = file?.type ?? '';
      // What an address without an extension holds is seen when it is fetched.
      const unknown = !file && !/\.\w+$/.test(name);
      if (!unknown && !isAccepted(name, type, accept)) return refuse(candidate, 'type');
      if (/\.hei[cf]$/i.test(name) || /^image\/hei[cf]/.test(type)) return heic(candidate);
      if (size === 0) return refuse(candidate, 'empty');
      if (maxFileSize !== null && size !== null && size > maxFileSize) return refuse(candidate, 'size');
      if (present.identities.has(identity)) return refuse(candidate, 'duplicate');
      if (maxFiles !== null && present.count >= maxFiles) return refuse(candidate, 'count');
      if (maxTotalSize !== null && present.bytes + (size ?? 0) > maxTotalSize) return refuse(candidate, 'total');
      return null;
    },

    /** By its first bytes, its pixels and the page's own check. */
    async checkContent(candidate: KnownCandidate): Promise<Rejection | null> {
      const { file } = candidate;
      if (!file) return null;
      const head = await candidate.head;
      if (head === null) return refuse(candidate, 'unreadable');
      if (/^ftyp(heic|heix|hevc|heim|heis)/.test(head)) return heic(candidate);
      if (limits.maxPixels !== null) {
        const { readImageSize } = await import('./image-size.ts');
        const size = await readImageSize(file);
        if (size && size.width * size.height > limits.maxPixels) return refuse(candidate, 'pixels');
      }
      if (!limits.validate) return null;
      try {
        const message = await limits.validate(file);
        return message ? refuse(candidate, 'custom', message) : null;
      } catch (error) {
        return refuse(candidate, 'custom', error instanceof Error ? error.message : String(error));
      }
    },
  };
}
