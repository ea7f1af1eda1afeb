import type { LimitFunction } from 'p-limit';
import {
  type CreatedShare,
  SAMPLE_SUFFIX,
  SHARES_PER_SESSION,
  type Share,
  type ShareAnswer,
  type ShareAnswerRequest,
  type SharedImages,
} from '#contract';
import { addWithinLimit, inTurn } from '../concurrency.ts';
import type {
  ImageRecord,
  OutputFile,
  Repositories,
  SessionRecord,
  ShareAnswerRecord,
  ShareRecord,
} from '../db/index.ts';
import { AppError } from '../errors.ts';
import { hashSecret, makeSecret, newId, secretHasForm } from '../ids.ts';
import { newestResult, newestResults, showSharedImage, textsVersionOf } from './show-images.ts';

interface SharesDeps {
  repositories: Pick<Repositories, 'shares' | 'sessions' | 'images' | 'outputs' | 'accounts'>;
  /** Finds a live session of an account and extends its expiry. @throws session_not_found */
  findSession: (accountId: string, sessionId: string) => Promise<SessionRecord>;
  pepper: Buffer;
  config: { SESSION_TTL_HOURS: number };
  /** Base URL under which browsers reach the service. */
  publicUrl: () => string;
  now?: () => Date;
}

interface Context extends Required<SharesDeps> {
  /** Queues of links that are created, by session. */
  turns: Map<string, LimitFunction>;
}

/** Settings of a new link. `sender`: name that visitors see; may be empty. */
interface ShareWish {
  days: number;
  sender: string;
}

/** Path of the page that a link opens. */
const PAGE = '/share';
/** Stored links of a session, including ended ones. */
const KEPT = 100;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Creates the links to sessions. Another account's session is treated as not existing. */
export function createShares({ now = () => new Date(), ...deps }: SharesDeps) {
  const context: Context = { now, ...deps, turns: new Map() };
  return {
    /** Creates a link; the session lasts at least as long. @throws session_not_found, share_limit_reached */
    create: (accountId: string, sessionId: string, wanted: ShareWish) =>
      inTurn(context.turns, sessionId, () => create(context, accountId, sessionId, wanted)),

    /** Lists the links of a session with their answers, newest first. @throws session_not_found */
    list: (accountId: string, sessionId: string) => list(context, accountId, sessionId),

    /** Ends a link at once. @throws session_not_found, share_not_found */
    revoke: (accountId: string, sessionId: string, shareId: string) => revoke(context, accountId, sessionId, shareId),

    /** Finds the link of a token. @throws share_not_found for every reason, so that a guess reveals nothing */
    check: (token: string): Promise<ShareRecord> => check(context, token),

    /** The images of a link, as its visitors see them. */
    images: (share: ShareRecord): Promise<SharedImages> => images(context, share),

    /** An image of the link's session. @throws image_not_found */
    findImage: (share: ShareRecord, imageId: string): Promise<ImageRecord> => findImage(context, share, imageId),

    /** The file that visitors compare an image with: the one of this hash, else the newest. @throws image_not_found, file_not_found */
    async findResult(share: ShareRecord, imageId: string, sha256?: string): Promise<OutputFile> {
      await findImage(context, share, imageId);
      const { outputs } = context.repositories;
      const namespaces = [share.sessionId, share.sessionId + SAMPLE_SUFFIX];
      const records = await Promise.all(namespaces.map((namespace) => outputs.findOfImage(namespace, imageId)));
      const found = newestResult(records.flat(), sha256);
      if (!found) throw new AppError('file_not_found', `No exported file of image ${imageId}`);
      return found.file;
    },

    /** Stores a visitor's answer. @throws image_not_found */
    answer: (share: ShareRecord, imageId: string, given: ShareAnswerRequest) => answer(context, share, imageId, given),
  };
}

/** Links to sessions. */
export type Shares = ReturnType<typeof createShares>;

async function create(
  context: Context,
  accountId: string,
  sessionId: string,
  { days, sender }: ShareWish,
): Promise<CreatedShare> {
  const { repositories, pepper, findSession, publicUrl, now } = context;
  const { shares, sessions } = repositories;
  await findSession(accountId, sessionId);
  const token = makeSecret('iwv');
  const createdAt = now();
  const share: ShareRecord = {
    _id: newId('share'),
    accountId,
    sessionId,
    hash: hashSecret(token, pepper),
    sender,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + days * DAY_MS),
    revokedAt: null,
  };
  await addWithinLimit({
    requireRoom: () => requireFew(context, accountId, sessionId),
    add: () => shares.insert(share),
    async isOver() {
      const { live, all } = await countOf(context, accountId, sessionId);
      return live > SHARES_PER_SESSION || all > KEPT;
    },
    undo: () => shares.remove(share._id),
  });
  try {
    await sessions.touch(sessionId, share.expiresAt);
    // Its links are removed with a session; one that was deleted meanwhile would leave this one behind.
    await findSession(accountId, sessionId);
  } catch (error) {
    await shares.remove(share._id);
    throw error;
  }
  // Behind `#`, so that no server, log or other page gets to see it.
  return { ...showShare(share, []), url: `${publicUrl()}${PAGE}/${share._id}#${token}` };
}

async function countOf({ repositories, now }: Context, accountId: string, sessionId: string) {
  const all = await repositories.shares.findOfSession(accountId, sessionId);
  return { live: all.filter((share) => isLive(share, now())).length, all: all.length };
}

