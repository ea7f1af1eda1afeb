import type { Limits } from '#contract';
import { DEFAULT_INPUT_FORMATS, FORMATS } from '#contract/constants';
import { rememberFile } from '../../../plugin-bridge/sdk/index.ts';
import type { OptimizerConfig } from '../core.ts';
import type { Rejection, RejectionCode, Restrictions } from '../types.ts';
import type { Candidate } from './collect-files.ts';

/** Default limits: formats that every service reads. Safari converts HEIC to JPEG only if `accept` does not name it. */
export const NO_LIMITS: Restrictions = {
  accept: DEFAULT_INPUT_FORMATS.map((name) => FORMATS[name].mimeType).join(),
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
  hif: 'image/heif',
  bmp: 'image/bmp',
  svg: 'image/svg+xml',
};

/** Existing items that count towards the limits. */
export interface Present {
  count: number;
  bytes: number;
  /** Identities of the {@link KnownCandidate}s. */
  identities: Set<string>;
}

/** A candidate with the properties of its file, read once: Chromium reads the disk each time they are accessed. */
export interface KnownCandidate extends Candidate {
  size: number | null;
  /** Bytes 4 to 11 as characters; null when the file cannot be read. */
  head: Promise<string | null>;
  /** Identity of the file without reading it. */
  identity: string;
}

/** Reads the size and age of a candidate's file, and starts reading what its upload compares and its first bytes. */
export function readProperties(candidate: Candidate): KnownCandidate {
  const { file, clientRef, relativePath, url } = candidate;
  const { size = null, lastModified = 0 } = (file ?? {}) as Partial<File>;
  // Its upload says whether it can be read.
  if (file) rememberFile(file, { size: size ?? 0, lastModified }).catch(() => {});
  const identity = clientRef ? `ref ${clientRef}` : [relativePath, size, lastModified, url].join('\n');
  return { ...candidate, size, identity, head: readHead(file) };
}

/** Reads bytes 4 to 11. Null: unreadable, such as a moved file, a folder passed as a file, or an absent cloud file. */
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
  // Windows and phones give no type, or application/octet-stream.
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

/** Types and extensions of HEIC, of which systems know the one or the other. */
const HEIC = 'image/heic,image/heif,.heic,.heif,.hif';

function readsHeic({ formats }: Partial<Limits>): boolean {
  return formats?.includes('heic') ?? false;
}

/** Returns the types that can be added: those of the page, or by default those that the service reads. */
export function acceptedTypes(accept: string, service: Partial<Limits>): string {
  const isDefault = accept === '' || accept === NO_LIMITS.accept;
  if (!isDefault) return accept;
  return readsHeic(service) ? `${NO_LIMITS.accept},${HEIC}` : NO_LIMITS.accept;
}

type Texts = Pick<OptimizerConfig, 'translate' | 'formatBytes'>;
interface Reason {
  /** Replaces the text of the code. */
  message?: string;
  /** Names another text. */
  key?: string;
  megapixels?: number;
}
type Reject = (candidate: Candidate, code: RejectionCode, reason?: Reason) => Rejection;

/** Returns a function that creates rejections. */
function createReject(limits: Restrictions, { translate, formatBytes }: Texts): Reject {
  return ({ name, file }, code, { message, megapixels = 0, key = code === 'count' ? 'limit' : code } = {}) => ({
    name,
    file,
    code,
    // A getter, since the language may change while the message is shown.
    get message() {
      const { maxFiles, maxFileSize, maxTotalSize, maxPixels } = limits;
      const most = { count: maxFiles ?? 0, pixels: toMillions(maxPixels ?? 0) }[code as 'count' | 'pixels'];
      const max = most ?? formatBytes((code === 'total' ? maxTotalSize : maxFileSize) ?? 0);
      const format = /\.(\w{1,5})$/.exec(name)?.[1]?.toUpperCase() ?? '';
      const params = { name, max, megapixels, format, size: formatBytes(file?.size ?? 0) };
      return message || translate(`reject.${key === 'type' && !format ? 'unknown' : key}`, params);
    },
  });
}

