import sharp from 'sharp';
import {
  type CmsHost,
  type DecodeImage,
  HostError,
  type HostImage,
  type JournalStorage,
  type Replacement,
} from '../../../plugin-bridge/host/index.ts';

/** Image of a shelf: its bytes and, if it was replaced, the files that replace it. */
export interface ShelfImage {
  bytes: Uint8Array;
  status: HostImage['status'];
  title: string | null;
  files: { name: string; bytes: Uint8Array }[];
  replacement: Replacement | null;
}

/** CMS in memory. */
export interface Shelf extends CmsHost {
  images: Map<string, ShelfImage>;
  /** Ids in the order of the calls. */
  calls: { fetch: string[]; replace: string[]; restore: string[] };
}

/** Creates a shelf of images. `own` replaces single methods. */
export function createShelf(files: { name: string; bytes: Uint8Array }[], own: Partial<CmsHost> = {}): Shelf {
  const images = new Map<string, ShelfImage>(
    files.map(({ name, bytes }) => [name, { bytes, status: 'original', title: null, files: [], replacement: null }]),
  );
  const calls = { fetch: [] as string[], replace: [] as string[], restore: [] as string[] };
  const find = (id: string) => {
    const image = images.get(id);
    if (!image) throw new HostError('not_found', `no ${id}`);
    return image;
  };
  return {
    id: 'shelf',
    images,
    calls,
    async list({ ids, cursor = '0', limit = 2 }) {
      const wanted = ids ? ids.filter((id) => images.has(id)) : [...images.keys()];
      const start = Number(cursor);
      // A page has at most two images, whatever the limit.
      const end = start + Math.min(limit, 2);
      const page = wanted.slice(start, end).map((id): HostImage => {
        const { status, title } = find(id);
        const unknown = { url: null, alt: null, width: null, height: null, mime: '' };
        return {
          id,
          filename: id,
          status,
          title,
          ...unknown,
          ...(status === 'unavailable' && { reason: 'It is a fax.' }),
        };
      });
      return { images: page, nextCursor: end < wanted.length ? String(end) : null };
    },
    async fetch(id) {
      calls.fetch.push(id);
      return new Blob([find(id).bytes as Uint8Array<ArrayBuffer>]);
    },
    async replace(id, replacement) {
      calls.replace.push(id);
      const image = find(id);
      image.files = await Promise.all(
        replacement.variants.map(async (variant) => ({
          name: variant.filename,
          bytes: new Uint8Array(await (await variant.blob()).arrayBuffer()),
        })),
      );
      Object.assign(image, { status: 'replaced', replacement });
      return { url: `/shelf/${id}` };
    },
    async restore(id) {
      calls.restore.push(id);
      const image = find(id);
      const restored = image.status === 'replaced';
      Object.assign(image, { status: 'original', files: [], replacement: null });
      return { url: `/shelf/${id}`, restored };
    },
    ...own,
  };
}

/** Decodes as a browser would. */
export const decode: DecodeImage = async (blob) => {
  const { info } = await sharp(await blob.arrayBuffer()).toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height };
};

/** Creates a storage that outlives its page. */
export function createStorage(): JournalStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}
