import { createHash } from 'node:crypto';
import type { CounterRepository } from '../db/index.ts';
import { type Attempts, tooMany } from './attempts.ts';

/** Dependencies of {@link createSharedAttempts}. */
export interface SharedAttemptsDeps {
  counters: CounterRepository;
  /** What is attempted; part of the counters' ids. */
  name: string;
  windowMs: number;
  now: () => Date;
}

/** Creates a counter of attempts that all servers of a database share. The keys, which may be addresses, are stored as hashes. */
export function createSharedAttempts({ counters, name, windowMs, now }: SharedAttemptsDeps): Attempts {
  const idOf = (key: string) => `${name}:${createHash('sha256').update(key).digest('hex')}`;
  return {
    async take(limits) {
      const taken: string[] = [];
      // What cannot be taken back expires with its window.
      const takeBack = () => {
        for (const id of taken) counters.giveBack(id, 1).catch(() => {});
      };
      for (const { key, limit } of limits) {
        const at = now();
        const until = new Date(at.getTime() + windowMs);
        const { isTaken, expiresAt } = await counters.take({ id: idOf(key), amount: 1, limit, now: at, until });
        if (!isTaken) {
          takeBack();
          throw tooMany(expiresAt.getTime() - at.getTime());
        }
        taken.push(idOf(key));
      }
      return takeBack;
    },

    forget(key) {
      counters.forget(idOf(key)).catch(() => {});
    },
  };
}
