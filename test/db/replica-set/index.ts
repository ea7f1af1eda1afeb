import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, ObjectId } from 'bson';
import { createFaults, type Fault, type Seen, type Target } from './faults.ts';
import { type SetState, startMember } from './member.ts';

export type { Fault, Seen, Target };

/** A replica set of three members, all of which are proxies before one embedded store. */
export interface ReplicaSet {
  /** Connection string that names all members. */
  uri: string;
  /** Commands that came by, without those of drivers' monitoring. */
  seen: Seen[];
  /** Sets up what goes wrong with the next command that matches. */
  inject(fault: Fault, target?: Target): void;
  /** Faults that have met nothing yet. */
  waiting(): number;
  /** Steps the primary down; another member is elected after `electionMs`. Connections stay. */
  stepDown(electionMs: number): Promise<void>;
  /** Ends the primary's process; another member is elected after `electionMs`, and the old one comes back as secondary. */
  killPrimary(electionMs: number): Promise<void>;
  /** Replaces fields of what the members say of themselves, and what they answer to commands. */
  pretend(fields: Pretended): void;
  /** Forgets faults and commands. */
  reset(): void;
  close(): Promise<void>;
}

/** What members say in place of what is so. */
interface Pretended {
  hello?: Document;
  buildInfo?: Document;
  answer?: (command: string, reply: Document) => Document;
}

const MEMBERS = 3;

/**
 * Starts a set before the store that a connection string with a Unix socket names. It repeats the answer to a write that
 * comes again with the same session and transaction number, as mongod does. It has one copy of the data, so it shows
 * what drivers and the service do, and nothing of replication itself.
 */
export async function startReplicaSet(target: string): Promise<ReplicaSet> {
  const faults = createFaults();
  const seen: Seen[] = [];
  let primary: number | null = 0;
  let term = 1;
  let pretended: Pretended = {};
  const addresses: string[] = [];
  const state: SetState = {
    store: decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(target)?.[1] ?? ''),
    isPrimary: (member) => member === primary,
    hello: (member) => ({
      ...aboutSet(member, { primary, term, addresses }),
      ...pretended.hello,
    }),
    get buildInfo() {
      return pretended.buildInfo ?? {};
    },
    answer: (command, reply) => pretended.answer?.(command, reply) ?? reply,
    takeFault: faults.take,
    seen,
    answers: new Map(),
  };
  const members = await Promise.all(Array.from({ length: MEMBERS }, (_, index) => startMember(index, state)));
  addresses.push(...members.map(({ address }) => address));

  async function replacePrimary(electionMs: number, leave: (old: number) => void): Promise<void> {
    const old = primary ?? 0;
    primary = null;
    leave(old);
    await sleep(electionMs);
    term += 1;
    primary = (old + 1) % MEMBERS;
    members[old]?.revive();
  }

  return {
    uri: `mongodb://${addresses.join(',')}/embedded?replicaSet=rs0`,
    seen,
    inject: faults.add,
    waiting: faults.waiting,
    stepDown: (electionMs) => replacePrimary(electionMs, () => {}),
    killPrimary: (electionMs) => replacePrimary(electionMs, (old) => members[old]?.kill()),
    pretend(fields) {
      pretended = fields;
    },
    reset() {
      faults.clear();
      seen.length = 0;
      pretended = {};
    },
    async close() {
      await Promise.all(members.map((member) => member.close()));
    },
  };
}

function aboutSet(
  member: number,
  { primary, term, addresses }: { primary: number | null; term: number; addresses: string[] },
): Document {
  const isPrimary = member === primary;
  return {
    setName: 'rs0',
    setVersion: 1,
    hosts: addresses,
    me: addresses[member],
    ...(primary !== null && { primary: addresses[primary] }),
    isWritablePrimary: isPrimary,
    ismaster: isPrimary,
    secondary: !isPrimary,
    ...(isPrimary && { electionId: new ObjectId(term.toString(16).padStart(24, '0')) }),
    logicalSessionTimeoutMinutes: 30,
    lastWrite: { lastWriteDate: new Date() },
  };
}
