import type { ApiClient } from '../../support/api-client.ts';

/** A service that can be killed and comes back under the same address. */
export interface Stage {
  name: string;
  /** Base URL that stays the same. */
  url: string;
  /** Kills a server as a power switch would, and begins to start it again. */
  kill(server: number): Promise<void>;
  /** Waits until all servers run. */
  whole(): Promise<void>;
  /** Makes an account with these credits. @returns its client */
  createAccount(email: string, credits: number): Promise<ApiClient>;
  /** Holds all accounts against their ledgers. */
  audit(): Promise<{ ok: boolean; broken: unknown[]; pending: number }>;
  /** Lists the keys of the files below a folder. */
  filesBelow(folder: string): Promise<string[]>;
  /** Kills so far. */
  kills: number;
  close(): Promise<void>;
}

/** Plan with limits that no history reaches, so that their use is counted. */
export const WIDE_LIMITS = JSON.stringify({
  free: {
    keys: 20,
    signupCredits: 0,
    samplesPerDay: 1_000_000,
    analysesPerDay: 1_000_000,
    storageMb: 100_000,
    sessions: 10_000,
    streams: 4096,
  },
});
