import type { Connection } from '../connect.ts';
import { createAccountRepository } from './accounts.ts';
import { createApiKeyRepository } from './api-keys.ts';
import { createBrowserSessionRepository } from './browser-sessions.ts';
import { createCachedVariantRepository } from './cached-variants.ts';
import { createChoreRepository } from './chores.ts';
import { createClusterRepository } from './cluster.ts';
import { createCounterRepository } from './counters.ts';
import { createIdempotencyRepository } from './idempotency.ts';
import { createImageRepository } from './images.ts';
import { createJobEventRepository, createJobHistoryRepository } from './job-history.ts';
import { createImageResultRepository, createJobImageRepository } from './job-images.ts';
import { createJobRepository } from './jobs.ts';
import { createLedgerRepository } from './ledger.ts';
import { createMailRepository } from './mails.ts';
import { createOneTimeLinkRepository } from './one-time-links.ts';
import { createOperatorLogRepository } from './operator-log.ts';
import { createOutputRepository } from './outputs.ts';
import { createRefusedRemovalRepository } from './refused-removals.ts';
import { createSessionTokenRepository } from './session-tokens.ts';
import { createSessionRepository } from './sessions.ts';
import { createShareRepository } from './shares.ts';
import { createStoredBytesRepository } from './stored-bytes.ts';
import { createRecordCheck } from './stored-records.ts';
import { createVisionAnswerRepository } from './vision-answers.ts';

export type * from './account-record.ts';
export type * from './accounts.ts';
export type * from './api-keys.ts';
export type * from './browser-sessions.ts';
export type * from './cached-variants.ts';
export type * from './chores.ts';
export type * from './cluster.ts';
export type * from './counters.ts';
export type * from './idempotency.ts';
export type * from './images.ts';
export type * from './job-history.ts';
export type * from './job-images.ts';
export type * from './jobs.ts';
export type * from './ledger.ts';
export type * from './mails.ts';
export type * from './one-time-links.ts';
export type * from './operator-log.ts';
export type * from './outputs.ts';
export type * from './refused-removals.ts';
export type * from './session-tokens.ts';
export type * from './sessions.ts';
export type * from './shares.ts';
export type * from './stored-bytes.ts';
export type * from './stored-records.ts';
export type * from './vision-answers.ts';

/** Builds every repository on one connection. */
export function createRepositories(connection: Connection) {
  return {
    accounts: createAccountRepository(connection),
    apiKeys: createApiKeyRepository(connection),
    ledger: createLedgerRepository(connection),
    idempotency: createIdempotencyRepository(connection),
    sessions: createSessionRepository(connection),
    storedBytes: createStoredBytesRepository(connection),
    records: createRecordCheck(connection),
    sessionTokens: createSessionTokenRepository(connection),
    shares: createShareRepository(connection),
    images: createImageRepository(connection),
    jobs: createJobRepository(connection),
    jobImages: createJobImageRepository(connection),
    jobEvents: createJobEventRepository(connection),
    imageResults: createImageResultRepository(connection),
    outputs: createOutputRepository(connection),
    chores: createChoreRepository(connection),
    refusedRemovals: createRefusedRemovalRepository(connection),
    cluster: createClusterRepository(connection),
    counters: createCounterRepository(connection),
    cachedVariants: createCachedVariantRepository(connection),
    jobHistory: createJobHistoryRepository(connection),
    browserSessions: createBrowserSessionRepository(connection),
    mails: createMailRepository(connection),
    oneTimeLinks: createOneTimeLinkRepository(connection),
    operatorLog: createOperatorLogRepository(connection),
    visionAnswers: createVisionAnswerRepository(connection),
  };
}

/** Every repository of the service. */
export type Repositories = ReturnType<typeof createRepositories>;
