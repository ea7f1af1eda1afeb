import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CheckLine } from '#contract';
import { adminCommand } from '../admin-command.ts';
import type { Config } from '../config/index.ts';
import type { DatabaseFacts } from '../db/index.ts';
import { locateStore, openFiles, STORE_ID_KEY, type StoreTrial, tryStore } from '../storage/index.ts';
import { ownerOfFiles } from './check-disk.ts';
import { linesOf } from './lines.ts';
import { systemCodeOf } from './network-failure.ts';

interface StoreCheckInput {
  config: Config['storage'];
  /** What the database says; null if it could not be looked at. */
  facts: Promise<DatabaseFacts | null>;
}

type Lines = ReturnType<typeof linesOf>;

/** Tries the store of files, and looks if it holds the files of this database. */
export async function checkStore({ config, facts }: StoreCheckInput): Promise<CheckLine[]> {
  const place = locateStore(config);
  if (!place) return checkFolder({ config, facts });
  const address = place.endpoint === undefined ? `Amazon S3 in ${place.region}` : new URL(place.endpoint).origin;
  const line = linesOf('store', `bucket ${place.bucket} at ${address} (FILES_URL): put, read, list and delete a file`);
  const troubles = (await tryInScratch(config)).filter(({ level, tried }) => level !== 'ok' && tried !== 'clock');
  const told = troubles.map((trial) => tell(trial, line));
  if (told.some(({ state }) => state === 'fault')) return told;
  const owner = await judgeOwner(config, await facts, line);
  return owner.state === 'ok' && told.length > 0 ? told : [owner, ...told];
}

/** The folder itself is tried as the disk. */
async function checkFolder({ config, facts }: StoreCheckInput): Promise<CheckLine[]> {
  const folder = join(resolve(config.DATA_DIR), 'files');
  const line = linesOf('store', `${folder} (DATA_DIR)`);
  try {
    if ((await ownerOfFiles(folder)) === 'nobody') return [line.ok('new', 'not there yet; the first start makes it')];
    return [await judgeOwner(config, await facts, line)];
  } catch (error) {
    const remedy = 'look at the rights of the folder and at the disk';
    return [line.fault('unreadable', `it cannot be read (${systemCodeOf(error)})`, remedy)];
  }
}

/** The folder for the file that is sent is not made where the service has not been started yet, or by another user. */
async function tryInScratch(config: Config['storage']): Promise<StoreTrial[]> {
  const isThere = await ownerOfFiles(resolve(config.DATA_DIR)).catch(() => 'another');
  if (isThere === 'own') return (await tryStore(config)).trials;
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-check-'));
  try {
    return (await tryStore({ ...config, DATA_DIR: folder })).trials;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function tell({ level, code, settings, came, remedy }: StoreTrial, line: Lines): CheckLine {
  const advice = `${settings}: ${remedy ?? 'look into the log of the store'}`;
  return level === 'fault' ? line.fault(code, came, advice) : line.warning(code, came, advice);
}

async function judgeOwner(config: Config['storage'], facts: DatabaseFacts | null, line: Lines): Promise<CheckLine> {
  const { store } = await openFiles(config);
  const opened = await store.open(STORE_ID_KEY);
  const found = opened && (await text(opened.stream)).trim();
  const expected = facts?.storeId ?? null;
  if (expected === null) return line.ok('works', 'it works');
  if (found === expected) return line.ok('works', 'it works, and holds the files of this database');
  const remedy = `set FILES_URL or DATA_DIR as on the other servers; if the files are lost or were copied here, \`${adminCommand('files accept')}\``;
  return found === null
    ? line.fault('no_files', 'the files of this database are not there', remedy)
    : line.fault('other_files', 'it holds the files of another database', remedy);
}
