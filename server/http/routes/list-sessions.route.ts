import type { RecentSessions } from '#contract';
import { defineRoute } from '../define-route.ts';

/** `GET /v1/sessions`: the account's sessions, to go on with. */
export const listSessionsRoute = defineRoute(
  'listSessions',
  async ({ account, query }, { sessions }): Promise<RecentSessions> => ({
    sessions: await sessions.recent(account.id, query.limit),
  }),
);
