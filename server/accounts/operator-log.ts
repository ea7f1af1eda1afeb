import type { LogAction, LogChange, LogFilter, LogLine } from '#contract';
import { csvLine } from '#contract/constants';
import type { AccountRepository, OperatorLogRecord, OperatorLogRepository } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { derivedBase62, encodeBase62, randomBase62 } from '../ids.ts';
import { momentsOf } from './transactions.ts';

interface OperatorLogDeps {
  log: OperatorLogRepository;
  accounts: AccountRepository;
  now: () => Date;
}

/** Originator of an action. */
export interface Actor {
  /** Null for the command line. */
  accountId: string | null;
  /** Email address of an operator, or `command line`; null for users, whose address is not stored. */
  name: string | null;
  /** Network address of the client, or ''. */
  address: string;
}

/** Actor of administration commands. */
export const COMMAND_LINE: Actor = { accountId: null, name: 'command line', address: '' };

/** An action to log. */
export interface LoggedAction {
  /** Fixed by the caller, so that a repeated attempt adds no second line. */
  lineId?: string;
  action: LogAction;
  /** Id of the account concerned. */
  target: string | null;
  /** Contains no secrets. */
  change?: LogChange;
}

/** Formats of an export. */
export type LogFormat = 'csv' | 'jsonl';

const EXPORT_PAGE = 500;

/** Generates the id of a line; ids sort by time. */
export function newLogLineId(at = new Date()): string {
  return `log_${encodeBase62(at.getTime(), 8)}${randomBase62(10)}`;
}

/** Derives the id of the line of work that may be attempted several times. */
export function logLineIdOf({ id, begunAt }: { id: string; begunAt: Date }): string {
  return `log_${encodeBase62(begunAt.getTime(), 8)}${derivedBase62(id, 10)}`;
}

/**
 * Creates the operator log. A line is written before its action, so no action can happen without its line. If the action
 * fails, a second line with the error's code in `failed` follows; if the process dies in between, the first line stands
 * alone and the action may not have happened. Lines are kept without limit.
 */
export function createOperatorLog(deps: OperatorLogDeps) {
  return {
    /** Writes a line, then runs the action. @throws the error of either */
    record: <Result>(actor: Actor, logged: LoggedAction, run: () => Promise<Result>): Promise<Result> =>
      record(deps, actor, logged, run),

    /** Returns a page, newest first. @param limit 1-200 */
    page: (query: LogQuery) => page(deps, query),

    /** Iterates over all lines, newest first, reading pages on demand. @param cursor id of the last line that was read */
    all: (filter: LogFilter, cursor?: string): AsyncGenerator<LogLine> => all(deps, filter, cursor),
  };
}

/** The operator log. */
export type OperatorLog = ReturnType<typeof createOperatorLog>;

interface LogQuery extends LogFilter {
  cursor?: string | undefined;
  limit: number;
}

/** Returns the header of an export. Spreadsheets recognise UTF-8 by its byte order mark. */
export function logHeader(format: LogFormat): string {
  if (format === 'jsonl') return '';
  const names = ['time', 'actor', 'actor id', 'action', 'account', 'account id', 'change', 'address', 'id'];
  return `\ufeff${csvLine(names)}`;
}

/** Formats a line of an export. */
export function formatLogLine(format: LogFormat, line: LogLine): string {
  if (format === 'jsonl') return `${JSON.stringify(line)}\n`;
  const { id, at, actor, action, target, change, address } = line;
  const cells = [at, actor.name, actor.accountId, action, target?.email ?? null, target?.accountId ?? null];
  return csvLine([...cells, JSON.stringify(change), address, id]);
}

async function record<Result>(
  { log, now }: OperatorLogDeps,
  actor: Actor,
  logged: LoggedAction,
  run: () => Promise<Result>,
): Promise<Result> {
  const { action, target, change = {}, lineId = newLogLineId(now()) } = logged;
  const { accountId: actorId, name: actorName, address } = actor;
  const common = { actorId, actorName, action, target, address };
  await log.append({ _id: lineId, at: now(), ...common, change });
  try {
    return await run();
  } catch (error) {
    const failed = error instanceof AppError ? error.code : 'internal_error';
    // The error of the action is more useful than one of this second line.
    await log
      .append({ _id: newLogLineId(now()), at: now(), ...common, change: { ...change, line: lineId, failed } })
      .catch(() => {});
    throw error;
  }
}

async function page(deps: OperatorLogDeps, { cursor, limit, ...filter }: LogQuery) {
  // One extra line shows if there is a next page.
  const records = await deps.log.page(limit + 1, await select(deps, filter), cursor);
  const lines = await toLines(deps, records.slice(0, limit));
  return { lines, nextCursor: records.length > limit ? (lines.at(-1)?.id ?? null) : null };
}

async function* all(deps: OperatorLogDeps, filter: LogFilter, after?: string): AsyncGenerator<LogLine> {
  const selection = await select(deps, filter);
  for (let cursor = after; ; ) {
    const records = await deps.log.page(EXPORT_PAGE, selection, cursor);
    yield* await toLines(deps, records);
    cursor = records.at(-1)?._id;
    if (records.length < EXPORT_PAGE) return;
  }
}

async function select({ accounts }: OperatorLogDeps, { account: text, action, ...days }: LogFilter) {
  const { from, before } = momentsOf(days);
  if (!text) return { action, from, before };
  const id = text.includes('@') ? ((await accounts.findByEmail(text.toLowerCase()))?._id ?? null) : text;
  return { action, from, before, account: { id, name: text.toLowerCase() } };
}

async function toLines({ accounts }: OperatorLogDeps, records: OperatorLogRecord[]): Promise<LogLine[]> {
  const ids = records.flatMap(({ actorId, target }) => [actorId, target]).filter((id) => id !== null);
  const emails = await accounts.emailsOf([...new Set(ids)]);
  return records.map(({ _id, at, actorId, actorName, action, target, change, address }) => ({
    id: _id,
    at: at.toISOString(),
    actor: { accountId: actorId, name: actorName ?? emails.get(actorId ?? '') ?? null },
    action,
    target: target === null ? null : { accountId: target, email: emails.get(target) ?? null },
    change,
    address,
  }));
}
