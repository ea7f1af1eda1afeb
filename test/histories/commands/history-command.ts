import type fc from 'fast-check';
import { checkSession } from '../check-session.ts';
import type { Hands } from '../hands.ts';
import type { Told, ToldSession } from '../told.ts';

/** A command of a history. */
export type HistoryCommand = fc.AsyncCommand<Told, Hands>;

/**
 * Makes a command that compares the session it worked with afterwards.
 * @param title call as a person reads it
 * @param isPossible false where nothing is there to work with
 * @param run does the call and notes what it told; returns the session to compare
 */
export function command(
  title: string,
  isPossible: (told: Readonly<Told>) => boolean,
  run: (told: Told, hands: Hands) => Promise<ToldSession | null>,
): HistoryCommand {
  return {
    check: (told) => isPossible(told),
    async run(told, hands) {
      if (hands.isOver()) return;
      hands.trace.push(title);
      const session = await run(told, hands);
      if (session) await checkSession(hands, session);
    },
    toString: () => title,
  };
}
