import { LEDGER_KINDS, type LedgerKind } from '#contract';
import type {
  AccountRecord,
  AccountRepository,
  DamagedRecords,
  LedgerEntryRecord,
  LedgerRepository,
  RecordCheck,
} from '../db/index.ts';
import { countEntries, countersOf } from './ledger.ts';

const PAGE = 1000;
const RECHECKS = 5;

interface AuditDeps {
  accounts: AccountRepository;
  ledger: LedgerRepository;
  records: RecordCheck;
}

/** A violated rule of the money model. */
export interface BrokenInvariant {
  rule:
    | 'negative_balance'
    | 'balance_differs'
    | 'counters_differ'
    | 'duplicate_line'
    | 'refund_without_charge'
    | 'refund_exceeds_charge'
    | 'wrong_sign'
    | 'orphan_line'
    | 'damaged_record';
  /** Empty for a damaged record, whose account cannot be read. */
  accountId: string;
  ref: string | null;
  message: string;
}

/** Result of an audit. */
export interface AuditReport {
  ok: boolean;
  broken: BrokenInvariant[];
  figures: {
    accounts: number;
    lines: number;
    /** Pending entries that are not in the ledger yet; not a fault, `settlePending` completes them. */
    pending: number;
    balance: number;
    used: number;
    granted: number;
  };
}

/** A ledger entry, written or pending. */
type Entry = Pick<LedgerEntryRecord, 'accountId' | 'kind' | 'ref' | 'delta'>;

/** Totals of an account's entries. */
interface Totals {
  balance: number;
  used: number;
  granted: number;
}

/** Logged fields of an account. */
type Kept = Pick<AccountRecord, '_id' | 'balance' | 'used' | 'granted' | 'holds'>;

/** State of one audit. Its size depends on the number of accounts, not on that of entries. */
interface Audit {
  ledger: LedgerRepository;
  totals: Map<string, Totals>;
  lines: Map<string, number>;
  faults: BrokenInvariant[];
}

/**
 * Creates the audit. It recomputes every balance from the ledger and the pending entries, and reads the ledger as a stream. It
 * can run beside the service: an account that looks wrong is read again until no entry was added in between. Before that it
 * reads every stored document; with damaged ones it ends there, since sums over them would say nothing.
 */
export function createAudit({ accounts, ledger, records }: AuditDeps) {
  /** Checks one account again on a consistent reading. */
  async function recheck(accountId: string): Promise<BrokenInvariant[]> {
    for (let attempt = 1; ; attempt += 1) {
      const before = await accounts.find(accountId);
      const totals = emptyTotals();
      const held = new Set(before?.holds.map(({ lineId }) => lineId));
      for await (const line of pagesOf((after) => ledger.page(accountId, PAGE, after))) {
        add(totals, line);
        held.delete(line._id);
      }
      const after = await accounts.find(accountId);
      if (!before || !after) return [];
      if (attempt === RECHECKS || countEntries(before) === countEntries(after)) {
        // `before`, because an entry completed since then is among the lines read after it.
        for (const hold of before.holds) if (held.has(hold.lineId)) add(totals, hold);
        return checkAccount(before, totals);
      }
    }
  }

  /** Repeats the check for a charge that was written during the scan, or is pending. */
  async function stillBroken({ rule, ref, accountId }: BrokenInvariant): Promise<boolean> {
    if (rule !== 'refund_without_charge' || ref === null) return true;
    if ((await ledger.findByRef('charge', ref)) !== null) return false;
    const account = await accounts.find(accountId);
    return !account?.holds.some((hold) => hold.kind === 'charge' && hold.ref === ref);
  }

  return async function audit(): Promise<AuditReport> {
    const damaged = (await records.findDamaged()).flatMap(toFaults);
    if (damaged.length > 0) return { ok: false, broken: damaged, figures: NO_FIGURES };
    const state: Audit = { ledger, totals: new Map(), lines: new Map(), faults: [] };
    await checkEntries(state);
    const kept: Kept[] = [];
    // The entries of an account that is being deleted are removed in several steps.
    const leaving = new Set<string>();
    for await (const { _id, deletedAt, ...account } of pagesOf((after) => accounts.list(PAGE, after))) {
      const { balance, used, granted, holds } = account;
      if (deletedAt) leaving.add(_id);
      else kept.push({ _id, balance, used, granted, holds });
    }
    const broken = await checkOwners(state, new Set([...leaving, ...kept.map(({ _id }) => _id)]));
    let pending = 0;
    for (const record of kept) {
      const totals = state.totals.get(record._id) ?? emptyTotals();
      for (const hold of record.holds) {
        if (await ledger.has(record._id, hold.lineId)) continue;
        pending += 1;
        add(totals, hold);
      }
      if (checkAccount(record, totals).length > 0) broken.push(...(await recheck(record._id)));
    }
    for (const fault of state.faults)
      if (!leaving.has(fault.accountId) && (await stillBroken(fault))) broken.push(fault);
    const counted = [...state.lines].filter(([accountId]) => !leaving.has(accountId));
    return {
      ok: broken.length === 0,
      broken,
      figures: {
        accounts: kept.length,
        lines: sum(counted, ([, lines]) => lines),
        pending,
        balance: sum(kept, ({ balance }) => balance),
        used: sum(kept, ({ used }) => used),
        granted: sum(kept, ({ granted }) => granted),
      },
    };
  };
}

