import { join } from 'node:path';
import { buildOpenApi } from '#contract';
import { createAccountRemoval } from './accounts/index.ts';
import { createAnalysis, createAnalyzeImages } from './analysis/index.ts';
import { startBackgroundTasks } from './background-tasks.ts';
import { composeAccounts, configuredUrl, openConfiguredDatabase } from './compose-accounts.ts';
import type { Config } from './config/index.ts';
import { AppError } from './errors.ts';
import { createExports } from './exports/index.ts';
import { createGateway, createSessionCookie } from './gateway/index.ts';
import { createApp, type Services } from './http/index.ts';
import { createJobs } from './jobs/index.ts';
import { createLogger, createMetrics } from './observability/index.ts';
import { createProcessor } from './processing/index.ts';
import { createSessionDisposal, createSessions, createUrlImporter } from './sessions/index.ts';
import { createStreamRegistry } from './sse/index.ts';
import { createLocalStore } from './storage/index.ts';
import { VERSION } from './version.ts';

/** Interrupted work is looked for this often, in milliseconds. */
const RECOVERY_MS = 5000;
const HOUR_MS = 3_600_000;
/** An administration command that has the database, or the service before this one, may need so long to end. */
const ALONE_WITHIN_MS = 5000;
/** What a stop waits for the regular chores; the next start does them again. */
const CHORES_STOP_MS = 3500;

/**
 * Constructs the whole service. Nothing listens and no worker runs before `start`.
 * @param onDatabaseLost hears that the embedded database of this process ended unasked; nothing works from then on
 */
