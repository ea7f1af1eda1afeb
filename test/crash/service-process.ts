import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { openAccounts } from '../../server/compose-accounts.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';

const MAIN = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));

/** The built service in a process of its own. */
export interface ServiceProcess {
  url: string;
  pid: number;
  child: ChildProcess;
  /** Everything it logged so far; `msg` is the text. */
  log: Record<string, unknown>[];
  /** Pids of its processes that encode and inspect images. */
  workers: number[];
  /** Ends it as a power switch would. */
  kill(): Promise<void>;
  /** Asks it to stop and waits for its end. @returns its exit code, null when a signal ended it */
  terminate(): Promise<number | null>;
}

/**
 * Starts the built service on a directory and waits until it listens.
 * @param nodeOptions for Node, before the program
 * @param program another than the built one
 * @param node another Node than that of the tests
 */
export async function startServiceProcess(
  env: Record<string, string>,
  nodeOptions: string[] = [],
  { program = MAIN, node = process.execPath }: { program?: string; node?: string } = {},
): Promise<ServiceProcess> {
  const child = spawn(node, [...nodeOptions, program], {
    // These tests are about processes, which a search for the quality would only make slower.
    // The runner of the tests sets BASE_URL, which the service takes for a misspelt setting of its own.
    env: {
      ...process.env,
      BASE_URL: undefined,
      PORT: '0',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      QUALITY_SEARCH: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log: Record<string, unknown>[] = [];
  const errors: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(String(chunk)));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const entry = JSON.parse(line) as Record<string, unknown>;
      log.push(entry);
      failOnRejection(entry);
      if (entry.msg === 'listening') resolve(String(entry.url));
    });
    exited.then(
      ([code]) => reject(new Error(`the service ended with ${code} before it listened: ${errors.join('')}`)),
      reject,
    );
  });
  const url = await listening;
  return {
    url,
    pid: child.pid ?? 0,
    child,
    log,
    workers: log.find((entry) => entry.msg === 'image processing started')?.pids as number[],
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async terminate() {
      child.kill('SIGTERM');
      return (await exited)[0];
    },
  };
}

/** Raises a rejection that the service did not handle in the test. */
function failOnRejection({ msg, err }: Record<string, unknown>): void {
  if (msg === 'unhandled rejection') void Promise.reject(new Error(`the service logged: ${JSON.stringify(err)}`));
}

/** Makes an account with exactly this many credits before the service starts, or beside it. @returns its API key */
export async function createAccountIn(env: Record<string, string>, email: string, credits: number): Promise<string> {
  const { accounts, close } = await openAccounts(env);
  try {
    const account = await accounts.create({ email });
    const { id: accountId } = account;
    if (credits > account.balance) await accounts.ledger.grant({ accountId, amount: credits - account.balance });
    return (await accounts.keys.create({ accountId, name: 'test' })).apiKey;
  } finally {
    await close();
  }
}

/** Holds all accounts against their ledgers, beside the running service or without one. */
export async function auditOf(env: Record<string, string>) {
  const { accounts, close } = await openAccounts(env);
  try {
    const { ok, broken, figures } = await accounts.audit();
    return { ok, broken, pending: figures.pending };
  } finally {
    await close();
  }
}

/** A client of a service process. */
export function clientOf({ url }: ServiceProcess, apiKey: string): ApiClient {
  return createApiClient({ url, apiKey });
}