async function requireFew(context: Context, accountId: string, sessionId: string): Promise<void> {
  const { live, all } = await countOf(context, accountId, sessionId);
  if (live < SHARES_PER_SESSION && all < KEPT) return;
  const [used, limit] = live < SHARES_PER_SESSION ? [all, KEPT] : [live, SHARES_PER_SESSION];
  throw new AppError('share_limit_reached', `The session has ${used} of ${limit} links; revoke one or use it again`, {
    details: { limit, used },
  });
}

function isLive({ revokedAt, expiresAt }: ShareRecord, at: Date): boolean {
  return revokedAt === null && expiresAt > at;
}

function showShare(share: ShareRecord, answers: ShareAnswer[]): Share {
  return {
    id: share._id,
    createdAt: share.createdAt.toISOString(),
    expiresAt: share.expiresAt.toISOString(),
    revokedAt: share.revokedAt?.toISOString() ?? null,
    answers,
  };
}

function showAnswer(answer: ShareAnswerRecord, image: ImageRecord | undefined): ShareAnswer {
  const { imageId, verdict, comment, at, textsVersion } = answer;
  const isCurrent = image !== undefined && textsVersionOf(image) === textsVersion;
  return { imageId, verdict, comment, at: at.toISOString(), isCurrent };
}

async function list(context: Context, accountId: string, sessionId: string): Promise<Share[]> {
  const { repositories, findSession } = context;
  await findSession(accountId, sessionId);
  const found = await repositories.shares.findOfSession(accountId, sessionId);
  if (found.length === 0) return [];
  const answers = await repositories.shares.findAnswers(sessionId);
  const held = answers.length > 0 ? await repositories.images.findOfSession(accountId, sessionId) : [];
  const byId = new Map(held.map((image) => [image._id, image]));
  return found.map((share) =>
    showShare(
      share,
      answers
        .filter(({ shareId }) => shareId === share._id)
        .map((stored) => showAnswer(stored, byId.get(stored.imageId))),
    ),
  );
}

async function revoke(context: Context, accountId: string, sessionId: string, shareId: string): Promise<void> {
  const { repositories, findSession, config, now } = context;
  const { shares, sessions } = repositories;
  await findSession(accountId, sessionId);
  if (!(await shares.revoke(accountId, sessionId, shareId, now())))
    throw new AppError('share_not_found', `No link ${shareId} to session ${sessionId}`);
  const latest = async () => {
    const live = (await shares.findOfSession(accountId, sessionId)).filter((share) => isLive(share, now()));
    const own = now().getTime() + config.SESSION_TTL_HOURS * HOUR_MS;
    return new Date(Math.max(own, ...live.map(({ expiresAt }) => expiresAt.getTime())));
  };
  await sessions.shorten(sessionId, await latest());
  // A link that was created meanwhile may have extended the session before it was shortened.
  await sessions.touch(sessionId, await latest());
}

async function check({ repositories, pepper, now }: Context, token: string): Promise<ShareRecord> {
  const share = secretHasForm('iwv', token) ? await repositories.shares.findByHash(hashSecret(token, pepper)) : null;
  if (share && isLive(share, now())) {
    const { accountId, sessionId } = share;
    const [account, session] = await Promise.all([
      repositories.accounts.find(accountId),
      repositories.sessions.findLive(accountId, sessionId, now()),
    ]);
    if (account && !account.deletedAt && !account.suspendedAt && session) return share;
  }
  throw new AppError('share_not_found', 'This link is unknown, was revoked or has expired');
}

async function images({ repositories }: Context, share: ShareRecord): Promise<SharedImages> {
  const { accountId, sessionId } = share;
  const [held, outputs, answers] = await Promise.all([
    repositories.images.findOfSession(accountId, sessionId),
    repositories.outputs.findOfSession(sessionId),
    repositories.shares.findAnswers(sessionId),
  ]);
  const results = newestResults(outputs);
  const own = new Map(answers.filter(({ shareId }) => shareId === share._id).map((one) => [one.imageId, one]));
  return {
    expiresAt: share.expiresAt.toISOString(),
    sender: share.sender ?? '',
    images: held.map((image) => {
      const stored = own.get(image._id);
      const { imageId: _, ...shown } = stored ? showAnswer(stored, image) : { imageId: '' };
      return {
        ...showSharedImage(image, results.get(image._id)),
        textsVersion: textsVersionOf(image),
        answer: stored ? (shown as Omit<ShareAnswer, 'imageId'>) : null,
      };
    }),
  };
}

async function findImage({ repositories }: Context, share: ShareRecord, imageId: string): Promise<ImageRecord> {
  const image = await repositories.images.find(share.accountId, share.sessionId, imageId);
  if (!image) throw new AppError('image_not_found', `No image ${imageId} behind this link`);
  return image;
}

async function answer(
  context: Context,
  share: ShareRecord,
  imageId: string,
  { verdict, comment, textsVersion }: ShareAnswerRequest,
): Promise<ShareAnswer> {
  const image = await findImage(context, share, imageId);
  const { _id: shareId, sessionId } = share;
  const given = { shareId, sessionId, imageId, verdict, comment: comment.trim(), textsVersion, at: context.now() };
  const stored: ShareAnswerRecord = { _id: `${shareId}:${imageId}`, ...given };
  await context.repositories.shares.putAnswer(stored);
  return showAnswer(stored, image);
}
