import { buildOpenApi } from '#contract';
import { type BackgroundTask, startBackgroundTasks } from './background-tasks.ts';
import { configuredUrl, openConfiguredDatabase } from './compose-accounts.ts';
import { composeModules, type Modules } from './compose-modules.ts';
import type { Config } from './config/index.ts';
import { createApp, createOpenUploads, type Services } from './http/index.ts';
import { createLogger, type Logger } from './observability/index.ts';
import { createUrlImporter } from './sessions/index.ts';
import { VERSION } from './version.ts';

/** Interval of the tasks that recover interrupted work, in ms. */
const RECOVERY_MS = 5000;
const HOUR_MS = 3_600_000;
/** Longest wait for another process to release the embedded database, in ms. */
const EXCLUSIVE_TIMEOUT_MS = 5000;
/** Longest wait for background tasks during a stop, in ms; the next start repeats them. */
const TASKS_STOP_MS = 3500;

/**
 * Constructs the whole service. Nothing listens and no worker runs before `start`.
 * @param onDatabaseLost called if the embedded database exits unexpectedly; the service cannot continue
 */
export async function composeService(
  config: Config,
  logger = createLogger({ level: config.observability.LOG_LEVEL, format: config.observability.LOG_FORMAT }),
  onDatabaseLost?: () => void,
) {
  const opened = await openConfiguredDatabase(config, logger, { onDatabaseLost, aloneWithinMs: EXCLUSIVE_TIMEOUT_MS });
  let url = configuredUrl(config);
  const modules = await composeModules({ config, database: opened.database, logger, publicUrl: () => url });
  const state: ServiceState = { config, logger, modules, ...opened, background: [], stopping: false, reachable: false };
  observe(modules);
  const { accounts, accountRemoval, signIn, processor, exports, jobs, disposal } = modules;
  return {
    app: createApp(httpServices(state)),
    accounts,
    accountRemoval,
    signIn,
    logger,
    processor,
    exports,
    jobs,
    disposal,

    /** Sets the address used in links, unless `PUBLIC_URL` is set, and starts to send queued mails. */
    listensAt(address: string): void {
      url = config.http.PUBLIC_URL ?? address;
      sendMails(state);
    },

    /** Starts the workers, resumes interrupted work and starts the background tasks. */
    start: (): Promise<void> => start(state),

    /**
     * Stops gracefully: admits no new jobs, waits up to `SHUTDOWN_SECONDS` for running ones, hands the rest over to the
     * next start, and closes everything. Calls `closeServer` once no stream needs it.
     */
    stop: (closeServer: () => Promise<void> = async () => {}): Promise<void> => stop(state, closeServer),
  };
}

/** The composed service. */
export type Service = Awaited<ReturnType<typeof composeService>>;

interface ServiceState extends Awaited<ReturnType<typeof openConfiguredDatabase>> {
  config: Config;
  logger: Logger;
  modules: Modules;
  background: ReturnType<typeof startBackgroundTasks>[];
  stopping: boolean;
  /** True once the service listens. */
  reachable: boolean;
}

/** Connects the gauges that are read at each scrape. */
function observe({ metrics, streams, processor, jobs }: Modules): void {
  metrics.watchStreams(() => streams.size);
  metrics.watchQueue(() => {
    const { workers, memoryBytes, queues } = processor.stats();
    const { encoding, probing } = queues;
    const queued = { jobs: jobs.stats().waiting, encoding: encoding.queued, probing: probing.queued };
    return { workers, busyWorkers: { encoding: encoding.busy, probing: probing.busy }, memoryBytes, queued };
  });
}

function httpServices(state: ServiceState): Services {
  const { config, logger, modules, database } = state;
  const { store, analysis, processor: _, ...services } = modules;
  return {
    ...services,
    urlImporter: config.sessions.URL_IMPORT === 'on' ? createUrlImporter({ limits: importLimits(config) }) : undefined,
    newTemporaryFile: store.newTemporaryFile,
    removeTemporaryFiles: store.removeTemporaryFiles,
    freeBytes: store.freeBytes,
    openUploads: createOpenUploads({ perAccount: config.http.UPLOADS_PER_ACCOUNT }),
    config: config.http,
    logger,
    openApi: JSON.stringify(buildOpenApi(VERSION, { urlImport: config.sessions.URL_IMPORT === 'on' })),
    describeHealth() {
      const { provider, status } = analysis.state();
      return { analysis: { provider, status } };
    },
    async checkReadiness() {
      if (state.stopping) throw new Error('the service is stopping');
      await database.ping();
    },
  };
}

