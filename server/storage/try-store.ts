import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { StartError, StoreAwayError, type StoreTrouble } from '../errors.ts';
import type { StorageConfig } from './config.ts';
import { type Files, openFiles } from './store-identity.ts';
import type { StoreAction } from './store-trouble.ts';

/** One thing that was tried on the store of files, and what came of it. */
export interface StoreTrial {
  /** An action, or a fact that was looked at. */
  tried: StoreAction | 'versions' | 'clock';
  /** `fault`: the service cannot work so; `warning`: it lacks something. */
  level: 'ok' | 'warning' | 'fault';
  /** Cause of the refusal, or `ok`; it never holds the body of an answer or a secret. */
  code: string;
  /** Settings to look at. */
  settings: string;
  /** What came, in words. */
  came: string;
  /** What to do; null if there is nothing. */
  remedy: string | null;
}

/** Report on the store of files. */
export interface StoreReport {
  place: string;
  trials: StoreTrial[];
}

/** Refusals of a write with which the service still sends what is stored. */
const LASTING = new Set(['access_denied', 'full', 'encryption', 'storage_class', 'ENOSPC', 'EDQUOT']);
/** Difference of clocks that is told, in milliseconds. */
const CLOCK_MS = 60_000;

/**
 * Tries the configured store with one small file, whose key is always the same on this server: put, read, list, delete. Needs no
 * database, and stops at the first failure that the next action would meet too.
 */
export async function tryStore(config: StorageConfig): Promise<StoreReport> {
  try {
    const files = await openFiles(config);
    await files.scratch.prepare();
    return { place: files.store.place, trials: await tryAll(files, probeKey(config)) };
  } catch (error) {
    const place = config.FILES_URL ?? config.DATA_DIR;
    return { place, trials: [asTrial('store', error)] };
  }
}

/** Throws the first fault of a report, and passes each warning to `warn`. @throws StartError */
export function requireUsable({ trials }: StoreReport, warn: (facts: object, line: string) => void): void {
  const lineOf = ({ settings, came, remedy }: StoreTrial) => `${settings}: ${came}; ${remedy}`;
  const fault = trials.find(({ level }) => level === 'fault');
  if (fault) throw new StartError(lineOf(fault));
  for (const trial of trials) {
    const { tried, level, code } = trial;
    if (level === 'warning') warn({ tried, code }, lineOf(trial));
  }
}

function probeKey({ DATA_DIR }: StorageConfig): string {
  const server = createHash('sha256')
    .update(`${hostname()} ${resolve(DATA_DIR)}`)
    .digest('hex')
    .slice(0, 16);
  return `${FOLDER}/${server}.txt`;
}

/** Beside the folders of the service, whose sweeps do not look there. */
const FOLDER = 'probes';
const CONTENT = 'Imagewright tries its store with this file\n';

async function tryAll({ store, scratch }: Files, key: string): Promise<StoreTrial[]> {
  const actions: [StoreAction, () => Promise<void>][] = [
    ['store', () => putProbe({ store, scratch }, key)],
    ['read', () => readProbe(store, key)],
    ['list', () => listProbe(store)],
    ['delete', async () => void (await store.removeMany([key]))],
  ];
  const trials: StoreTrial[] = [];
  let isStored = false;
  for (const [tried, run] of actions) {
    const trial = await run().then(
      () => ok(tried, store.place),
      (error: unknown) => asTrial(tried, error),
    );
    // A key that may not write has nothing to read; any other failure is met by all actions.
    if (tried === 'store') isStored = trial.level === 'ok';
    if (tried === 'read' && !isStored && trial.code === 'damaged') continue;
    trials.push(trial);
    if (trial.level === 'fault' && trial.code !== 'access_denied') break;
  }
  return [...trials, ...lookAt(store)];
}

function lookAt({ place, facts }: Files['store']): StoreTrial[] {
  const { keepsVersions = false, clockOffsetMs = 0 } = facts?.() ?? {};
  const trials: StoreTrial[] = [];
  if (keepsVersions) {
    const came = `${place}: the bucket keeps versions, so what is deleted stays in it as an earlier version`;
    const remedy = 'set a lifecycle rule that removes earlier versions (docs/scaling.md), unless they are your backup';
    trials.push({ tried: 'versions', level: 'warning', code: 'keeps_versions', settings: 'FILES_URL', came, remedy });
  }
  if (Math.abs(clockOffsetMs) > CLOCK_MS) {
    const minutes = Math.round(Math.abs(clockOffsetMs) / 60_000);
    const came = `${place}: the clock of this machine is ${minutes} minutes ${clockOffsetMs > 0 ? 'behind' : 'ahead of'} that of the store`;
    trials.push({
      tried: 'clock',
      level: 'warning',
      code: 'clock',
      settings: 'FILES_URL',
      came,
      remedy: 'set the clock (NTP)',
    });
  }
  return trials;
}

async function putProbe({ store, scratch }: Files, key: string): Promise<void> {
  const file = scratch.newFile();
  await writeFile(file, CONTENT, { flush: true, mode: 0o600 });
  try {
    const sha256 = createHash('sha256').update(CONTENT).digest('hex');
    await store.putFile(key, file, { size: CONTENT.length, contentType: 'text/plain', sha256 });
  } finally {
    await scratch.discard([file]);
  }
}

/** @throws Error with code `damaged` if other bytes come back */
async function readProbe(store: Files['store'], key: string): Promise<void> {
  const opened = await store.open(key);
  if (opened && (await text(opened.stream)) === CONTENT) return;
  throw Object.assign(new Error('the store gives other bytes back'), { code: 'damaged' });
}

async function listProbe(store: Files['store']): Promise<void> {
  for await (const _ of store.list(FOLDER)) return;
}

function ok(tried: StoreAction, place: string): StoreTrial {
  return {
    tried,
    level: 'ok',
    code: 'ok',
    settings: 'FILES_URL',
    came: `${place}: it can ${tried} files`,
    remedy: null,
  };
}

function asTrial(tried: StoreAction, error: unknown): StoreTrial {
  const { code, settings, came, remedy } = troubleOf(error);
  const isLasting = (tried === 'store' && LASTING.has(code)) || (tried === 'delete' && code !== 'silent');
  return { tried, level: isLasting ? 'warning' : 'fault', code, settings, came, remedy };
}

function troubleOf(error: unknown): StoreTrouble {
  if (error instanceof StoreAwayError && error.trouble) return error.trouble;
  const { code = 'unknown', message } = error as NodeJS.ErrnoException;
  if (error instanceof StartError) {
    const [settings = 'FILES_URL', ...rest] = message.split(': ');
    const [came = '', ...remedy] = rest.join(': ').split('; ');
    return { code: 'settings', settings, came, remedy: remedy.join('; ') };
  }
  const remedy = code === 'damaged' ? 'look at the store' : 'let the user of the service write and read there';
  return { code, settings: 'DATA_DIR, FILES_URL', came: `the files cannot be used (${message})`, remedy };
}
