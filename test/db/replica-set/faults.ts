import type { Document } from 'bson';

/** An error that a server answers without having done anything. */
export interface Refusal {
  kind: 'error';
  code: number;
  codeName?: string;
}

/** Fault of one command. */
export type Fault =
  | Refusal
  /** The command is run, and its answer says that the write may be lost again. */
  | { kind: 'write-concern-error'; code: number }
  /** The connection ends: `before` the command is run, or `after`, so that its answer is lost. */
  | { kind: 'cut'; when: 'before' | 'after' }
  /** The command is run that much later. Milliseconds. */
  | { kind: 'delay'; ms: number };

/** Commands that a fault affects. */
export interface Target {
  /** Name of the command, e.g. `findAndModify`. @default any but those of a driver's own monitoring */
  command?: string;
  collection?: string;
  /** Number of affected commands. @default 1 */
  times?: number;
  /** Number of commands that pass before. @default 0 */
  after?: number;
}

/** A command that came by. */
export interface Seen {
  command: string;
  collection: string;
  /** True if it carried a transaction number, so that it may be repeated. */
  isRetryable: boolean;
  /** True if its answer was remembered from an earlier attempt. */
  isRepeated: boolean;
  writeConcern: Document | undefined;
  readConcern: Document | undefined;
  fault: Fault['kind'] | undefined;
}

/** Commands of a driver's own: faults do not meet them, and every member answers them. */
const OWN = new Set(['hello', 'isMaster', 'ismaster', 'ping', 'buildInfo', 'endSessions']);

/** Returns true for a command that every member of a set answers. */
export const isOwn = (command: string): boolean => OWN.has(command);

/** Creates the list of faults, which meet commands in the order in which they were set up. */
export function createFaults() {
  let faults: { fault: Fault; target: Target; left: number; pass: number }[] = [];
  return {
    add(fault: Fault, target: Target = {}): void {
      faults.push({ fault, target, left: target.times ?? 1, pass: target.after ?? 0 });
    },
    take(command: string, collection: string): Fault | undefined {
      for (const entry of faults) {
        const { target } = entry;
        if (entry.left === 0 || isOwn(command)) continue;
        if (target.command !== undefined && target.command !== command) continue;
        if (target.collection !== undefined && target.collection !== collection) continue;
        if (entry.pass > 0) {
          entry.pass -= 1;
          continue;
        }
        entry.left -= 1;
        return entry.fault;
      }
      return undefined;
    },
    /** Faults that have met nothing yet. */
    waiting: () => faults.filter(({ left }) => left > 0).length,
    clear(): void {
      faults = [];
    },
  };
}

/** Codes after which a driver may repeat a write; a server labels them. */
const RETRYABLE = new Set([6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** The answer of a server that refuses a command. */
export function refusal({ code, codeName }: Refusal, isRetryable: boolean): Document {
  const labels = isRetryable && RETRYABLE.has(code) ? { errorLabels: ['RetryableWriteError'] } : {};
  return { ok: 0, code, codeName: codeName ?? `Code${code}`, errmsg: `refused with code ${code}`, ...labels };
}

/** An answer with the error that a write concern was not met. */
export function withWriteConcernError(reply: Document, code: number, isRetryable: boolean): Document {
  const labels = isRetryable && RETRYABLE.has(code) ? { errorLabels: ['RetryableWriteError'] } : {};
  return {
    ...reply,
    writeConcernError: { code, codeName: `Code${code}`, errmsg: `not replicated: ${code}` },
    ...labels,
  };
}
