import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { SmallImage } from '../support/small-images.ts';
import { checkAccount, checkAll, checkEmptied } from './check-account.ts';
import type { HistoryCommand } from './commands/history-command.ts';
import type { Hands } from './hands.ts';
import { makePictures } from './pictures.ts';
import type { Stage } from './stages/stage.ts';
import { nothingTold } from './told.ts';

const CREDITS = 100_000;
let pictures: Promise<SmallImage[]> | undefined;

/** Figures of histories. */
export interface Tally {
  histories: number;
  commands: number;
  calls: number;
  downloads: number;
}

/** Returns figures of no histories. */
export const newTally = (): Tally => ({ histories: 0, commands: 0, calls: 0, downloads: 0 });

/**
 * Runs one list of commands a client, all at the same time on a new account, and compares everything at the end.
 * @param options `most`: calls of each client; those that are not possible do not count
 * @throws Error that names what turned untrue, with the commands before it
 */
export async function runHistory(
  stage: Stage,
  lists: Iterable<HistoryCommand>[],
  { tally = newTally(), most = Number.POSITIVE_INFINITY }: { tally?: Tally; most?: number } = {},
): Promise<void> {
  pictures ??= makePictures();
  const made = await pictures;
  const api = await stage.createAccount(`${randomUUID()}@example.com`, CREDITS);
  let isOver = false;
  const clients = lists.map((commands, client) => {
    let keys = 0;
    const newKey = () => {
      keys += 1;
      return `client ${client}, call ${keys}`;
    };
    const trace: string[] = [];
    const isDone = () => isOver || trace.length >= most;
    const hands: Hands = { api, stage, pictures: made, client, trace, tally, isOver: isDone, newKey };
    return { told: nothingTold(), hands, commands };
  });
  tally.histories += 1;
  const work = clients.map(async ({ told, hands, commands }) => {
    try {
      await fc.asyncModelRun(
        () => ({ model: told, real: hands }),
        commands as Iterable<fc.AsyncCommand<typeof told, Hands>>,
      );
      if (!isOver) await checkAll(told, hands);
    } catch (error) {
      isOver = true;
      throw explain(error, hands);
    } finally {
      tally.commands += hands.trace.length;
    }
  });
  const ends = await Promise.allSettled(work);
  const failed = ends.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
  await stage.whole();
  if (failed) throw failed.reason;
  const all = clients.map(({ told }) => told);
  const [first] = clients;
  if (!first) return;
  try {
    await checkAccount(all, first.hands, CREDITS);
    await checkEmptied(all, first.hands);
  } catch (error) {
    throw new Error(
      `${(error as Error).message}\nat the end of\n${clients.map(({ hands }) => show(hands)).join('\n')}`,
    );
  }
}

function explain(error: unknown, hands: Hands): Error {
  return new Error(`${(error as Error).message}\nafter\n${show(hands)}`, { cause: error });
}

const show = ({ client, trace }: Hands) => trace.map((line) => `  ${client}: ${line}`).join('\n');
