import { resolve } from 'node:path';
import type { CheckedPart, CheckLine, InstallationCheck } from '#contract';
import { CHECKED_PARTS } from '#contract';
import { findPepper } from '../accounts/index.ts';
import { withAbort } from '../concurrency.ts';
import type { Config } from '../config/index.ts';
import type { Database, DatabaseFacts } from '../db/index.ts';
import { locateStore } from '../storage/index.ts';
import { VERSION } from '../version.ts';
import { checkAddress } from './check-address.ts';
import { checkClock } from './check-clock.ts';
import { type CheckedDatabase, checkDatabase } from './check-database.ts';
import { checkDisk } from './check-disk.ts';
import { checkMail } from './check-mail.ts';
import { type CheckedModel, checkModel } from './check-model.ts';
import { checkSettings, type GivenSettings } from './check-settings.ts';
import { checkStore } from './check-store.ts';
import { hideSecrets } from './hide-secrets.ts';
import { linesOf } from './lines.ts';
import { systemCodeOf } from './network-failure.ts';

/** What is checked. */
export interface Installation {
  /** Settings of the modules without a fault. */
  config: Partial<Config>;
  settings: GivenSettings;
  /** The database of this process; absent: one is opened for the look. */
  database?: Pick<Database, 'look'>;
  /** Address at which this process listens, if it does. */
  ownUrl?: string;
}

/** What a check may do beside looking. */
export interface CheckOptions {
  /** Address of a test mail; absent: none is sent. */
  mailTo?: string | undefined;
  /** Asks the vision model about an image, which may cost money. @default false */
  asksModel?: boolean;
  /** Time limit of a check, in milliseconds. @default 10000 */
  limitMs?: number;
}

const LIMIT_MS = 10_000;
/** Part of its time after which a check is asked to end. */
const SOFT = 0.8;
/** Settings that say where a part is. */
const SETTINGS: Partial<Record<CheckedPart, string>> = {
  database: 'MONGODB_URI, DATA_DIR',
  store: 'FILES_URL, DATA_DIR',
  disk: 'DATA_DIR',
  mail: 'SMTP_URL',
  model: 'AI_BASE_URL',
  address: 'PUBLIC_URL',
};
/** A model may think before it answers. */
const MODEL_LIMIT_MS = 60_000;

/** Checks all parts at once, each within its time. Changes nothing but a byte that is written and removed. Never rejects. */
export async function checkInstallation(
  installation: Installation,
  { mailTo, asksModel = false, limitMs = LIMIT_MS }: CheckOptions = {},
): Promise<InstallationCheck> {
  const run = createRun(installation.config, limitMs);
  const checks = startChecks(run, installation, { mailTo, asksModel, limitMs });
  const lines = [...checkSettings(installation.settings), ...(await Promise.all(checks)).flat()];
  const order = (part: CheckedPart) => CHECKED_PARTS.indexOf(part);
  const sorted = hideSecrets(lines, installation.config).sort((a, b) => order(a.part) - order(b.part));
  return {
    version: VERSION,
    checkedAt: new Date().toISOString(),
    ok: sorted.every(({ state }) => state !== 'fault'),
    checks: sorted,
  };
}

/**
 * Creates the check of a service that runs, whose settings are valid. Who asks while a check runs gets the same one.
 * @param service its address is known once it listens
 */
export function createSharedCheck(service: { config: Config; database: Pick<Database, 'look'>; ownUrl?: string }) {
  let running: Promise<InstallationCheck> | undefined;
  const settings = { faults: [], nearMisses: [] };
  return (): Promise<InstallationCheck> => {
    running ??= checkInstallation({ ...service, settings }).finally(() => {
      running = undefined;
    });
    return running;
  };
}

type Run = ReturnType<typeof createRun>;

