import { setTimeout as sleep } from 'node:timers/promises';
import { buildOpenApi, type Limits } from '#contract';
import { type BackgroundTask, startBackgroundTasks } from './background-tasks.ts';
import { checkReadiness } from './check-readiness.ts';
import type { Chore } from './cluster/index.ts';
import { configuredUrl, openConfiguredDatabase } from './compose-accounts.ts';
import { composeModules, type Modules } from './compose-modules.ts';
import type { Config } from './config/index.ts';
import { createProof, createSharedCheck } from './doctor/index.ts';
import { createApp, createArrivingBytes, createOpenApi, createOpenRequests, type Services } from './http/index.ts';
import { createLastHour, createLogger, type Logger } from './observability/index.ts';
import { tellOutagesOnce } from './outages.ts';
import { readableFormats } from './processing/index.ts';
import { createUrlImporter } from './sessions/index.ts';
import type { PasswordHash } from './sign-in/index.ts';
import { prepareFiles } from './storage/index.ts';
import { VERSION } from './version.ts';

/** Interval of the tasks that recover interrupted work, in ms. */
const RECOVERY_MS = 5000;
/** Interval at which a server looks for jobs that others have handed over, in ms. */
const TAKE_OVER_MS = 500;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longest wait for another process to release the embedded database, in ms. */
const EXCLUSIVE_TIMEOUT_MS = 5000;
/** Longest wait for background tasks during a stop, in ms; the next start repeats them. */
const TASKS_STOP_MS = 3500;

/** Parts of {@link composeService} that its configuration does not state. */
interface ServiceParts {
  /** Called if the embedded database exits unexpectedly; the service cannot continue. */
  onDatabaseLost?: () => void;
  /** @default hashes of the recommended cost */
  passwords?: PasswordHash;
}

/**
 * Constructs the whole service. Nothing listens and no worker runs before `start`.
 */
export async function composeService(
  config: Config,
  plainLogger = createLogger({ level: config.observability.LOG_LEVEL, format: config.observability.LOG_FORMAT }),
  { onDatabaseLost, passwords }: ServiceParts = {},
) {
  const opened = await openConfiguredDatabase(config, plainLogger, {
    onDatabaseLost,
    aloneWithinMs: EXCLUSIVE_TIMEOUT_MS,
  });
  const stopping = new AbortController();
  const { ping } = opened.database;
  const logger = tellOutagesOnce({ logger: plainLogger, ping, stopping: stopping.signal });
  let url = configuredUrl(config);
  const modules = await composeModules({
    config,
    database: opened.database,
    logger,
    publicUrl: () => url,
    isAlone: opened.exclusive,
    passwords,
  });
  const state: ServiceState = {
    config,
    logger,
    modules,
    ...opened,
    background: [],
    lastHour: createLastHour(async () => ({ ...(await modules.metrics.totals()), ...readQueue(modules) })),
    stopping,
  };
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
      sendMails(state, address);
    },

    /** Starts the workers, resumes interrupted work and starts the background tasks. */
    start: (): Promise<void> => start(state),

    /**
     * Stops gracefully: says for `DRAIN_SECONDS` that it is not ready, admits no new jobs, waits up to `SHUTDOWN_SECONDS` for running ones, hands the rest over to the
     * next start, and closes everything. Calls `closeServer` once no stream needs it.
     */
    stop: (closeServer: () => Promise<void> = async () => {}): Promise<void> => stop(state, closeServer),
  };
}

const MODEL_STATE = {
  none: 'off',
  ready: 'ready',
  unverified: 'unverified',
  loading: 'loading',
  blind: 'unavailable',
  open: 'unavailable',
} as const;

/** The composed service. */
export type Service = Awaited<ReturnType<typeof composeService>>;

interface ServiceState extends Awaited<ReturnType<typeof openConfiguredDatabase>> {
  config: Config;
  logger: Logger;
  modules: Modules;
  background: ReturnType<typeof startBackgroundTasks>[];
  lastHour: ReturnType<typeof createLastHour>;
  /** Aborts when the service begins to stop. */
  stopping: AbortController;
  /** Address at which the service listens, once it does. */
  ownUrl?: string;
}

/** Connects the gauges that are read at each scrape. */
function observe({ metrics, streams, processor, jobs, scratch, signIn, analysis }: Modules): void {
  metrics.watchStreams(() => streams.size);
  metrics.watchSurroundings(async () => {
    const [disk, mail] = await Promise.all([scratch.disk().catch(() => null), signIn.mailState()]);
    return { disk, mailsWaiting: mail.waiting, describes: analysis.state().reason === null };
  });
  metrics.watchQueue(() => {
    const { workers, memoryBytes, queues } = processor.stats();
    const { encoding, probing } = queues;
    const queued = { jobs: jobs.stats().waiting, encoding: encoding.queued, probing: probing.queued };
    return { workers, busyWorkers: { encoding: encoding.busy, probing: probing.busy }, memoryBytes, queued };
  });
}

/** Reads how many images of jobs wait, and how many workers process an image. */
function readQueue({ jobs, processor }: Modules): { waiting: number; busy: number } {
  const { encoding, probing } = processor.stats().queues;
  return { waiting: jobs.stats().waiting, busy: encoding.busy + probing.busy };
}

