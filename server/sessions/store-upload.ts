import { randomUUID } from 'node:crypto';
import type { Image, Rejected, UploadResult } from '#contract';
import { waitAtMost } from '../concurrency.ts';
import type { ImageRecord, Repositories, SessionRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { derivedId } from '../ids.ts';
import { extensionOf, type Processor } from '../processing/index.ts';
import { namespaceFolder, type ObjectStore, uploadKey } from '../storage/index.ts';
import { type AcceptedFile, inspectUpload, placeFiles, showImage, type Upload } from './upload-session.ts';

/** Limits of the accounts. */
export interface SessionLimits {
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

interface Context extends Pick<Repositories, 'sessions' | 'images'> {
  store: ObjectStore;
  processor: Processor;
  config: { MAX_IMAGES_PER_SESSION: number };
  limits: SessionLimits;
  /** Rejects when an account is not there any more. */
  requireAccount: (accountId: string) => Promise<unknown>;
  now: () => Date;
  expiry: (from?: Date) => Date;
  /** Throws if there is no such session. */
  find: (accountId: string, sessionId: string) => Promise<SessionRecord>;
}

/** Work of an upload; the ids of what it stores are derived from it, so that another attempt finds what is there. */
export interface UploadWork {
  id: string;
  /** True if an earlier attempt may have stored a part of it. */
  isRepeated: boolean;
}

/** Longest wait of a failed upload for its clean-up in the database. */
const MARK_WAIT_MS = 300;

/** Creates what stores uploads. A process may die between any two writes; another attempt at the same work completes them. */
export function createUploads(context: Context) {
  return {
    /**
     * Returns the id of the session that some work creates. `earlier`: ids that an earlier attempt may have chosen, whose
     * sessions are gone.
     */
    sessionIdOf: (work: UploadWork) => sessionIdOf(context, work),

    /**
     * Creates a session of an id from `sessionIdOf` with the accepted files, or completes it.
     * @throws storage_limit_reached, session_limit_reached, or the first file's error if none is accepted
     */
    create: (accountId: string, upload: Upload, sessionId: string, work: UploadWork) =>
      create(context, { accountId, upload, sessionId, work }),

    /**
     * Adds the accepted files to a session that `find` returned before the upload, each once.
     * @throws session_not_found if it has ended since, session_full, storage_limit_reached, or the first file's error
     */
    addImages: (session: SessionRecord, upload: Upload, work: UploadWork) => addImages(context, session, upload, work),
  };
}

async function sessionIdOf({ sessions, now }: Context, work: UploadWork) {
  const earlier: string[] = [];
  for (;;) {
    const sessionId = derivedId('sess', `${work.id} ${earlier.length}`);
    const isUsable =
      !work.isRepeated || !(await sessions.exists(sessionId)) || (await sessions.isLive(sessionId, now()));
    if (isUsable) return { sessionId, earlier };
    earlier.push(sessionId);
  }
}

/**
 * Checks after files were placed that the session still exists; removes them if it was deleted meanwhile, since its
 * clean-up may have run before. @throws session_not_found
 */
export async function requireStillThere(
  context: Pick<Context, 'sessions' | 'images' | 'store' | 'now'>,
  accountId: string,
  sessionId: string,
): Promise<void> {
  // Does not extend the session: a visitor of a shared one makes previews, too.
  if (await context.sessions.findLive(accountId, sessionId, context.now())) return;
  await context.images.removeOfSession(sessionId);
  await context.store.removeBelow(namespaceFolder(sessionId));
  throw new AppError('session_not_found', `No session ${sessionId}; it may have expired`);
}

interface Creation {
  accountId: string;
  upload: Upload;
  sessionId: string;
  work: UploadWork;
}

async function create(context: Context, { accountId, upload, sessionId, work }: Creation): Promise<UploadResult> {
  const { sessions, processor, config, requireAccount, now } = context;
  const { accepted, rejected, firstError } = await inspectUpload(upload, { account: accountId, processor, work });
  refuseEmpty(accepted, firstError, rejected);
  if (accepted.length > config.MAX_IMAGES_PER_SESSION) throw full(config.MAX_IMAGES_PER_SESSION, accepted.length);
  const session = await openSession(context, { accountId, sessionId, work }, accepted);
  try {
    const there = await findStored(context, session, accepted, work);
    const kept = await keep(context, session, { accepted, there, firstPosition: 0 });
    // The deletion of the account may have removed its sessions before this one was inserted.
    await requireAccount(accountId);
    return showUpload(session, kept, rejected);
  } catch (error) {
    // The disposal removes the files placed so far.
    await waitBriefly(sessions.markFailed(session, now()));
    throw error;
  }
}

/** Inserts the session of an upload, or adopts that of an earlier attempt. */
async function openSession(
  context: Context,
  { accountId, sessionId, work }: Omit<Creation, 'upload'>,
  accepted: AcceptedFile[],
): Promise<SessionRecord> {
  const { sessions, limits, now } = context;
  // A failed attempt may still mark the session as deleted: not if it has been adopted.
  const attempt = randomUUID();
  const adopted = work.isRepeated && (await sessions.adopt({ _id: sessionId, accountId }, attempt, now()));
  if (adopted) return adopted;
  const bytes = bytesOf(accepted);
  const createdAt = now();
  const session: SessionRecord = {
    _id: sessionId,
    accountId,
    createdAt,
    expiresAt: context.expiry(createdAt),
    imageCount: accepted.length,
    bytes,
    deletedAt: null,
    attempt,
    forget: [],
  };
  await limits.within(
    accountId,
    { bytes, isNewSession: true },
    () => sessions.insert(session),
    () => sessions.remove(sessionId),
  );
  return session;
}

async function addImages(
  context: Context,
  session: SessionRecord,
  upload: Upload,
  work: UploadWork,
): Promise<UploadResult> {
  const { sessions, processor, now } = context;
  const { _id: sessionId, accountId } = session;
  const { accepted, rejected, firstError } = await inspectUpload(upload, { account: accountId, processor, work });
  refuseEmpty(accepted, firstError, rejected);
  const there = await findStored(context, session, accepted, work);
  const missing = accepted.filter(({ record }) => !there.has(record._id));
  const firstPosition = missing.length > 0 ? await reserve(context, session, missing, work) : 0;
  let kept: Image[];
  try {
    kept = await keep(context, session, { accepted, there, firstPosition });
  } catch (error) {
    await waitBriefly(undo(context, session, missing, work));
    // The folder is missing if the session was deleted meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') await requireStillThere(context, accountId, sessionId);
    throw error;
  }
  if (!(await sessions.settleImages(sessionId, work.id, now()))) await requireStillThere(context, accountId, sessionId);
  return showUpload(session, kept, rejected);
}

/** Finds the images that an earlier attempt has stored, by id. */
async function findStored(
  { images }: Context,
  { _id, accountId }: SessionRecord,
  accepted: AcceptedFile[],
  { isRepeated }: UploadWork,
): Promise<Map<string, ImageRecord>> {
  if (!isRepeated) return new Map();
  const ids = accepted.map(({ record }) => record._id);
  return new Map((await images.findMany(accountId, _id, ids)).map((image) => [image._id, image]));
}

/** Reserves places for images, unless an earlier attempt has. Returns the first place. @throws session_full */
async function reserve(
  context: Context,
  { _id: sessionId, accountId }: SessionRecord,
  missing: AcceptedFile[],
  work: UploadWork,
): Promise<number> {
  const { sessions, limits, config } = context;
  const reserved = work.isRepeated ? await sessions.reservedFor(sessionId, work.id) : null;
  if (reserved !== null) return Math.max(0, reserved - missing.length);
  const wanted = { count: missing.length, bytes: bytesOf(missing), upload: work.id };
  const taken = await limits.within(accountId, wanted, () =>
    sessions.reserveImages(sessionId, wanted, config.MAX_IMAGES_PER_SESSION),
  );
  if (taken !== null) return taken;
  await context.find(accountId, sessionId);
  throw full(config.MAX_IMAGES_PER_SESSION, missing.length);
}

interface Kept {
  accepted: AcceptedFile[];
  /** Images that are stored already. */
  there: Map<string, ImageRecord>;
  firstPosition: number;
}

async function keep(
  { images, store }: Context,
  session: SessionRecord,
  { accepted, there, firstPosition }: Kept,
): Promise<Image[]> {
  const where = { accountId: session.accountId, sessionId: session._id, firstPosition };
  const missing = accepted.filter(({ record }) => !there.has(record._id));
  const records = await placeFiles(missing, where, store);
  await images.insertMany(records);
  const all = new Map([...there, ...records.map((record) => [record._id, record] as const)]);
  return accepted.flatMap(({ record }) => all.get(record._id) ?? []).map(showImage);
}

/** Removes the files of a failed upload that have no record, and releases their places. */
async function undo(
  { sessions, images, store }: Context,
  session: SessionRecord,
  missing: AcceptedFile[],
  { id: upload }: UploadWork,
): Promise<void> {
  const ids = missing.map(({ record }) => record._id);
  const kept = new Set((await images.findMany(session.accountId, session._id, ids)).map(({ _id }) => _id));
  const lost = missing.filter(({ record }) => !kept.has(record._id));
  await store.removeMany(lost.map(({ record }) => uploadKey(session._id, record._id, extensionOf(record.format))));
  await sessions.releaseImages(session, { count: lost.length, bytes: bytesOf(lost), upload });
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
