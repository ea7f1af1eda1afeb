import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import type { CmsHost, HostImage, HostPage, HostQuery, Replacement, Uploaded } from '../cms-host.ts';
import { HostError } from '../host-error.ts';
import { typeOf } from '../image-types.ts';
import { shortName } from '../short-name.ts';
import { type Disk, hashOf } from './disk.ts';
import { type MadeFile, type MediaRecords, openRecords } from './media-records.ts';

/** An image in the list of a CMS. */
export interface MediaImage {
  id: string | number;
  /** Path below the folder, e.g. `press/harbour.jpg`. */
  file: string;
  title?: string | null | undefined;
  alt?: string | null | undefined;
}

/** Texts that changed. */
export interface MediaTexts {
  title?: string | undefined;
  alt?: string | undefined;
}

/** Options of `openMedia`. */
export interface MediaOptions {
  /** Folder of the files. */
  folder: string;
  /** Address of the folder for visitors, e.g. `/media`. */
  url: string;
  /**
   * Folders that links in the folder may lead to, e.g. `['/mnt/uploads']`: images there are read, and nothing is written there.
   * @default none: a link that leads out of the folder is no image
   */
  linkedFolders?: readonly string[];
  /** Returns all images in a stable order; called for each request. Files that are no images are left out. */
  list: () => Iterable<MediaImage> | Promise<Iterable<MediaImage>>;
  /** Stores texts which a person has written or confirmed, or which were empty; called right before an image is replaced. */
  saveTexts?: ((id: string, texts: MediaTexts) => unknown) | undefined;
}

/** The images of a CMS, for `imagewright` and for the pages of visitors. */
export interface Media extends CmsHost {
  /**
   * Middleware before the one that serves the folder, e.g. `app.use('/media', media.serve, express.static('media'))`: addresses stay, and give
   * the file that stands for the image now.
   */
  serve: (req: IncomingMessage, res: unknown, next: (error?: unknown) => void) => void;
  /** Returns the `srcset` of an image by its file, with all its sizes; empty if it has none. */
  srcset: (file: string) => Promise<string>;
}

/** Creates the images of a folder on a disk. */
export function createMedia({ folder, url, linkedFolders = [], list, saveTexts }: MediaOptions, disk: Disk): Media {
  const records = openRecords(folder, linkedFolders, disk);
  const listed = async () => [...(await list())].filter(({ file }) => typeOf(file));
  const addressOf = (file: string) => `${url}/${file.split('/').map(encodeURIComponent).join('/')}`;
  /** Changes run one after the other. */
  let queue: Promise<unknown> = Promise.resolve();

  async function find(id: string): Promise<MediaImage> {
    const found = (await listed()).find((image) => String(image.id) === id);
    if (!found) throw new HostError('not_found', 'The image is no longer there.');
    return found;
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = queue.then(work);
    queue = turn.catch(() => {});
    return turn;
  }

  return {
    id: `media:${url}`,
    list: async (query) => listImages(await listed(), { query, records, addressOf }),
    async check(id, { uploaded } = {}) {
      const { file } = await find(id);
      await records.requireUnchanged((await records.read(file))?.files ?? []);
      if (uploaded) await requireUploaded(records, file, uploaded);
      return undefined;
    },
    async fetch(id) {
      const { file } = await find(id);
      return new Blob([new Uint8Array(await records.original(file))], { type: typeOf(file) ?? '' });
    },
    async replace(id, replacement) {
      const image = await find(id);
      // All downloads first: nobody waits for those of another.
      for (const { blob } of replacement.variants) await blob();
      return inTurn(async () => {
        await replaceFile(image, replacement, { records, saveTexts });
        return { url: addressOf(image.file) };
      });
    },
    async restore(id) {
      const { file } = await find(id);
      return inTurn(async () => {
        const record = await records.read(file);
        if (!record) return { url: addressOf(file), restored: false };
        await records.requireUnchanged(record.files);
        await records.forget(file);
        await records.remove(record.files);
        return { url: addressOf(file), restored: true };
      });
    },
    serve(req, _res, next) {
      standIn(records, req.url ?? '').then((path) => {
        if (path) req.url = addressOf(path).slice(url.length);
        next();
      }, next);
    },
    async srcset(file) {
      const { files = [] } = (await records.current(file)) ?? {};
      const sizes = files.map(({ name, path, width }) => `${addressOf(name === 'full' ? file : path)} ${width}w`);
      return sizes.length > 1 ? sizes.join(', ') : '';
    },
  };
}

