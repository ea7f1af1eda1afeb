import type { LimitFunction } from 'p-limit';
import type { Image, ImagePatch } from '#contract';
import { inTurn } from '../concurrency.ts';
import type { ImageRecord, Repositories, SessionRecord } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Processor } from '../processing/index.ts';
import type { ObjectStore, Scratch } from '../storage/index.ts';
import { editDescribed } from './image-texts.ts';
import { createPreviews, type PreviewFile } from './previews.ts';
import { listRecent } from './recent-sessions.ts';
import { createUploads, requireStillThere, type SessionLimits } from './store-upload.ts';
import { showImage } from './upload-session.ts';

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
  const uploads = createUploads({
    ...context,
    expiry: (from) => expiry(context, from),
    find: (accountId, sessionId) => find(context, accountId, sessionId),
  });
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

    ...uploads,

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