export async function composeService(
  config: Config,
  logger = createLogger(loggerOptions(config)),
  onDatabaseLost?: () => void,
) {
  const metrics = createMetrics();
  const {
    database,
    exclusive,
    close: closeDatabase,
  } = await openConfiguredDatabase(config, logger, { onDatabaseLost, aloneWithinMs: ALONE_WITHIN_MS });
  let url = configuredUrl(config);
  const { accounts, signIn } = await composeAccounts(config, database, logger, () => url);
  const gateway = createGateway({
    accounts,
    idempotencyRecords: database.idempotency,
    browserSessions: signIn.browserSessions,
    config: config.gateway,
    cookie: createSessionCookie(config.signIn.LOGIN_COOKIE),
    publicUrl: config.http.PUBLIC_URL,
  });
  const store = createLocalStore({ directory: join(config.storage.DATA_DIR, 'files') });
  const processor = createProcessor({
    config: config.processing,
    logger,
    metrics: { encodeSeconds: (format, seconds) => metrics.encodeFinished({ format, seconds }) },
  });
  const sessions = createSessions({
    repositories: database,
    store,
    processor,
    config: config.sessions,
    async requireAccount(accountId) {
      if (!(await accounts.find(accountId)))
        throw new AppError('invalid_api_key', 'The account does not exist any more');
    },
  });
  const exports = createExports({
    repositories: database,
    sessions,
    store,
    processor,
    config: config.exports,
    logger,
  });
  const analysis = createAnalysis({ processor, store, config: config.analysis, logger, cache: database.visionAnswers });
  const analyzeImages = createAnalyzeImages({ analysis, sessions, repositories: database });
  const jobs = createJobs({
    repositories: database,
    kinds: { export: exports.kind, sample: exports.kind, analyze: analyzeImages.kind },
    requireSession: sessions.find,
    async settle({ _id: jobId, accountId, images }, completed) {
      const credits = await gateway.billing.settle({ accountId, jobId, total: images.length, completed });
      metrics.creditsRefunded(credits.refunded);
      return { credits, perImage: credits.charged / images.length };
    },
    isPaid: ({ accountId, _id }) => gateway.billing.isCharged(accountId, _id),
    config: config.jobs,
    logger,
    metrics,
  });
  const disposal = createSessionDisposal({
    repositories: database,
    store,
    logger,
    stopJobs: jobs.stopSession,
    forgetSources: exports.forgetSources,
  });
  const accountRemoval = createAccountRemoval({
    repositories: database,
    forgetBrowserSessions: signIn.forget,
    async removeData(accountId) {
      if (!(await disposal.deleteAll(accountId))) return false;
      await exports.forgetAccount(accountId);
      await database.visionAnswers.removeOfAccount(accountId);
      await jobs.history.forget(accountId);
      return true;
    },
    logger,
  });
  const streams = createStreamRegistry();
  let stopping = false;
  let reachable = false;

  const services: Services = {
    accounts,
    accountRemoval,
    signIn,
    gateway,
    sessions,
    disposal,
    analyzeImages,
    exports,
    jobs,
    urlImporter: config.sessions.URL_IMPORT === 'on' ? createUrlImporter({ limits: importLimits(config) }) : undefined,
    newTemporaryFile: store.newTemporaryFile,
    removeTemporaryFiles: store.removeTemporaryFiles,
    freeBytes: store.freeBytes,
    streams,
    config: config.http,
    logger,
    metrics,
    openApi: JSON.stringify(buildOpenApi(VERSION)),
    describeHealth() {
      const { provider, status } = analysis.state();
      return { analysis: { provider, status } };
    },
    async checkReadiness() {
      if (stopping) throw new Error('the service is stopping');
      await database.ping();
    },
  };
  metrics.watchStreams(() => streams.size);
  metrics.watchQueue(() => {
    const { workers, busy, memoryBytes } = processor.stats();
    return { workers, busyWorkers: busy, memoryBytes, queued: jobs.stats().waiting };
  });

  const settlePending = async (minAgeMs?: number) => {
    const { stuck } = await accounts.ledger.settlePending({ minAgeMs });
    if (stuck.length > 0) logger.error({ stuck }, 'movements contradict the ledger; see `credits audit`');
  };

  const settleAbandoned = () =>
    gateway.billing.settleAbandoned({
      outcomeOf: jobs.outcomeOf,
      onError: (error, ref) => logger.warn({ err: error, ref }, 'a charge could not be settled'),
    });

  const background: ReturnType<typeof startBackgroundTasks>[] = [];
  return {
    app: createApp(services),
    accounts,
    accountRemoval,
    signIn,
    logger,
    processor,
    exports,
    jobs,
    disposal,

    /**
     * Tells the service where it listens, for the links that it makes; a configured URL goes before. From now on it sends
     * the mails that an earlier run has left: before, nobody could open what they lead to.
     */
    listensAt(address: string): void {
      url = config.http.PUBLIC_URL ?? address;
      if (reachable) return;
      reachable = true;
      const sendMails = { name: 'send mails', everyMs: RECOVERY_MS, atOnce: true, run: signIn.deliver };
      background.push(startBackgroundTasks([sendMails], logger));
    },

    /** Starts the workers, takes up what an interruption left, and begins the regular chores. */
    async start(): Promise<void> {
      await store.prepare();
      // Before any work: of what lies there now, nothing is being written by this process.
      await store.sweepTemporaryFiles({ minAgeMs: exclusive ? 0 : HOUR_MS });
      await processor.start();
      await analysis.start();
      await settlePending(exclusive ? 0 : undefined);
      await jobs.recover({ alone: exclusive });
      const sweepMs = config.sessions.SWEEP_SECONDS * 1000;
      // Each chore is a task of its own: one that fails keeps no other from its turn.
      const chores = startBackgroundTasks(
        [
          { name: 'settle movements', everyMs: RECOVERY_MS, run: () => settlePending() },
          { name: 'take up jobs', everyMs: RECOVERY_MS, run: () => jobs.recover() },
          { name: 'remove sessions', everyMs: sweepMs, run: disposal.sweep },
          { name: 'remove accounts', everyMs: sweepMs, run: accountRemoval.sweep },
          { name: 'trim the cache', everyMs: sweepMs, run: exports.sweepCache },
          { name: 'settle charges', everyMs: sweepMs, run: settleAbandoned },
          {
            name: 'remove temporary files',
            everyMs: HOUR_MS,
            run: () => store.sweepTemporaryFiles({ minAgeMs: HOUR_MS }),
          },
          { name: 'remove orphaned folders', everyMs: HOUR_MS, atOnce: true, run: disposal.sweepOrphans },
          { name: 'remove orphaned variants', everyMs: HOUR_MS, atOnce: true, run: exports.sweepOrphans },
        ],
        logger,
      );
      background.push(chores);
    },

    /**
     * Stops gracefully: admits nothing more, lets running jobs end for up to `SHUTDOWN_SECONDS`, hands the rest over to
     * the next start, and closes everything. `closeServer` is called once no stream is needed any more.
     */
    async stop(closeServer: () => Promise<void> = async () => {}): Promise<void> {
      stopping = true;
      jobs.close();
      // At once: the mails that still wait are sent by the next start, and a chore is at it.
      await Promise.all([signIn.close(), ...background.map(({ stop }) => stop(CHORES_STOP_MS))]);
      await jobs.drain(config.http.SHUTDOWN_SECONDS * 1000);
      streams.closeAll();
      await closeServer();
      await analysis.close();
      await processor.close();
      await closeDatabase();
    },
  };
}

/** The composed service. */
export type Service = Awaited<ReturnType<typeof composeService>>;

function loggerOptions({ observability }: Config) {
  return { level: observability.LOG_LEVEL, format: observability.LOG_FORMAT };
}

function importLimits({ http }: Config) {
  return { maxFileBytes: http.MAX_FILE_MB * 1_000_000, timeoutMs: 10_000, maxRedirects: 3 };
}
