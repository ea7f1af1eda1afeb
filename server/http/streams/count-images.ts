import type { Caller } from '../../gateway/index.ts';
import type { Services } from '../services.ts';

type Counter = 'samples' | 'analyses';

/**
 * Counts images towards what the session token of a caller may do, and towards the day of the account.
 * @returns a function that takes them back
 * @throws AppError token_used_up, daily_limit_reached
 */
export async function countImages(
  { id, token }: Caller,
  counter: Counter,
  images: number,
  { accounts: { limits, tokens } }: Services,
): Promise<() => Promise<void>> {
  if (token) await tokens.countImages(token.id, counter, images);
  const uncount = async () => {
    if (token) await tokens.uncountImages(token.id, counter, images);
  };
  try {
    const counted = await limits.count(id, counter, images);
    return async () => {
      await uncount();
      await limits.giveBack(id, counted);
    };
  } catch (error) {
    await uncount();
    throw error;
  }
}

/** Checks that neither the day's samples nor those of a session token are used up. @throws AppError token_used_up, daily_limit_reached */
export async function requireSamples({ id, token }: Caller, { accounts }: Services): Promise<void> {
  if (token) await accounts.tokens.requireLeft(token.id, 'samples');
  await accounts.limits.requireLeft(id, 'samples');
}