/** Writes the files of a replacement and then its record, or nothing. @throws HostError */
async function replaceFile(
  image: MediaImage,
  replacement: Replacement,
  { records, saveTexts }: { records: MediaRecords } & Pick<MediaOptions, 'saveTexts'>,
): Promise<void> {
  const { file, id } = image;
  const before = await records.read(file);
  const original = await requireUploaded(records, file, replacement.original);
  await records.requireUnchanged(before?.files ?? []);
  const files: MadeFile[] = [];
  try {
    for (const variant of replacement.variants) files.push(await records.add(variant, stemOf(replacement, file)));
    const texts = textsOf(image, replacement);
    if (Object.keys(texts).length > 0) await saveTexts?.(String(id), texts);
    await records.write(file, { original, files });
  } catch (error) {
    await records.remove(files);
    throw error;
  }
  await records.remove(before?.files ?? []);
}

/** Returns the file that stands for an address below that of the folder; null if it is the original, or no image. */
async function standIn(records: MediaRecords, address: string): Promise<string | null> {
  const [path = ''] = address.split('?');
  let file: string;
  try {
    file = decodeURIComponent(path).replace(/^\/+/, '');
  } catch {
    return null;
  }
  if (!typeOf(file) || file.includes('\0') || file.split('/').includes('..')) return null;
  // Of a link that leads out of the folder nothing is known; whoever serves the folder decides about it.
  if ((await records.lack(file)) !== null) return null;
  const full = (await records.current(file))?.files.find(({ name }) => name === 'full');
  return full && (await records.lack(full.path)) === null ? full.path : null;
}

/** Returns the checksum of an original. @throws HostError `not_found`, or `changed` if another file was uploaded */
async function requireUploaded(records: MediaRecords, file: string, uploaded: Uploaded): Promise<string> {
  const bytes = await records.original(file);
  const sha256 = hashOf(bytes);
  const isSame = uploaded.sha256 ? uploaded.sha256 === sha256 : uploaded.size === bytes.length;
  if (!isSame) throw new HostError('changed', 'The image was changed since its upload.');
  return sha256;
}

async function listImages(
  all: readonly MediaImage[],
  of: { query: HostQuery; records: MediaRecords; addressOf: (file: string) => string },
): Promise<HostPage> {
  const { ids, search = '', status, cursor = '0', limit = 100 } = of.query;
  const words = search.toLowerCase();
  const wanted = (ids?.flatMap((id) => all.find((image) => String(image.id) === id) ?? []) ?? all).filter(
    ({ file, title }) => `${posix.basename(file)} ${title ?? ''}`.toLowerCase().includes(words),
  );
  const start = Number(cursor) || 0;
  const describe = (images: readonly MediaImage[]) =>
    Promise.all(images.map((image) => describeImage(image, of.records, of.addressOf(image.file))));
  // Only a filter by status has to know that of all.
  const found = status && (await describe(wanted)).filter((image) => image.status === status);
  const images = found?.slice(start, start + limit) ?? (await describe(wanted.slice(start, start + limit)));
  const total = (found ?? wanted).length;
  return { images, total, nextCursor: start + limit < total ? String(start + limit) : null };
}

async function describeImage(image: MediaImage, records: MediaRecords, url: string): Promise<HostImage> {
  const { id, file, title = null, alt = null } = image;
  const unknown = { width: null, height: null };
  const known = {
    id: String(id),
    url,
    filename: posix.basename(file),
    title,
    alt,
    mime: typeOf(file) ?? '',
    ...unknown,
  };
  const reason = await records.lack(file);
  if (reason !== null) return { ...known, status: 'unavailable', reason };
  return { ...known, status: (await records.current(file)) ? 'replaced' : 'original' };
}

/** Returns the texts to store: what a person has written or confirmed, and others for empty ones. */
function textsOf(image: MediaImage, { metadata }: Replacement): MediaTexts {
  const texts: MediaTexts = {};
  for (const name of ['title', 'alt'] as const) {
    const text = metadata?.[name];
    const present = image[name] ?? '';
    if (typeof text !== 'string' || text === present) continue;
    if (metadata?.source?.[name] === 'user' || present === '') texts[name] = text;
  }
  return texts;
}

/** Returns the name of the files of an image: the one at the service, which a person may have chosen in the review. */
function stemOf({ variants }: Replacement, file: string): string {
  const name = variants.find((variant) => variant.name === 'full')?.filename ?? posix.basename(file);
  const stem = [...name.replace(/\.[^.]*$/, '').replace(/[^\p{L}\p{N}_-]+/gu, '-')].slice(0, 80).join('');
  return shortName(stem) || 'image';
}