/** Creates what runs a check within its time, if the settings that it needs are valid. */
function createRun(config: Partial<Config>, limitMs: number) {
  return async function run<Name extends keyof Config>(
    part: CheckedPart,
    needs: Name[],
    check: (config: Pick<Config, Name>, signal: AbortSignal) => Promise<CheckLine[]>,
    ownLimitMs = limitMs,
  ): Promise<CheckLine[]> {
    if (needs.some((name) => config[name] === undefined))
      return [linesOf(part, 'nothing').off('settings', 'its settings are wrong', 'correct the settings named above')];
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error('the check took too long')), ownLimitMs);
    // First the check is asked to end, so that it can say what it has tried.
    const soft = AbortSignal.timeout(Math.round(ownLimitMs * SOFT));
    try {
      return await withAbort(check(config as Pick<Config, Name>, soft), limit.signal);
    } catch (error) {
      const line = linesOf(part, `${SETTINGS[part] ?? part} within ${ownLimitMs / 1000} s`);
      if (limit.signal.aborted)
        return [line.fault('silent', 'no answer in time', 'look if it runs, and for a firewall; then check again')];
      const code = systemCodeOf(error) || (error instanceof Error ? error.name : 'unknown');
      return [line.fault('failed', `the check itself failed (${code})`, 'look into the log, and report it to us')];
    } finally {
      clearTimeout(timer);
    }
  };
}

function startChecks(
  run: Run,
  { config, database, ownUrl }: Installation,
  { mailTo, asksModel, limitMs }: Required<Omit<CheckOptions, 'mailTo'>> & Pick<CheckOptions, 'mailTo'>,
): Promise<CheckLine[]>[] {
  const pepper = readPepper(config);
  const facts = deferred<DatabaseFacts | null>();
  const modelDate = deferred<string | null>();
  const looked = run('database', ['db', 'storage'], async (sound) => {
    const checked: CheckedDatabase = await checkDatabase({ config: sound, database, pepper: await pepper, limitMs });
    facts.resolve(checked.facts);
    return checked.lines;
  }).finally(() => facts.resolve(null));
  const modelLimitMs = asksModel ? Math.max(limitMs, MODEL_LIMIT_MS) : limitMs;
  const asked = run(
    'model',
    ['analysis'],
    async ({ analysis }, signal) => {
      const checked: CheckedModel = await checkModel({ config: analysis, asks: asksModel, signal });
      modelDate.resolve(checked.date);
      return checked.lines;
    },
    modelLimitMs,
  ).finally(() => modelDate.resolve(null));
  // They end with what they wait for.
  const patience = limitMs * 1.5;
  return [
    looked,
    asked,
    run('store', ['storage'], ({ storage }) => checkStore({ config: storage, facts: facts.promise }), patience),
    run('disk', ['storage', 'db'], ({ storage, db }) =>
      checkDisk({ dataDirectory: storage.DATA_DIR, isEmbedded: db.MONGODB_URI === undefined }),
    ),
    run('mail', ['mail'], ({ mail }) => checkMail({ config: mail, to: mailTo, limitMs: limitMs * 0.8 })),
    run(
      'clock',
      ['storage'],
      ({ storage }, signal) => {
        const place = locateStore(storage);
        const storeEndpoint = place && (place.endpoint ?? `https://s3.${place.region}.amazonaws.com`);
        return checkClock({ facts: facts.promise, modelDate: modelDate.promise, storeEndpoint, signal });
      },
      Math.max(patience, modelLimitMs * 1.1),
    ),
    run('address', ['http', 'jobs', 'signIn'], async (sound, signal) =>
      checkAddress({ config: sound, pepper: await pepper, ownUrl, signal }),
    ),
  ];
}

/** Returns the secret of the API keys; null if there is none that can be read. */
async function readPepper({ accounts, storage }: Partial<Config>): Promise<Buffer | null> {
  if (!accounts || !storage) return null;
  const directory = resolve(storage.DATA_DIR);
  return findPepper({ directory, override: accounts.API_KEY_PEPPER }).catch(() => null);
}

function deferred<T>() {
  let resolveIt: (value: T) => void = () => {};
  const promise = new Promise<T>((resolvePromise) => {
    resolveIt = resolvePromise;
  });
  return { promise, resolve: (value: T) => resolveIt(value) };
}
