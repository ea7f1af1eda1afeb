import type { LimitFunction } from 'p-limit';
import { SESSION_TOKEN_MINUTES, TOKEN_IMAGES } from '#contract';
import { addWithinLimit, inTurn } from '../concurrency.ts';
import type {
  AccountRecord,
  AccountRepository,
  ApiKeyRepository,
  SessionTokenRecord,
  SessionTokenRepository,
} from '../db/index.ts';
import { AppError } from '../errors.ts';
import { hashSecret, makeSecret, secretHasForm } from '../ids.ts';

interface SessionTokensDeps {
  accounts: Pick<AccountRepository, 'find'>;
  apiKeys: Pick<ApiKeyRepository, 'find'>;
  sessionTokens: SessionTokenRepository;
  pepper: Buffer;
  config: { SESSION_TOKENS_PER_ACCOUNT: number };
  now: () => Date;
}

/** A token to create. */
export interface TokenRequest {
  accountId: string;
  /** API key of the request; the token ends with it. */
  keyId: string;
  origin: string;
  /** Session of the token; null: the token may create one. */
  sessionId: string | null;
  maxCredits: number;
  maxSamples: number;
  maxAnalyses: number;
}

/** Result of checking a token. */
export type TokenCheck =
  | { outcome: 'valid'; token: SessionTokenRecord; account: AccountRecord }
  | { outcome: 'malformed' | 'unknown' | 'inactive' | 'suspended' };

/** Creates the session tokens: short-lived keys of one session and one origin, stored as hashes. */
export function createSessionTokens(deps: SessionTokensDeps) {
  const { sessionTokens } = deps;
  const queues = new Map<string, LimitFunction>();
  return {
    ...createTokenImages(sessionTokens),

    /** Creates a token, which cannot be read again. @throws AppError token_limit_reached */
    create: (request: TokenRequest): Promise<{ token: string; expiresAt: Date }> =>
      inTurn(queues, request.accountId, () => create(deps, request)),

    /** Checks a token, its key and its account against the database. */
    check: (presented: string): Promise<TokenCheck> => check(deps, presented),

    /**
     * Binds a token to the session that `create` makes; if that fails, the token may create another one.
     * @param binding.earlier sessions of interrupted attempts at the same work, to which the token may be bound
     * @throws AppError token_not_allowed if the token has a session
     */
    async bindDuring<T>(
      hash: string,
      { sessionId, earlier }: { sessionId: string; earlier: string[] },
      create: () => Promise<T>,
    ): Promise<T> {
      if (!(await rebindAny(sessionTokens, hash, [null, ...earlier], sessionId))) {
        throw new AppError('token_not_allowed', 'The session token has its session already, and may create only one');
      }
      try {
        return await create();
      } catch (error) {
        await sessionTokens.rebind(hash, sessionId, null);
        throw error;
      }
    },

    /** Takes credits of a token for a job. @throws AppError insufficient_credits */
    take: (hash: string, jobId: string, credits: number): Promise<void> => take(deps, hash, jobId, credits),

    /** Returns the credits that a token may still spend. */
    async left(hash: string): Promise<number> {
      const token = await sessionTokens.find(hash);
      return token ? token.maxCredits - token.usedCredits : 0;
    },

    /** Takes back what {@link take} has counted for a job that was not charged. */
    untake: (hash: string, jobId: string, credits: number): Promise<void> => sessionTokens.untake(hash, jobId, credits),

    /** Gives the token of a job its refund, once per job; without effect for jobs of keys. */
    giveBack: (jobId: string, credits: number): Promise<void> => sessionTokens.giveBack(jobId, credits),
  };
}

async function create(deps: SessionTokensDeps, request: TokenRequest): Promise<{ token: string; expiresAt: Date }> {
  const { sessionTokens, pepper, config, now } = deps;
  const { accountId } = request;
  const token = makeSecret('iwt');
  const hash = hashSecret(token, pepper);
  const expiresAt = new Date(now().getTime() + SESSION_TOKEN_MINUTES * 60_000);
  await addWithinLimit({
    requireRoom: () => requireFew(deps, accountId),
    add: () => sessionTokens.insert({ _id: hash, ...request, expiresAt }),
    isOver: async () => (await sessionTokens.countLive(accountId, now())) > config.SESSION_TOKENS_PER_ACCOUNT,
    undo: () => sessionTokens.remove(hash),
  });
  return { token, expiresAt };
}

async function requireFew({ sessionTokens, config, now }: SessionTokensDeps, accountId: string): Promise<void> {
  const at = now();
  const limit = config.SESSION_TOKENS_PER_ACCOUNT;
  const used = await sessionTokens.countLive(accountId, at);
  if (used < limit) return;
  const expiry = (await sessionTokens.nextExpiry(accountId, at)) ?? at;
  const seconds = Math.max(1, Math.ceil((expiry.getTime() - at.getTime()) / 1000));
  throw new AppError(
    'token_limit_reached',
    `The account has ${used} of ${limit} live session tokens; the next one expires in ${seconds} seconds`,
    { details: { limit, used }, headers: { 'Retry-After': String(seconds) } },
  );
}

