import { createPasswordHash } from '../../server/sign-in/password-rules.ts';

/** Password hashes in a millisecond; those that are delivered take a quarter of a second of a processor. */
export const cheapPasswords = createPasswordHash({ cost: { ln: 5, r: 8, p: 1 } });

/** Hashes of another cost, which the next sign-in renews. */
export const outdatedPasswords = createPasswordHash({ cost: { ln: 4, r: 8, p: 1 } });
