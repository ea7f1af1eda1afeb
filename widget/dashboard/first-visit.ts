import { accountClient } from './account-client.ts';

/** The account of the visit, asked for before the dashboard's program is there. */
export const firstVisit = accountClient.visit();
// The dashboard shows the error.
firstVisit.catch(() => {});
