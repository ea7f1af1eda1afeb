import fc from 'fast-check';
import { expectEqual } from '../check-session.ts';
import { pick } from '../told.ts';
import { command, type HistoryCommand } from './history-command.ts';

/** Sends an earlier call again with the same `Idempotency-Key`: it is answered as before, and done once. */
export const repeatCall: fc.Arbitrary<HistoryCommand> = fc.nat(60).map((which) =>
  command(
    `repeat ${which}`,
    (told) => told.calls.length > 0,
    async (told) => {
      const { key, path, session, send, answer } = pick(told.calls, which);
      const again = await send(key);
      // What the session held is gone with it.
      if (session?.isDeleted) expectEqual(`repeated ${path}`, again.status, 404);
      else expectEqual(`repeated ${path}`, again, answer);
      return session;
    },
  ),
);
