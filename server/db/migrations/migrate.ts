import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../errors.ts';
import type { Connection } from '../connect.ts';
import type { ClusterRecord, ClusterRepository } from '../repositories/cluster.ts';
import type { Migration } from './migration.ts';

/** Time without a beat after which the owner of a migration counts as dead, in milliseconds. */
const SILENCE_MS = 20_000;

interface MigrateInput {
  connection: Connection;
  cluster: ClusterRepository;
  migrations: readonly Migration[];
  /** Reports progress in a line each. */
  log: (fields: Record<string, unknown>, message: string) => void;
  /** No other process uses the data, so that a holder is dead. @default false */
  alone?: boolean | undefined;
  /** @default 20,000 ms */
  silenceMs?: number;
}

/**
 * Brings the data to the version of this service, one process at a time. A migration that was interrupted is repeated.
 * @throws StartError if a newer service has written the data
 */
export async function migrate(input: MigrateInput): Promise<void> {
  const { connection, cluster, migrations } = input;
  let identity = (await cluster.read()) ?? (await cluster.open((await isEmpty(connection)) ? migrations.length : 0));
  let seen = { holder: identity.migration, since: performance.now() };
  while (identity.dataVersion < migrations.length) {
    if (!isSameHolder(identity.migration, seen.holder)) seen = { holder: identity.migration, since: performance.now() };
    await migrateOrWait(input, identity, performance.now() - seen.since);
    identity = await cluster.open(migrations.length);
  }
  if (identity.dataVersion > migrations.length)
    throw new StartError(
      `The data was written by a newer version of the service: expected data of version ${migrations.length} or older, found ${identity.dataVersion}. Start that version, or restore a backup`,
    );
}

/** Applies the next migration, or waits a moment if another process does. */
async function migrateOrWait(input: MigrateInput, identity: ClusterRecord, silentMs: number): Promise<void> {
  const { cluster, log, alone = false, silenceMs = SILENCE_MS } = input;
  const holder = identity.migration;
  const owner = randomUUID();
  if (holder !== null && !alone && silentMs < silenceMs) {
    log({ version: identity.dataVersion + 1 }, 'another server is changing the stored data; waiting for it');
    return sleep(silenceMs / 10);
  }
  if (await cluster.claimMigration(identity.dataVersion, holder, owner))
    await apply(input, identity.dataVersion, owner);
}

async function apply(input: MigrateInput, from: number, owner: string): Promise<void> {
  const { connection, cluster, migrations, log, silenceMs = SILENCE_MS } = input;
  const migration = migrations[from];
  if (!migration) return;
  const version = from + 1;
  log({ version, migration: migration.name }, 'changing the stored data');
  const startedAt = performance.now();
  const beats = setInterval(() => void cluster.heartbeat(owner).catch(() => {}), silenceMs / 5);
  try {
    await migration.apply(connection, (done) => log({ version, done }, 'changing the stored data'));
  } finally {
    clearInterval(beats);
  }
  const ms = Math.round(performance.now() - startedAt);
  if (await cluster.finishMigration(version, owner)) log({ version, ms }, 'the stored data has been changed');
}

function isSameHolder(a: ClusterRecord['migration'], b: ClusterRecord['migration']): boolean {
  return a?.owner === b?.owner && a?.beat === b?.beat;
}

/** Returns true for a database without accounts, which no service has used. */
async function isEmpty(connection: Connection): Promise<boolean> {
  return (await connection.collection('accounts').findOne({}, { projection: { _id: 1 } })) === null;
}
