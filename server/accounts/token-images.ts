import { TOKEN_IMAGES } from '#contract';
import type { SessionTokenRecord, SessionTokenRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';

/** Free allowance of a session token. */
export type TokenUse = 'samples' | 'analyses';

const FIELDS = {
  samples: { limitName: 'maxSamples', counter: 'usedSamples' },
  analyses: { limitName: 'maxAnalyses', counter: 'usedAnalyses' },
} as const;

const DEFAULTS = { maxSamples: TOKEN_IMAGES, usedSamples: 0, maxAnalyses: TOKEN_IMAGES, usedAnalyses: 0 };

/** Counts the images that session tokens sample or have described for free. */
export function createTokenImages(sessionTokens: SessionTokenRepository) {
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
