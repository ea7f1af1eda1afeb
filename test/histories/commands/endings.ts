import fc from 'fast-check';
import { ask } from '../hands.ts';
import { liveSessions, noteDeleted, pick } from '../told.ts';
import { command, type HistoryCommand } from './history-command.ts';

/** Deletes a session. */
export const deleteSession: fc.Arbitrary<HistoryCommand> = fc.nat(60).map((which) =>
  command(
    `delete ${which}`,
    (told) => liveSessions(told).length > 1,
    async (told, hands) => {
      const session = pick(liveSessions(told), which);
      const { answer } = await ask(hands, `/v1/sessions/${session.id}`, { method: 'DELETE' }, 204, 404);
      if (answer.status === 404 && !answer.isRepeated) throw new Error(`${session.id} was gone before its deletion`);
      noteDeleted(session);
      return session;
    },
  ),
);

/** Kills a server some milliseconds later, in the middle of what comes next. */
export const killServer: fc.Arbitrary<HistoryCommand> = fc.tuple(fc.nat(2), fc.nat(80)).map(([server, afterMs]) =>
  command(
    `kill ${server} after ${afterMs} ms`,
    () => true,
    async (_told, { stage }) => {
      setTimeout(() => void stage.kill(server), afterMs);
      return null;
    },
  ),
);