const toMillions = (pixels: number) => Math.round(pixels / 1e5) / 10;

/** Returns the smaller of two limits; null: there is none. */
function smaller(own: number | null, other: number | undefined): number | null {
  return own === null ? (other ?? null) : Math.min(own, other ?? own);
}

/** Loads the checks of bytes. Null without a connection: the service checks later. */
async function loadLooks() {
  try {
    return await import('./image-size.ts');
  } catch {
    return null;
  }
}

/** Creates the checks of candidates: first by their properties, then by their content. */
export function createRestrictions(given: Partial<Restrictions>, texts: Texts, service: Partial<Limits> = {}) {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const limits: Restrictions = { ...NO_LIMITS, ...Object.fromEntries(set) };
  limits.accept = acceptedTypes(limits.accept, service);
  const refusesHeic = !readsHeic(service);
  limits.maxFiles = smaller(limits.maxFiles, service.maxImagesPerSession);
  limits.maxFileSize = smaller(limits.maxFileSize, service.maxFileBytes);
  limits.maxPixels = smaller(limits.maxPixels, service.maxPixels);
  const reject = createReject(limits, texts);
  const heic = (candidate: Candidate) => reject(candidate, 'type', { key: 'heic' });

  return {
    reject,
    /** Checks name, type, size and the present items; null: accepted. */
    checkListed(candidate: KnownCandidate, present: Present): Rejection | null {
      const { file, name, size, identity } = candidate;
      const { maxFiles, maxFileSize, maxTotalSize, accept } = limits;
      const type = file?.type ?? '';
      // The type behind an address without an extension is known only after fetching.
      const unknown = !file && !/\.\w+$/.test(name);
      if (refusesHeic && (/\.(hei[cf]|hif)$/i.test(name) || /^image\/hei[cf]/.test(type))) return heic(candidate);
      if (!unknown && !isAccepted(name, type, accept)) return reject(candidate, 'type');
      if (size === 0) return reject(candidate, 'empty');
      if (maxFileSize !== null && size !== null && size > maxFileSize) return reject(candidate, 'size');
      if (present.identities.has(identity)) return reject(candidate, 'duplicate');
      if (maxFiles !== null && present.count >= maxFiles) return reject(candidate, 'count');
      if (maxTotalSize !== null && present.bytes + (size ?? 0) > maxTotalSize) return reject(candidate, 'total');
      return null;
    },

    /** Checks the first bytes, the pixels and the page's own `validate`; null: accepted. */
    async checkContent(candidate: KnownCandidate): Promise<Rejection | null> {
      const { file } = candidate;
      if (!file) return null;
      const head = await candidate.head;
      if (head === null) return reject(candidate, 'unreadable');
      if (refusesHeic && /^ftyp(heic|heix|hevc|heim|heis)/.test(head)) return heic(candidate);
      const looks = await loadLooks();
      const found = await looks?.readImageSize(file);
      // Other types are there by the wish of the page.
      if (found === false && isAccepted(candidate.name, file.type, NO_LIMITS.accept)) {
        return reject(candidate, 'type', { key: 'unknown' });
      }
      const { width = 0, height = 0 } = found || {};
      if (limits.maxPixels !== null && width * height > limits.maxPixels) {
        return reject(candidate, 'pixels', { megapixels: toMillions(width * height) });
      }
      if (await looks?.isTruncated(file)) return reject(candidate, 'truncated');
      if (!limits.validate) return null;
      try {
        const message = await limits.validate(file);
        return message ? reject(candidate, 'custom', { message }) : null;
      } catch (error) {
        return reject(candidate, 'custom', { message: error instanceof Error ? error.message : String(error) });
      }
    },
  };
}