const NO_FIGURES = { accounts: 0, lines: 0, pending: 0, balance: 0, used: 0, granted: 0 };

function toFaults({ collection, ids }: DamagedRecords): BrokenInvariant[] {
  return ids.map((id) => ({
    rule: 'damaged_record',
    accountId: '',
    ref: id,
    message: `a document of ${collection} is damaged and cannot be read${id ? `: ${id}` : ''}; restore a backup`,
  }));
}

/** Streams all entries by kind and reference, refunds beside their charges. */
async function checkEntries(state: Audit): Promise<void> {
  for (const kind of LEDGER_KINDS)
    if (kind !== 'charge' && kind !== 'refund') for await (const _ of groupsOf(state, kind));
  const charges = groupsOf(state, 'charge');
  let charge = await charges.next();
  for await (const refund of groupsOf(state, 'refund')) {
    while (!charge.done && charge.value[0].ref < refund[0].ref) charge = await charges.next();
    const beside = charge.done || charge.value[0].ref !== refund[0].ref ? [] : charge.value;
    checkRefund(state, refund[0], beside);
  }
  while (!charge.done) charge = await charges.next();
}

type Group = [Entry, ...Entry[]];

/** Yields the entries of a kind, those of one reference together, and checks each. */
async function* groupsOf(state: Audit, kind: LedgerKind): AsyncGenerator<Group, undefined> {
  let group: Group | undefined;
  for await (const line of state.ledger.ofKind(kind)) {
    const totals = state.totals.get(line.accountId) ?? emptyTotals();
    state.totals.set(line.accountId, add(totals, line));
    state.lines.set(line.accountId, (state.lines.get(line.accountId) ?? 0) + 1);
    if (group?.[0].ref === line.ref) {
      group.push(line);
      continue;
    }
    if (group) {
      checkGroup(state, group);
      yield group;
    }
    group = [line];
  }
  if (!group) return;
  checkGroup(state, group);
  yield group;
}

function checkGroup({ faults }: Audit, [first, ...more]: Group): void {
  const { accountId, kind, ref, delta } = first;
  const fault = (rule: BrokenInvariant['rule'], message: string) => faults.push({ rule, accountId, ref, message });
  if (more.length > 0) fault('duplicate_line', `${ref} has ${more.length + 1} lines of the kind ${kind}`);
  const lowers = kind === 'charge' || kind === 'withdrawal';
  if (lowers ? delta >= 0 : delta <= 0) fault('wrong_sign', `a ${kind} of ${delta} for ${ref}`);
}

function checkRefund({ faults }: Audit, { accountId, ref, delta }: Entry, charges: Entry[]): void {
  const charge = charges.find((candidate) => candidate.accountId === accountId);
  const fault = (rule: BrokenInvariant['rule'], message: string) => faults.push({ rule, accountId, ref, message });
  if (!charge) fault('refund_without_charge', `${ref} was refunded, but never charged`);
  else if (delta > -charge.delta) fault('refund_exceeds_charge', `${ref} cost ${-charge.delta}, refunded ${delta}`);
}

/** Finds entries of accounts that do not exist. */
async function checkOwners({ ledger, totals }: Audit, known: Set<string>): Promise<BrokenInvariant[]> {
  const broken: BrokenInvariant[] = [];
  for (const accountId of totals.keys()) {
    if (known.has(accountId)) continue;
    // Read again: the account and its entries may have been deleted during the scan.
    for await (const line of pagesOf((after) => ledger.page(accountId, PAGE, after))) broken.push(orphan(line));
  }
  return broken;
}

function checkAccount(record: Kept, totals: Totals): BrokenInvariant[] {
  const broken: BrokenInvariant[] = [];
  const fault = (rule: BrokenInvariant['rule'], message: string) =>
    broken.push({ rule, accountId: record._id, ref: null, message });

  if (!(record.balance >= 0)) fault('negative_balance', `the balance is ${record.balance}`);
  if (record.balance !== totals.balance) {
    fault(
      'balance_differs',
      `the balance is ${record.balance}, but the ledger and pending entries add up to ${totals.balance}`,
    );
  }
  const { used, granted } = totals;
  if (record.used !== used || record.granted !== granted) {
    fault(
      'counters_differ',
      `used is ${record.used} and granted ${record.granted}, but the ledger says ${used} and ${granted}`,
    );
  }
  return broken;
}

function orphan({ _id, accountId, ref }: LedgerEntryRecord): BrokenInvariant {
  return { rule: 'orphan_line', accountId, ref, message: `line ${_id} belongs to an account that does not exist` };
}

function emptyTotals(): Totals {
  return { balance: 0, used: 0, granted: 0 };
}

function add(totals: Totals, entry: Pick<Entry, 'kind' | 'delta'>): Totals {
  const { used, granted } = countersOf(entry);
  totals.balance += entry.delta;
  totals.used += used;
  totals.granted += granted;
  return totals;
}

function sum<T>(items: T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

/** Yields all records, reading pages on demand. */
async function* pagesOf<T extends { _id: string }>(page: (after?: string) => Promise<T[]>): AsyncGenerator<T> {
  for (let after: string | undefined; ; ) {
    const next = await page(after);
    yield* next;
    after = next.at(-1)?._id;
    if (next.length < PAGE) return;
  }
}