function importLimits({ http }: Config) {
  return { maxFileBytes: http.MAX_FILE_MB * 1_000_000, timeoutMs: 10_000, maxRedirects: 3 };
}

/** Sends mails once the service listens; before that the links in them could not be opened. */
function sendMails(state: ServiceState): void {
  if (state.reachable) return;
  state.reachable = true;
  const { signIn } = state.modules;
  const task = { name: 'send mails', everyMs: RECOVERY_MS, atOnce: true, run: signIn.deliver };
  state.background.push(startBackgroundTasks([task], state.logger));
}

async function start(state: ServiceState): Promise<void> {
  const { exclusive, logger, modules } = state;
  const { store, processor, analysis, jobs } = modules;
  await store.prepare();
  // Before any work, since this process is not writing any of these files yet.
  await store.sweepTemporaryFiles({ minAgeMs: exclusive ? 0 : HOUR_MS });
  await processor.start();
  await analysis.start();
  warnOfMissingLimits(state);
  await settlePending(state, exclusive ? 0 : undefined);
  await jobs.recover({ alone: exclusive });
  state.background.push(startBackgroundTasks(backgroundTasks(state), logger));
}

/** Warns if anybody may sign up to a plan without limits. */
function warnOfMissingLimits({ modules, logger }: ServiceState): void {
  const { accounts, signIn } = modules;
  const { plan, missing } = accounts.plans.missingLimits();
  if (!signIn.options().signUp || missing.length === 0) return;
  logger.warn({ plan, missing }, 'sign-up is open, but the plan of new accounts lacks limits; see PLANS');
}

/** Returns the periodic tasks; each is separate, so that a failing one does not stop the others. */
function backgroundTasks(state: ServiceState): BackgroundTask[] {
  const { store, jobs, disposal, accountRemoval, exports } = state.modules;
  const sweepMs = state.config.sessions.SWEEP_SECONDS * 1000;
  const sweepTemporaryFiles = () => store.sweepTemporaryFiles({ minAgeMs: HOUR_MS });
  return [
    { name: 'complete pending ledger entries', everyMs: RECOVERY_MS, run: () => settlePending(state) },
    { name: 'resume jobs', everyMs: RECOVERY_MS, run: () => jobs.recover() },
    { name: 'remove sessions', everyMs: sweepMs, run: disposal.sweep },
    { name: 'remove accounts', everyMs: sweepMs, run: accountRemoval.sweep },
    { name: 'trim the cache', everyMs: sweepMs, run: exports.sweepCache },
    { name: 'settle charges', everyMs: sweepMs, run: () => settleAbandoned(state) },
    { name: 'remove temporary files', everyMs: HOUR_MS, run: sweepTemporaryFiles },
    { name: 'remove orphaned folders', everyMs: HOUR_MS, atOnce: true, run: disposal.sweepOrphans },
    { name: 'remove orphaned variants', everyMs: HOUR_MS, atOnce: true, run: exports.sweepOrphans },
  ];
}

async function settlePending({ modules, logger }: ServiceState, minAgeMs?: number): Promise<void> {
  const { stuck } = await modules.accounts.ledger.settlePending({ minAgeMs });
  if (stuck.length > 0) logger.error({ stuck }, 'pending entries contradict the ledger; see `credits audit`');
}

async function settleAbandoned({ modules, logger }: ServiceState): Promise<void> {
  await modules.gateway.billing.settleAbandoned({
    outcomeOf: modules.jobs.outcomeOf,
    onError: (error, ref) => logger.warn({ err: error, ref }, 'a charge could not be settled'),
  });
}

async function stop(state: ServiceState, closeServer: () => Promise<void>): Promise<void> {
  const { config, modules, background } = state;
  const { jobs, signIn, streams, analysis, processor } = modules;
  state.stopping = true;
  jobs.close();
  // Together, because a background task may be sending a mail.
  await Promise.all([signIn.close(), ...background.map((tasks) => tasks.stop(TASKS_STOP_MS))]);
  await jobs.drain(config.http.SHUTDOWN_SECONDS * 1000);
  streams.closeAll();
  await closeServer();
  await analysis.close();
  await processor.close();
  await state.close();
}
