import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CheckLine } from '#contract';
import { fingerprintOf } from '../accounts/index.ts';
import { adminCommand } from '../admin-command.ts';
import { requireNoHalfRestore } from '../backup/index.ts';
import type { Config } from '../config/index.ts';
import { type Database, type DatabaseFacts, lookAtDatabase, startEmbedded } from '../db/index.ts';
import { StartError } from '../errors.ts';
import { ownerOfFiles } from './check-disk.ts';
import { explainDatabase } from './explain-database.ts';
import { linesOf } from './lines.ts';
import { systemCodeOf } from './network-failure.ts';

interface DatabaseCheckInput {
  config: Pick<Config, 'db' | 'storage'>;
  /** The database of this process; absent: one is opened for the look. */
  database?: Pick<Database, 'look'> | undefined;
  /** Secret of the API keys; null if there is none yet. */
  pepper: Buffer | null;
  limitMs: number;
}

/** Result of the check of the database. */
export interface CheckedDatabase {
  lines: CheckLine[];
  /** Null if it could not be looked at. */
  facts: DatabaseFacts | null;
}

/** Time after which an embedded database would remove expired documents, in seconds: never during a check. */
const NO_EXPIRY_SECONDS = 86_400;

/** Looks at the database without changing data. */
export async function checkDatabase(input: DatabaseCheckInput): Promise<CheckedDatabase> {
  const { MONGODB_URI: uri } = input.config.db;
  return uri === undefined ? checkEmbedded(input) : checkServer(input, uri);
}

async function checkServer({ database, pepper, limitMs }: DatabaseCheckInput, uri: string): Promise<CheckedDatabase> {
  const line = linesOf('database', `${placeOf(uri)} (MONGODB_URI)`);
  try {
    const facts = await (database?.look() ?? lookAtDatabase({ uri, timeoutMs: limitMs / 2 }));
    return { lines: judge(facts, pepper, line), facts };
  } catch (error) {
    const { code, found, remedy } = await explainDatabase(error, uri);
    return { lines: [line.fault(code, found, remedy)], facts: null };
  }
}

async function checkEmbedded({ config, database, pepper, limitMs }: DatabaseCheckInput): Promise<CheckedDatabase> {
  const dataDirectory = resolve(config.storage.DATA_DIR);
  const directory = join(dataDirectory, 'db');
  const line = linesOf('database', `the embedded one in ${directory} (DATA_DIR)`);
  try {
    if (database) {
      const facts = await database.look();
      return { lines: judge(facts, pepper, line), facts };
    }
    const owner = await ownerOfFiles(directory);
    if (owner === 'nobody') return { lines: [line.ok('new', 'not there yet; the first start makes it')], facts: null };
    if (owner === 'another') {
      const remedy = 'run the check as the user of the service';
      return { lines: [line.off('other_user', 'not opened: it belongs to another user', remedy)], facts: null };
    }
    await requireNoHalfRestore(dataDirectory);
    const facts = await lookAtEmbedded(directory, limitMs);
    return { lines: judge(facts, pepper, line), facts };
  } catch (error) {
    if (error instanceof StartError) {
      const remedy = `remove the contents of ${dataDirectory} and repeat \`${adminCommand('restore')}\``;
      return {
        lines: [line.fault('half_restored', 'a restore was interrupted, so data is missing', remedy)],
        facts: null,
      };
    }
    const code = systemCodeOf(error);
    const remedy = 'look at rights, space and disk of this folder; if it is damaged, restore a backup';
    return { lines: [line.fault('unusable', `it cannot be opened${code && ` (${code})`}`, remedy)], facts: null };
  }
}

async function lookAtEmbedded(directory: string, limitMs: number): Promise<DatabaseFacts> {
  // A directory is expected; what is none would be replaced by nothing.
  if (!(await stat(directory)).isDirectory()) throw Object.assign(new Error('no directory'), { code: 'ENOTDIR' });
  const embedded = await startEmbedded({ directory, ttlSeconds: NO_EXPIRY_SECONDS });
  try {
    return await lookAtDatabase({ uri: embedded.uri, timeoutMs: limitMs / 2 });
  } finally {
    await embedded.close();
  }
}

/** Returns the address in a connection string; some words instead where a password might be taken for it. */
function placeOf(uri: string): string {
  const rest = uri.slice(Math.max(uri.lastIndexOf('@') + 1, uri.indexOf('://') + 3));
  const [, hosts = ''] = /^([\w.:,[\]-]+)(?:[/?]|$)/.exec(rest) ?? [];
  const isClear = hosts !== '' && !/[?#].*@/.test(uri);
  return isClear ? `mongodb://${hosts}` : 'the server';
}

function judge(facts: DatabaseFacts, pepper: Buffer | null, line: ReturnType<typeof linesOf>): CheckLine[] {
  const { version, isTooOld, isNewer, pepperFingerprint } = facts;
  if (isTooOld) return [line.fault('too_old', `it is MongoDB ${version}`, 'use MongoDB 6.0 or newer')];
  if (isNewer) {
    const found = `a newer version of the service has written the data (number ${facts.dataVersion})`;
    return [line.fault('newer_data', found, 'start that version, or restore a backup of this one')];
  }
  if (pepperFingerprint !== null && (pepper === null || fingerprintOf(pepper) !== pepperFingerprint)) {
    const found = 'its API keys were stored with another secret than this program has';
    const remedy = `set API_KEY_PEPPER as on the other servers, or copy secrets/api-key-pepper; if it is lost, \`${adminCommand('pepper accept')}\``;
    return [line.fault('other_pepper', found, remedy)];
  }
  return [line.ok('works', facts.dataVersion === null ? 'it answers, and holds nothing yet' : 'it answers')];
}
