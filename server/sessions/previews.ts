import type { Readable } from 'node:stream';
import { shareCalls } from '../concurrency.ts';
import type { ImageRecord, Repositories } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { extensionOf, type Processor } from '../processing/index.ts';
import { bareKey, type ObjectStore, previewKey, type Scratch } from '../storage/index.ts';

interface PreviewDeps {
  sessions: Pick<Repositories['sessions'], 'addBytes'>;
  store: ObjectStore;
  scratch: Scratch;
  processor: Processor;
  /** Rejects if a session was deleted meanwhile, and removes what was made of it. */
  requireSession: (accountId: string, sessionId: string) => Promise<void>;
}

interface Context extends PreviewDeps {
  /** Shares the making of a preview between requests for it. */
  share: ReturnType<typeof shareCalls<string, { key: string; size: number }>>;
}

/** Widths of previews; a fixed set, since each one is a file on disk. */
const PREVIEW_WIDTHS = [64, 128, 192, 256, 320, 480, 640, 960, 1280, 1600, 2048];

/** A stored preview: key, size in bytes, width. */
export interface PreviewFile {
  key: string;
  size: number;
  width: number;
  /** Its bytes, if they were opened to see whether it is there; whoever gets them ends them. */
  stream?: Readable | undefined;
}

/** Time after which a preview without a waiting client is stopped, in milliseconds. */
const PREVIEW_WITHOUT_CALLER_MS = 30_000;

/** Creates what makes small and bare copies of images. Each is made once; none extends its session. */
export function createPreviews(deps: PreviewDeps) {
  const context: Context = { ...deps, share: shareCalls(PREVIEW_WITHOUT_CALLER_MS) };
  return {
    /** Returns a small WebP of an image, at least so wide, in pixels, up to the largest width. */
    previewOf: (image: ImageRecord, atLeast: number, caller: AbortSignal) => previewOf(context, image, atLeast, caller),

    /**
     * Returns a copy of an uploaded file without private metadata.
     * @throws invalid_image if browsers do not show the format, or its structure is not understood
     */
    bareOriginal: (image: ImageRecord, caller: AbortSignal) => bareOriginal(context, image, caller),
  };
}

async function previewOf(
  context: Context,
  image: ImageRecord,
  atLeast: number,
  caller: AbortSignal,
): Promise<PreviewFile> {
  const width = PREVIEW_WIDTHS.find((offered) => offered >= atLeast) ?? Math.max(...PREVIEW_WIDTHS);
  const size = await makeOnce(context, image, { key: previewKey(image.sessionId, image._id, width), width }, caller);
  return { ...size, width };
}

async function bareOriginal(context: Context, image: ImageRecord, caller: AbortSignal): Promise<PreviewFile> {
  if (image.format === 'tiff' || image.format === 'heic') {
    throw new AppError('invalid_image', 'Browsers do not show TIFF and HEIC; use the preview');
  }
  const key = bareKey(image.sessionId, image._id, extensionOf(image.format));
  return { ...(await makeOnce(context, image, { key, width: null }, caller)), width: image.width };
}

/** Makes a preview or, with a `width` of null, a bare copy, unless it is there. */
async function makeOnce(
  context: Context,
  image: ImageRecord,
  { key, width }: { key: string; width: number | null },
  caller: AbortSignal,
): Promise<Omit<PreviewFile, 'width'>> {
  const { store, scratch, processor, share } = context;
  const { accountId: account, sessionId, uploadPath, mimeType } = image;
  // Opened in place of asked for: with a distant store this is the only request.
  const made = await store.open(key);
  if (made) return { key, ...made };
  return share(key, caller, async ({ signal, hasCaller }) => {
    const target = scratch.newFile();
    const { size } = await store.withLocalFile(uploadPath, (source) =>
      processor.preview({ account, source, facts: image, width, target }, { signal, hasCaller }),
    );
    await store.putFile(key, target, { size, contentType: width === null ? mimeType : 'image/webp' });
    await context.requireSession(account, sessionId);
    await context.sessions.addBytes({ _id: sessionId, accountId: account }, size);
    return { key, size };
  });
}
