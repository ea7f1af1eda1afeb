import { join } from 'node:path';
import { type Accounts, createAccountRemoval } from './accounts/index.ts';
import { createAnalysis, createAnalyzeImages } from './analysis/index.ts';
import { createChores } from './cluster/index.ts';
import { composeAccounts } from './compose-accounts.ts';
import type { Config } from './config/index.ts';
import type { Database } from './db/index.ts';
import { AppError } from './errors.ts';
import { createExports } from './exports/index.ts';
import { createGateway, createSessionCookie, type Gateway, payJobs } from './gateway/index.ts';
import { createJobs, type Jobs } from './jobs/index.ts';
import { createMetrics, type Logger } from './observability/index.ts';
import { createProcessor, type Processor } from './processing/index.ts';
import { createSessionDisposal, createSessions } from './sessions/index.ts';
import { createShares, type Shares } from './shares/index.ts';
import type { PasswordHash, SignIn } from './sign-in/index.ts';
import { createStreamRegistry } from './sse/index.ts';
import { createRemovalQueue, createWriteProbe, type ObjectStore, openFiles } from './storage/index.ts';

interface ComposeModulesDeps {
  config: Config;
  database: Database;
  logger: Logger;
  /** Base URL under which browsers reach the service. */
  publicUrl: () => string;
  /** True if no other server uses the data. */
  isAlone: boolean;
  /** @default hashes of the recommended cost */
  passwords?: PasswordHash | undefined;
}

/** Constructs every module of the service. Starts nothing. */
export async function composeModules(deps: ComposeModulesDeps) {
  const { config, database, logger, publicUrl, isAlone } = deps;
  const metrics = createMetrics();
  const counters = isAlone ? undefined : database.counters;
  const chores = createChores({ repository: database.chores, alone: isAlone });
  const { accounts, signIn, pepper } = await composeAccounts({ ...deps, counters });
  const opened = await openProbedFiles(config, database, logger);
  const { store, scratch, writeProbe } = opened;
  const processor = createProcessor({
    config: config.processing,
    logger,
    metrics: { encodeSeconds: metrics.encodeSeconds, unexpectedError: () => metrics.unexpectedError('image') },
  });
  const files = { repositories: database, store, scratch, processor };
  const sessions = createSessions({
    ...files,
    config: config.sessions,
    limits: accounts.limits,
    requireAccount: (accountId) => requireAccount(accounts, accountId),
  });
  const findSession = sessions.find;
  const shares = createShares({ repositories: database, findSession, pepper, config: config.sessions, publicUrl });
  const gateway = composeGateway({ config, database, accounts, signIn, shares, counters });
  const { keepsFiles } = chores;
  const freeWork = freeWorkCounters(accounts);
  const exports = createExports({ ...files, sessions, ...freeWork, keepsFiles, config: config.exports, logger });
  const cache = database.visionAnswers;
  const analysis = createAnalysis({ config: config.analysis, logger, cache, counters, processor, store });
  const analyzeImages = createAnalyzeImages({
    analysis,
    sessions,
    repositories: database,
    isPaid: config.gateway.ANALYSIS_CREDITS > 0,
    giveBack: ({ accountId, createdAt }) => accounts.limits.giveBackOne(accountId, 'analyses', createdAt),
  });
  const jobs = createJobs({
    repositories: database,
    isAlone,
    freeWorkers: () => countFreeWorkers(processor),
    onUnwritable: writeProbe.suspect,
    kinds: { ...exports.kinds, analyze: analyzeImages.kind },
    requireSession: findSession,
    keepSessions: sessions.keep,
    ...payJobs(gateway.billing, metrics),
    config: config.jobs,
    logger,
    metrics,
  });
  return {
    accounts,
    pepper,
    chores,
    signIn,
    gateway,
    ...opened,
    processor,
    sessions,
    shares,
    exports,
    analysis,
    analyzeImages,
    jobs,
    ...composeRemoval({ keepsFiles, store, signIn, exports, database, jobs, logger }),
    streams: createStreamRegistry(),
    metrics,
  };
}

