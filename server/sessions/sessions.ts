import { setTimeout as sleep } from 'node:timers/promises';
import type { Image, MetadataPatch, Rejected, UploadResult } from '#contract';
import { singleFlight } from '../concurrency.ts';
import type { ImageRecord, Repositories, SessionRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { extensionOf, type Processor } from '../processing/index.ts';
import { type FileStore, namespaceFolder, previewKey, uploadKey } from '../storage/index.ts';
import { metadataFromUser } from './edit-metadata.ts';
import { type AcceptedFile, inspectUpload, placeFiles, showImage, type Upload } from './upload-session.ts';

interface SessionDeps {
  repositories: Pick<Repositories, 'sessions' | 'images'>;
  store: FileStore;
  processor: Processor;
  config: { SESSION_TTL_HOURS: number; MAX_IMAGES_PER_SESSION: number };
  /** Rejects when an account is not there any more. */
  requireAccount: (accountId: string) => Promise<unknown>;
  now?: () => Date;
}

/** A caller whose upload failed waits this long for its session to be marked. */
const MARK_WAIT_MS = 300;

/** Every width is a file on disk, so there are only these. */
const PREVIEW_WIDTHS = [64, 128, 192, 256, 320, 480, 640, 960, 1280, 1600, 2048];

/** A preview on disk: its absolute path, its size in bytes, and the width that it was made for. */
interface PreviewFile {
  file: string;
  size: number;
  width: number;
}

/** Builds the sessions module. Another account's session answers exactly as one that does not exist. */
export function createSessions(deps: SessionDeps) {
  const { repositories, store, processor, config, requireAccount, now = () => new Date() } = deps;
  const { sessions, images } = repositories;
  const sharePreview = singleFlight<string, PreviewFile>();
  const expiry = () => new Date(now().getTime() + config.SESSION_TTL_HOURS * 3_600_000);

  /** The live session, its life prolonged by this use. @throws session_not_found */
  async function find(accountId: string, sessionId: string): Promise<SessionRecord> {
    const session = await sessions.findLive(accountId, sessionId, now());
    if (!session) throw new AppError('session_not_found', `No session ${sessionId}; it may have expired`);
    const expiresAt = expiry();
    // A write a minute is enough: expiry is a matter of hours.
    if (expiresAt.getTime() - session.expiresAt.getTime() > 60_000) {
      await sessions.touch(sessionId, expiresAt);
      return { ...session, expiresAt };
    }
    return session;
  }

  /**
   * To be asked when files have been placed: a session that was deleted meanwhile had been emptied before, so they would
   * stay for ever. @throws session_not_found
   */
  async function requireStillThere(accountId: string, sessionId: string): Promise<void> {
    try {
      await find(accountId, sessionId);
    } catch (error) {
      if (error instanceof AppError) {
        await images.removeOfSession(sessionId);
        await store.removeFolder(namespaceFolder(sessionId));
      }
      throw error;
    }
  }

  async function findImage(accountId: string, sessionId: string, imageId: string): Promise<ImageRecord> {
    await find(accountId, sessionId);
    const image = await images.find(accountId, sessionId, imageId);
    if (!image) throw new AppError('image_not_found', `No image ${imageId} in session ${sessionId}`);
    return image;
  }

  async function keep(session: SessionRecord, accepted: AcceptedFile[], firstPosition: number): Promise<Image[]> {
    const where = { accountId: session.accountId, sessionId: session._id, firstPosition };
    const records = await placeFiles(accepted, where, store);
    await images.insertMany(records);
    return records.map(showImage);
  }

  /** Removes what was placed of an upload that could not be kept, and gives its places back; what has a record stays. */
  async function undo(session: SessionRecord, accepted: AcceptedFile[]): Promise<void> {
    const kept = new Set((await images.findOfSession(session.accountId, session._id)).map(({ _id }) => _id));
    const lost = accepted.filter(({ record }) => !kept.has(record._id));
    for (const { record } of lost) await store.remove(uploadKey(session._id, record._id, extensionOf(record.format)));
    await sessions.releaseImages(session._id, lost.length);
  }

  const refuseWhenNothingIsLeft = (accepted: AcceptedFile[], firstError: AppError | null, rejected: Rejected[]) => {
    if (accepted.length > 0) return;
    if (!firstError) throw new AppError('no_images', 'Expected at least one image file, but the request holds none');
    throw new AppError(firstError.code, firstError.message, { details: { ...firstError.details, rejected } });
  };

  const answer = (session: SessionRecord, accepted: Image[], rejected: Rejected[]): UploadResult => ({
    sessionId: session._id,
    createdAt: session.createdAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    images: accepted,
    rejected,
  });

  return {
    find,

    /** Creates a session with the acceptable files. @throws the first file's error when none is acceptable */
    async create(accountId: string, upload: Upload): Promise<UploadResult> {
      const { accepted, rejected, firstError } = await inspectUpload(upload, processor);
      refuseWhenNothingIsLeft(accepted, firstError, rejected);
      if (accepted.length > config.MAX_IMAGES_PER_SESSION) throw full(config.MAX_IMAGES_PER_SESSION, accepted.length);
      const session: SessionRecord = {
        _id: newId('sess'),
        accountId,
        createdAt: now(),
        expiresAt: expiry(),
        imageCount: accepted.length,
        deletedAt: null,
        forget: [],
      };
      await sessions.insert(session);
      try {
        const kept = await keep(session, accepted, 0);
        // An account that was deleted meanwhile has had its sessions removed before this one came.
        await requireAccount(accountId);
        return answer(session, kept, rejected);
      } catch (error) {
        // The disposal removes what was placed so far.
        const marked = sessions.markDeleted(session._id, now(), []).catch(() => {});
        // In an outage of the database the caller does not wait a second time.
        await Promise.race([marked, sleep(MARK_WAIT_MS, undefined, { ref: false })]);
        throw error;
      }
    },

    /**
     * Adds the acceptable files to a session, as `find` gave it before they came.
     * @throws session_not_found when it has ended since, session_full, or the first file's error
     */
    async addImages(session: SessionRecord, upload: Upload): Promise<UploadResult> {
      const { _id: sessionId, accountId } = session;
      const { accepted, rejected, firstError } = await inspectUpload(upload, processor);
      refuseWhenNothingIsLeft(accepted, firstError, rejected);
      const taken = await sessions.reserveImages(sessionId, accepted.length, config.MAX_IMAGES_PER_SESSION);
      if (taken === null) {
        await find(accountId, sessionId);
        throw full(config.MAX_IMAGES_PER_SESSION, accepted.length);
      }
      let kept: Image[];
      try {
        kept = await keep(session, accepted, taken);
      } catch (error) {
        // In an outage of the database the caller does not wait a second time.
        const undone = undo(session, accepted).catch(() => {});
        await Promise.race([undone, sleep(MARK_WAIT_MS, undefined, { ref: false })]);
        // The folder goes with the session: whoever deleted it meanwhile is why the files could not be placed.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') await requireStillThere(accountId, sessionId);
        throw error;
      }
      await requireStillThere(accountId, sessionId);
      return answer(session, kept, rejected);
    },

    /** All images of a session, in their order. @throws session_not_found */
    async findImages(accountId: string, sessionId: string): Promise<ImageRecord[]> {
      await find(accountId, sessionId);
      return images.findOfSession(accountId, sessionId);
    },

    /** Applies a person's edit to an image's metadata. @throws session_not_found, image_not_found */
    async editMetadata(accountId: string, sessionId: string, imageId: string, patch: MetadataPatch): Promise<Image> {
      for (;;) {
        const image = await findImage(accountId, sessionId, imageId);
        const edited = await images.replaceMetadata(image, metadataFromUser(image.metadata, patch));
        if (edited) return showImage(edited);
        // An analysis or another edit came in between: this one goes on top of it.
      }
    },

    /** A small WebP of an image, made once. @param atLeast width in pixels; rounded up to one of a few */
    async preview(accountId: string, sessionId: string, imageId: string, atLeast: number): Promise<PreviewFile> {
      const image = await findImage(accountId, sessionId, imageId);
      const width = PREVIEW_WIDTHS.find((offered) => offered >= atLeast) ?? Math.max(...PREVIEW_WIDTHS);
      const key = previewKey(sessionId, imageId, width);
      const made = await store.stat(key);
      if (made) return { file: store.pathOf(key), size: made.size, width };
      return sharePreview(key, async () => {
        const target = await store.prepareFolder(key);
        const source = store.pathOf(image.uploadPath);
        const { file, size } = await processor.preview({ source, facts: image, width, target });
        await requireStillThere(accountId, sessionId);
        return { file, size, width };
      });
    },
  };
}

/** The sessions module. */
export type Sessions = ReturnType<typeof createSessions>;

function full(limit: number, received: number): AppError {
  return new AppError('session_full', `A session holds at most ${limit} images; these ${received} would be too many`, {
    details: { limit, received },
  });
}
