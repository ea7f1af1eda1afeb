import { BASE } from './router.ts';

/** Returns the address of the page with the ledger of an account. */
export const ledgerPageOf = (accountId: string): string => `${BASE}/operator/ledger?account=${accountId}`;