function httpServices(state: ServiceState): Services {
  const { config, logger, modules } = state;
  const { scratch, analysis, processor: _, ...services } = modules;
  return {
    ...services,
    urlImporter:
      config.sessions.URL_IMPORT === 'on'
        ? createUrlImporter({ limits: { maxFileBytes: config.http.MAX_FILE_MB * 1_000_000 } })
        : undefined,
    newTemporaryFile: scratch.newFile,
    removeTemporaryFiles: scratch.discard,
    freeBytes: scratch.freeBytes,
    downloads: config.storage.DOWNLOADS,
    openUploads: createOpenRequests(),
    arrivingBytes: createArrivingBytes(),
    openStreams: createOpenRequests(),
    config: config.http,
    logger,
    openApi: createOpenApi(() => buildOpenApi(VERSION, { urlImport: config.sessions.URL_IMPORT === 'on' })),
    limits: limitsOf(config),
    describeHealth() {
      const { provider, status, reason } = analysis.state();
      return { analysis: { provider, status, reason } };
    },
    descriptionsBy: () => analysis.state().place,
    describeState: () => describeState(state),
    checkInstallation: createSharedCheck(state),
    proof: createProof(modules.pepper),
    servesApi: config.jobs.ROLE !== 'worker',
    stopping: state.stopping.signal,
    checkReadiness: () => checkReadiness(state),
  };
}

/** Describes what an operator wants to see of this server. */
async function describeState({ modules, lastHour, logger }: ServiceState): ReturnType<Services['describeState']> {
  const { analysis, metrics, processor, scratch } = modules;
  const now = new Date();
  const { provider, model, status, reason } = analysis.state();
  return {
    version: VERSION,
    checkedAt: now.toISOString(),
    answers: {
      since: new Date(now.getTime() - process.uptime() * 1000).toISOString(),
      ...(await metrics.totals()),
    },
    lastHour: await lastHour.report(),
    disk: await scratch.disk().catch((error: unknown) => {
      logger.warn({ err: error }, 'the disk could not be read');
      return null;
    }),
    model: { provider, name: model, state: MODEL_STATE[status], reason },
    queue: { ...readQueue(modules), workers: processor.stats().workers },
  };
}

function limitsOf({ analysis, http, processing, sessions }: Config): Limits {
  return {
    maxFileBytes: http.MAX_FILE_MB * 1_000_000,
    maxPixels: processing.MAX_PIXELS,
    maxImagesPerSession: sessions.MAX_IMAGES_PER_SESSION,
    formats: readableFormats(processing),
    sessionHours: sessions.SESSION_TTL_HOURS,
    describes: analysis.AI_PROVIDER !== 'none',
  };
}

/** Sends mails once the service listens; before that the links in them could not be opened. */
function sendMails(state: ServiceState, ownUrl: string): void {
  // The address of a worker is not that of the pages.
  if (state.ownUrl !== undefined || state.config.jobs.ROLE === 'worker') return;
  state.ownUrl = ownUrl;
  const { signIn } = state.modules;
  const task = { name: 'send mails', everyMs: RECOVERY_MS, atOnce: true, run: signIn.deliver };
  state.background.push(startBackgroundTasks([task], state.logger));
}

async function start(state: ServiceState): Promise<void> {
  const { exclusive, logger, modules, database } = state;
  const { scratch, processor, analysis, jobs } = modules;
  await prepareFiles(modules, state.config.storage, database.cluster, logger);
  // Before any work, since this process is not writing any of these files yet.
  await scratch.sweep({ minAgeMs: exclusive ? 0 : HOUR_MS });
  await processor.start();
  await analysis.start();
  if (exclusive) await modules.chores.forgetOthers();
  warnOfMissingLimits(state);
  await settlePending(state, exclusive ? 0 : undefined);
  await jobs.recover({ alone: exclusive });
  state.background.push(startBackgroundTasks(backgroundTasks(state), logger));
}

/** Warns if sign-up is open and its plan has no limits. */
function warnOfMissingLimits({ modules, logger }: ServiceState): void {
  const { accounts, signIn } = modules;
  const { plan, missing } = accounts.plans.missingLimits();
  if (signIn.options().signUp !== 'open' || missing.length === 0) return;
  logger.warn({ plan, missing }, 'sign-up is open, but the plan of new accounts lacks limits; see PLANS');
}

/** Returns the periodic tasks; each is separate, so that a failing one does not stop the others. */
function backgroundTasks(state: ServiceState): BackgroundTask[] {
  const { chores, scratch, jobs, disposal, accountRemoval, exports, sweepRefused } = state.modules;
  const sweepMs = state.config.sessions.SWEEP_SECONDS * 1000;
  const deletes = true;
  const ofCluster: Chore[] = [
    { name: 'complete pending ledger entries', everyMs: RECOVERY_MS, run: () => settlePending(state) },
    { name: 'settle charges', everyMs: sweepMs, run: () => settleAbandoned(state) },
    { name: 'remove sessions', everyMs: sweepMs, deletes, run: disposal.sweep },
    { name: 'remove accounts', everyMs: sweepMs, deletes, run: accountRemoval.sweep },
    { name: 'remove refused files', everyMs: sweepMs, deletes, run: sweepRefused },
    { name: 'trim the cache', everyMs: sweepMs, deletes, run: exports.sweepCache },
    { name: 'remove orphaned folders', everyMs: HOUR_MS, atOnce: true, deletes, run: disposal.sweepOrphans },
    { name: 'remove orphaned variants', everyMs: HOUR_MS, atOnce: true, deletes, run: exports.sweepOrphans },
  ];
  return [
    { name: 'resume jobs', everyMs: state.exclusive ? RECOVERY_MS : TAKE_OVER_MS, run: () => jobs.recover() },
    {
      name: 'remove temporary files',
      everyMs: HOUR_MS,
      run: () => scratch.sweep({ minAgeMs: HOUR_MS }),
    },
    { name: 'look at the load', everyMs: MINUTE_MS, run: state.lastHour.look },
    ...ofCluster.map(chores.once),
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
  state.stopping.abort();
  // Requests are served as before, while readiness says that they should go elsewhere.
  await sleep(config.http.DRAIN_SECONDS * 1000);
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
