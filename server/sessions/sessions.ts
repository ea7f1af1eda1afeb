import type { LimitFunction } from 'p-limit';
import type { Image, ImagePatch, Rejected, UploadResult } from '#contract';
import { inTurn, waitAtMost } from '../concurrency.ts';
import type { ImageRecord, Repositories, SessionRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { extensionOf, type Processor } from '../processing/index.ts';
import { namespaceFolder, type ObjectStore, type Scratch, uploadKey } from '../storage/index.ts';
import { editDescribed } from './image-texts.ts';
import { createPreviews, type PreviewFile } from './previews.ts';
import { listRecent } from './recent-sessions.ts';
import { type AcceptedFile, inspectUpload, placeFiles, showImage, type Upload } from './upload-session.ts';

/** Limits of the accounts. */
interface SessionLimits {
  /**
   * Calls `add` if the account has room for the bytes and the session. It resolves to null if it has added nothing; `undo`
   * removes a session that another server has overtaken.
   * @throws storage_limit_reached, session_limit_reached
   */
  within<T>(
    accountId: string,
    addition: { bytes: number; isNewSession?: boolean },
    add: () => Promise<T>,
    undo?: () => Promise<void>,
  ): Promise<T>;
}

interface SessionDeps {
  repositories: Pick<Repositories, 'sessions' | 'images' | 'jobs' | 'shares'>;
  store: ObjectStore;
  scratch: Scratch;
  processor: Processor;
  config: { SESSION_TTL_HOURS: number; MAX_IMAGES_PER_SESSION: number };
  limits: SessionLimits;
  /** Rejects when an account is not there any more. */
  requireAccount: (accountId: string) => Promise<unknown>;
  now?: () => Date;
}

/** State of a sessions module. */
interface Context extends Required<Omit<SessionDeps, 'repositories'>>, Pick<Repositories, 'sessions' | 'images'> {}

/** Time within which several uses extend a session once, in milliseconds: expiry is a matter of hours. */
const USE_PRECISION_MS = 60_000;

/** Longest wait of a failed upload for its clean-up in the database. */
const MARK_WAIT_MS = 300;

/** Previews of one account that are looked up or made at once; hundreds would delay the requests of all others. */
const PREVIEWS_AT_ONCE = 4;

/** A preview that a client asks for. */
export interface WantedPreview {
  accountId: string;
  sessionId: string;
  imageId: string;
  /** Width in pixels; rounded up to a fixed width. */
  atLeast: number;
}

/** Creates the sessions module. Another account's session is treated as not existing. */
export function createSessions({ repositories, now = () => new Date(), ...deps }: SessionDeps) {
  const context: Context = { now, ...deps, ...repositories };
  const turns = new Map<string, LimitFunction>();
  const previews = createPreviews({
    ...context,
    requireSession: (accountId, sessionId) => requireStillThere(context, accountId, sessionId),
  });
  return {
    /** Finds a live session and extends its expiry. @throws session_not_found */
    find: (accountId: string, sessionId: string) => find(context, accountId, sessionId),

    /** Extends sessions that are in use without a request, also expired ones that are still there. */
    keep: (sessionIds: string[]): Promise<void> => {
      const expiresAt = expiry(context);
      return context.sessions.extend(sessionIds, expiresAt, new Date(expiresAt.getTime() - USE_PRECISION_MS));
    },

    /**
     * Creates a session of a new id with the accepted files.
     * @throws storage_limit_reached, session_limit_reached, or the first file's error if none is accepted
     */
    create: (accountId: string, upload: Upload, sessionId: string) => create(context, accountId, upload, sessionId),

    /**
     * Adds the accepted files to a session that `find` returned before the upload.
     * @throws session_not_found if it has ended since, session_full, storage_limit_reached, or the first file's error
     */
    addImages: (session: SessionRecord, upload: Upload) => addImages(context, session, upload),

    /** Lists all images of a session, in order. @throws session_not_found */
    async findImages(accountId: string, sessionId: string): Promise<ImageRecord[]> {
      await find(context, accountId, sessionId);
      return context.images.findOfSession(accountId, sessionId);
    },

    /** Lists the newest live sessions of an account, without extending them. */
    recent: (accountId: string, limit: number) => listRecent({ ...repositories, now }, accountId, limit),

    /** Applies a person's edit to an image's metadata. @throws session_not_found, image_not_found */
    async editMetadata(accountId: string, sessionId: string, imageId: string, patch: ImagePatch): Promise<Image> {
      for (;;) {
        const image = await findImage(context, accountId, sessionId, imageId);
        // Counted also for an equal name: an export that runs may have begun with another one.
        const renames = patch.metadata?.filename === undefined ? 0 : 1;
        const edited = await context.images.replaceMetadata(image, editDescribed(image, patch), {
          renames,
        });
        if (edited) return showImage(edited);
        // The metadata was changed meanwhile, so the edit is applied to the new version.
      }
    },

    /** Returns a small WebP of an image, created once. Requests of one account wait for each other. */
    preview({ accountId, sessionId, imageId, atLeast }: WantedPreview, caller: AbortSignal): Promise<PreviewFile> {
      const make = async () => {
        caller.throwIfAborted();
        return previews.previewOf(await findImage(context, accountId, sessionId, imageId), atLeast, caller);
      };
      return inTurn(turns, accountId, make, PREVIEWS_AT_ONCE);
    },

    ...previews,
  };
}

/** The sessions module. */
export type Sessions = ReturnType<typeof createSessions>;

function expiry({ now, config }: Context, from = now()): Date {
  return new Date(from.getTime() + config.SESSION_TTL_HOURS * 3_600_000);
}

async function find(context: Context, accountId: string, sessionId: string): Promise<SessionRecord> {
  const { sessions, now } = context;
  const session = await sessions.findLive(accountId, sessionId, now());
  if (!session) throw new AppError('session_not_found', `No session ${sessionId}; it may have expired`);
  const expiresAt = expiry(context);
  if (expiresAt.getTime() - session.expiresAt.getTime() > USE_PRECISION_MS) {
    await sessions.touch(sessionId, expiresAt);
    return { ...session, expiresAt };
  }
  return session;
}

/**
 * Checks after files were placed that the session still exists; removes them if it was deleted meanwhile, since its
 * clean-up may have run before. @throws session_not_found
 */
async function requireStillThere(context: Context, accountId: string, sessionId: string): Promise<void> {
  // Does not extend the session: a visitor of a shared one makes previews, too.
  if (await context.sessions.findLive(accountId, sessionId, context.now())) return;
  await context.images.removeOfSession(sessionId);
  await context.store.removeBelow(namespaceFolder(sessionId));
  throw new AppError('session_not_found', `No session ${sessionId}; it may have expired`);
}

async function findImage(
  context: Context,
  accountId: string,
  sessionId: string,
  imageId: string,
): Promise<ImageRecord> {
  await find(context, accountId, sessionId);
  const image = await context.images.find(accountId, sessionId, imageId);
  if (!image) throw new AppError('image_not_found', `No image ${imageId} in session ${sessionId}`);
  return image;
}

async function create(context: Context, accountId: string, upload: Upload, sessionId: string): Promise<UploadResult> {
  const { sessions, processor, config, limits, requireAccount, now } = context;
  const { accepted, rejected, firstError } = await inspectUpload(upload, { account: accountId, processor });
  refuseEmpty(accepted, firstError, rejected);
  if (accepted.length > config.MAX_IMAGES_PER_SESSION) throw full(config.MAX_IMAGES_PER_SESSION, accepted.length);
  const bytes = bytesOf(accepted);
  const createdAt = now();
  const session: SessionRecord = {
    _id: sessionId,
    accountId,
    createdAt,
    expiresAt: expiry(context, createdAt),
    imageCount: accepted.length,
    bytes,
    deletedAt: null,
    forget: [],
  };
  await limits.within(
    accountId,
    { bytes, isNewSession: true },
    () => sessions.insert(session),
    () => sessions.remove(sessionId),
  );
  try {
    const kept = await keep(context, session, accepted, 0);
    // The deletion of the account may have removed its sessions before this one was inserted.
    await requireAccount(accountId);
    return showUpload(session, kept, rejected);
  } catch (error) {
    // The disposal removes the files placed so far.
    await waitBriefly(sessions.markDeleted(session._id, now(), []));
    throw error;
  }
}

async function addImages(context: Context, session: SessionRecord, upload: Upload): Promise<UploadResult> {
  const { sessions, processor, config, limits } = context;
  const { _id: sessionId, accountId } = session;
  const { accepted, rejected, firstError } = await inspectUpload(upload, { account: accountId, processor });
  refuseEmpty(accepted, firstError, rejected);
  const wanted = { count: accepted.length, bytes: bytesOf(accepted) };
  const taken = await limits.within(accountId, wanted, () =>
    sessions.reserveImages(sessionId, wanted, config.MAX_IMAGES_PER_SESSION),
  );
  if (taken === null) {
    await find(context, accountId, sessionId);
    throw full(config.MAX_IMAGES_PER_SESSION, accepted.length);
  }
  let kept: Image[];
  try {
    kept = await keep(context, session, accepted, taken);
  } catch (error) {
    await waitBriefly(undo(context, session, accepted));
    // The folder is missing if the session was deleted meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') await requireStillThere(context, accountId, sessionId);
    throw error;
  }
  await requireStillThere(context, accountId, sessionId);
  return showUpload(session, kept, rejected);
}

async function keep(
  { images, store }: Context,
  session: SessionRecord,
  accepted: AcceptedFile[],
  firstPosition: number,
): Promise<Image[]> {
  const where = { accountId: session.accountId, sessionId: session._id, firstPosition };
  const records = await placeFiles(accepted, where, store);
  await images.insertMany(records);
  return records.map(showImage);
}

/** Removes the files of a failed upload that have no record, and releases their places. */
async function undo({ sessions, images, store }: Context, session: SessionRecord, accepted: AcceptedFile[]) {
  const kept = new Set((await images.findOfSession(session.accountId, session._id)).map(({ _id }) => _id));
  const lost = accepted.filter(({ record }) => !kept.has(record._id));
  await store.removeMany(lost.map(({ record }) => uploadKey(session._id, record._id, extensionOf(record.format))));
  await sessions.releaseImages(session, { count: lost.length, bytes: bytesOf(lost) });
}

function bytesOf(files: AcceptedFile[]): number {
  return files.reduce((sum, { record }) => sum + record.size, 0);
}

/** Waits a moment for a clean-up, whose failure is ignored: the database may be unavailable. */
async function waitBriefly(cleanUp: Promise<unknown>): Promise<void> {
  await waitAtMost(
    MARK_WAIT_MS,
    cleanUp.catch(() => {}),
  );
}

/** @throws the first file's error, or `no_images`, if no file was accepted */
function refuseEmpty(accepted: AcceptedFile[], firstError: AppError | null, rejected: Rejected[]): void {
  if (accepted.length > 0) return;
  if (!firstError) throw new AppError('no_images', 'Expected at least one image file, but the request holds none');
  throw new AppError(firstError.code, firstError.message, { details: { ...firstError.details, rejected } });
}

function showUpload(session: SessionRecord, accepted: Image[], rejected: Rejected[]): UploadResult {
  return {
    sessionId: session._id,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    images: accepted,
    rejected,
  };
}

function full(limit: number, received: number): AppError {
  return new AppError('session_full', `A session holds at most ${limit} images; these ${received} would be too many`, {
    details: { limit, received },
  });
}