/** Opens the files, whose removals are kept until they are done, with the check that this server can write what it writes. */
async function openProbedFiles({ storage, db }: Config, { refusedRemovals }: Database, logger: Logger) {
  const files = { 'folder of files': join(storage.DATA_DIR, 'files', 'incoming') };
  const directories = db.MONGODB_URI ? files : { ...files, 'folder of the database': join(storage.DATA_DIR, 'db') };
  const { store: opened, scratch } = await openFiles(storage, logger);
  const { store, sweep } = createRemovalQueue({ store: opened, waiting: refusedRemovals });
  return { store, scratch, sweepRefused: sweep, writeProbe: createWriteProbe({ directories }) };
}

function countFreeWorkers(processor: Processor): number {
  const { workers, queues, pids } = processor.stats();
  // Before the start of the processes, other servers' images would fail here.
  return pids.length === 0 ? 0 : workers - queues.encoding.busy - queues.encoding.queued;
}

interface GatewayParts extends Pick<ComposeModulesDeps, 'config' | 'database'> {
  accounts: Accounts;
  signIn: SignIn;
  shares: Shares;
  counters: Database['counters'] | undefined;
}

function composeGateway({ config, database, accounts, signIn, shares, counters }: GatewayParts): Gateway {
  return createGateway({
    accounts,
    counters,
    idempotencyRecords: database.idempotency,
    browserSessions: signIn.browserSessions,
    shares,
    config: config.gateway,
    cookie: createSessionCookie(config.signIn.LOGIN_COOKIE, config.http.PUBLIC_URL),
    publicUrl: config.http.PUBLIC_URL,
  });
}

/** Every module of the service. */
export type Modules = Awaited<ReturnType<typeof composeModules>>;

/** @throws AppError invalid_api_key if the account was deleted */
async function requireAccount(accounts: Accounts, accountId: string): Promise<void> {
  if (await accounts.find(accountId)) return;
  throw new AppError('invalid_api_key', 'The account does not exist any more');
}

/** Counts images that were worked on and not paid for: of the day, and of the session token that started their job. */
function freeWorkCounters({ limits, tokens }: Accounts) {
  return {
    async countSample(accountId: string, jobId: string): Promise<void> {
      await tokens.countSampleOf(jobId);
      await limits.countOne(accountId, 'samples');
    },
    async countOverrun(accountId: string, jobId: string): Promise<void> {
      await tokens.countSampleOf(jobId);
      await limits.countOverrun(accountId);
    },
  };
}

interface RemovalDeps {
  keepsFiles: () => Promise<boolean>;
  store: ObjectStore;
  signIn: Awaited<ReturnType<typeof composeAccounts>>['signIn'];
  exports: ReturnType<typeof createExports>;
  database: Database;
  jobs: Jobs;
  logger: Logger;
}

/** Connects the removal of sessions and accounts with the modules that hold their data. */
function composeRemoval({ keepsFiles, store, signIn, exports, database, jobs, logger }: RemovalDeps) {
  const disposal = createSessionDisposal({
    repositories: database,
    store,
    logger,
    stopJobs: jobs.stopSession,
    forgetSources: exports.forgetSources,
    collectFiles: async (paths) => void (await exports.collectFiles(paths)),
    keepsFiles,
  });
  const accountRemoval = createAccountRemoval({
    repositories: database,
    forgetBrowserSessions: signIn.forget,
    /** Returns false if a job may still be running. */
    async removeData(accountId) {
      if (!(await disposal.deleteAll(accountId))) return false;
      await exports.forgetAccount(accountId);
      await database.visionAnswers.removeOfAccount(accountId);
      await jobs.history.forget(accountId);
      return true;
    },
    logger,
  });
  return { disposal, accountRemoval };
}
