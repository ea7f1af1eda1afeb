import { join, resolve } from 'node:path';
import { buildOpenApi } from '#contract';
import { type Accounts, createAccounts, loadPepper } from './accounts/index.ts';
import { createAnalysis, createAnalyzeImages } from './analysis/index.ts';
import { startBackgroundTasks } from './background-tasks.ts';
import { type Config, loadConfig } from './config/index.ts';
import { type Database, EMBEDDED_PATIENCE_MS, openDatabase, startEmbedded } from './db/index.ts';
import { createExports } from './exports/index.ts';
import { createGateway } from './gateway/index.ts';
import { createApp, type Services } from './http/index.ts';
import { createJobs } from './jobs/index.ts';
import { createLogger, createMetrics, type Logger } from './observability/index.ts';
import { createProcessor } from './processing/index.ts';
import { createSessionDisposal, createSessions, createUrlImporter } from './sessions/index.ts';
import { createStreamRegistry } from './sse/index.ts';
import { createLocalStore } from './storage/index.ts';
import { VERSION } from './version.ts';

/** Interrupted work is looked for this often, in milliseconds. */
const RECOVERY_MS = 5000;
const HOUR_MS = 3_600_000;

interface OpenedDatabase {
  database: Database;
  /** True when no other process can be working on the data. */
  exclusive: boolean;
  close(): Promise<void>;
}

/** Connects to the configured MongoDB, or to the embedded one below `DATA_DIR`, which is started when nobody serves it. */
async function openConfiguredDatabase(
  config: Config,
  logger: Logger,
  onDatabaseLost?: () => void,
): Promise<OpenedDatabase> {
  if (config.db.MONGODB_URI) {
    const database = await openDatabase({ uri: config.db.MONGODB_URI });
    return { database, exclusive: false, close: () => database.close() };
  }
  const directory = join(resolve(config.storage.DATA_DIR), 'db');
  const embedded = await startEmbedded({
    directory,
    logger: { warn: (message) => logger.warn(message) },
    onEnd: onDatabaseLost,
  });
  const database = await openDatabase({ uri: embedded.uri, patienceMs: EMBEDDED_PATIENCE_MS });
  return {
    database,
    exclusive: embedded.owner,
    async close() {
      await database.close();
      await embedded.close();
    },
  };
}

async function composeAccounts(config: Config, database: Database): Promise<Accounts> {
  const directory = resolve(config.storage.DATA_DIR);
  const pepper = await loadPepper({ directory, override: config.accounts.API_KEY_PEPPER });
  return createAccounts({ repositories: database, pepper, config: config.accounts });
}

/** Opens the accounts alone, beside a running service or without one: for administration. */
export async function openAccounts(env: NodeJS.ProcessEnv): Promise<{ accounts: Accounts; close(): Promise<void> }> {
  const config = loadConfig(env);
  const logger = createLogger({ level: 'silent', format: 'json' });
  const { database, close } = await openConfiguredDatabase(config, logger);
  return { accounts: await composeAccounts(config, database), close };
}

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
  const { database, exclusive, close: closeDatabase } = await openConfiguredDatabase(config, logger, onDatabaseLost);
  if (!config.db.MONGODB_URI && !exclusive) {
    await closeDatabase();
    throw new Error(`DATA_DIR ${resolve(config.storage.DATA_DIR)} is in use by another running service`);
  }
  const accounts = await composeAccounts(config, database);
  const gateway = createGateway({ accounts, idempotencyRecords: database.idempotency, config: config.gateway });
  const store = createLocalStore({ directory: join(config.storage.DATA_DIR, 'files') });
  const processor = createProcessor({
    config: config.processing,
    logger,
    metrics: { encodeSeconds: (format, seconds) => metrics.encodeFinished({ format, seconds }) },
  });
  const sessions = createSessions({ repositories: database, store, processor, config: config.sessions });
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
  const streams = createStreamRegistry();
  let stopping = false;

  const services: Services = {
    accounts,
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

  let background: ReturnType<typeof startBackgroundTasks> | undefined;
  return {
    app: createApp(services),
    accounts,
    logger,
    processor,
    exports,
    jobs,
    disposal,

    /** Starts the workers, takes up what an interruption left, and begins the regular chores. */
    async start(): Promise<void> {
      await store.prepare();
      // Before any work: of what lies there now, nothing is being written by this process.
      await store.sweepTemporaryFiles({ minAgeMs: exclusive ? 0 : HOUR_MS });
      await processor.start();
      await analysis.start();
      if (exclusive) await jobs.endAllLeases();
      await settlePending(exclusive ? 0 : undefined);
      await jobs.recover();
      const sweepMs = config.sessions.SWEEP_SECONDS * 1000;
      // Each chore is a task of its own: one that fails keeps no other from its turn.
      background = startBackgroundTasks(
        [
          { name: 'settle movements', everyMs: RECOVERY_MS, run: () => settlePending() },
          { name: 'take up jobs', everyMs: RECOVERY_MS, run: jobs.recover },
          { name: 'remove sessions', everyMs: sweepMs, run: disposal.sweep },
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
    },

    /**
     * Stops gracefully: admits nothing more, lets running jobs end for up to `SHUTDOWN_SECONDS`, hands the rest over to
     * the next start, and closes everything. `closeServer` is called once no stream is needed any more.
     */
    async stop(closeServer: () => Promise<void> = async () => {}): Promise<void> {
      stopping = true;
      jobs.close();
      await background?.stop();
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