async function check(deps: SessionTokensDeps, presented: string): Promise<TokenCheck> {
  if (!secretHasForm('iwt', presented)) return { outcome: 'malformed' };
  const token = await deps.sessionTokens.find(hashSecret(presented, deps.pepper));
  if (!token || token.expiresAt <= deps.now()) return { outcome: 'unknown' };
  const account = await deps.accounts.find(token.accountId);
  if (!account || account.deletedAt) return { outcome: 'unknown' };
  if (!account.activeKeys.includes(token.keyId)) {
    // As with keys: a deleted one is unknown, a deactivated one is inactive.
    return { outcome: (await deps.apiKeys.find(account._id, token.keyId)) ? 'inactive' : 'unknown' };
  }
  return account.suspendedAt ? { outcome: 'suspended' } : { outcome: 'valid', token, account };
}

async function take({ sessionTokens }: SessionTokensDeps, hash: string, jobId: string, credits: number): Promise<void> {
  const token = await sessionTokens.find(hash);
  if (!token) throw new AppError('invalid_api_key', 'The session token does not exist any more');
  if (await sessionTokens.take(token, jobId, credits)) return;
  const { maxCredits, usedCredits, charges } = (await sessionTokens.find(hash)) ?? token;
  // The attempt of an interrupted request has taken them.
  if (charges.some((charge) => charge.jobId === jobId)) return;
  const balance = maxCredits - usedCredits;
  throw new AppError(
    'insufficient_credits',
    `The session token has spent ${usedCredits} of its ${maxCredits} credits, and ${credits} more are needed`,
    {
      details: {
        limitName: 'maxCredits',
        limit: maxCredits,
        used: usedCredits,
        balance,
        required: credits,
        shortfall: credits - balance,
      },
    },
  );
}

/** Binds a token that is bound to one of `from` to another session; false if it is bound to none of them. */
async function rebindAny(
  sessionTokens: SessionTokenRepository,
  hash: string,
  from: (string | null)[],
  to: string,
): Promise<boolean> {
  for (const one of from) if (await sessionTokens.rebind(hash, one, to)) return true;
  return false;
}

/** Free allowance of a session token. */
type TokenUse = 'samples' | 'analyses';

const FIELDS = {
  samples: { limitName: 'maxSamples', counter: 'usedSamples' },
  analyses: { limitName: 'maxAnalyses', counter: 'usedAnalyses' },
} as const;

const DEFAULTS = { maxSamples: TOKEN_IMAGES, usedSamples: 0, maxAnalyses: TOKEN_IMAGES, usedAnalyses: 0 };

/** Counts the images that session tokens sample or have described for free. */
function createTokenImages(sessionTokens: SessionTokenRepository) {
  return {
    /** Counts images towards a limit of a token. @throws AppError token_used_up */
    async countImages(hash: string, use: TokenUse, images: number): Promise<void> {
      const { limitName, counter } = FIELDS[use];
      const token = await requireToken(sessionTokens, hash);
      if (images === 0 || (await sessionTokens.countImages(token, counter, images, token[limitName]))) return;
      throw usedUp(await requireToken(sessionTokens, hash), use, images);
    },

    /** Takes back what {@link countImages} has counted. */
    async uncountImages(hash: string, use: TokenUse, images: number): Promise<void> {
      if (images > 0) await sessionTokens.uncountImages(hash, FIELDS[use].counter, images);
    },

    /** Checks that a limit of a token is not used up. @throws AppError token_used_up */
    async requireLeft(hash: string, use: TokenUse): Promise<void> {
      const token = await requireToken(sessionTokens, hash);
      if (token[FIELDS[use].counter] >= token[FIELDS[use].limitName]) throw usedUp(token, use, 1);
    },

    /** Counts an image of a job that was encoded and not paid for towards the samples of the token that started it. */
    countSampleOf: (jobId: string): Promise<void> => sessionTokens.countSampleOf(jobId),
  };
}

async function requireToken(sessionTokens: SessionTokenRepository, hash: string): Promise<SessionTokenRecord> {
  const token = await sessionTokens.find(hash);
  if (!token) throw new AppError('invalid_api_key', 'The session token does not exist any more');
  // A token of an earlier version has no limits of its own.
  return { ...DEFAULTS, ...token };
}

function usedUp(token: SessionTokenRecord, use: TokenUse, images: number): AppError {
  const { limitName, counter } = FIELDS[use];
  const [limit, used] = [token[limitName], token[counter]];
  const what = { samples: 'sampled', analyses: 'had described' }[use];
  return new AppError(
    'token_used_up',
    `The session token has ${what} ${used} of its ${limit} images, so there is no room for ${images} more`,
    { details: { limitName, limit, used } },
  );
}
