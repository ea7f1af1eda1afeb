import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp, { type Metadata } from 'sharp';
import { expect, onTestFinished } from 'vitest';
import { recordPath } from '../../../plugin-bridge/cli/record-path.ts';
import type { Report } from '../../../plugin-bridge/cli/report.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { startTestService, type TestAccount } from '../../support/service.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';
import { noiseImage, plainImage } from '../../support/small-images.ts';

const BIN = fileURLToPath(new URL('../../../plugin-bridge/cli/bin.mjs', import.meta.url));

/** Outcome of a run. */
export interface Finished {
  exitCode: number | null;
  stdout: string;
  stderr: string;
  /** Parses the report of `--json`. @throws SyntaxError if standard output is anything else */
  report(): Report;
}

/** Run in progress. */
export interface Running {
  child: ChildProcess;
  finished: Promise<Finished>;
}

/** Folder with an account in which the program runs. */
export interface Workplace {
  folder: string;
  account: TestAccount;
  env: Record<string, string>;
  /** Starts the real program. */
  start(args: string[], env?: Record<string, string>): Running;
  /** Runs `optimize` with a JSON report. */
  optimize(...args: string[]): Promise<Report>;
  write(name: string, bytes: Uint8Array | string): Promise<void>;
  /** Names of all files below a folder, without the record. */
  files(folder?: string): Promise<string[]>;
  /** Decodes a file. */
  decode(name: string): Promise<Metadata>;
}

/** The real service behind a proxy with scripted faults. */
export interface CliHarness {
  test: SharedService;
  proxy: FaultProxy;
  createWorkplace(options?: { credits?: number }): Promise<Workplace>;
  close(): Promise<void>;
}

/** Starts a proxy before the shared service, or one with settings of its own. */
export async function startCliHarness(settings?: Record<string, string>): Promise<CliHarness> {
  const own = settings && (await startTestService(settings));
  const test: SharedService = own ?? (await sharedService());
  const proxy = await startFaultProxy(test.url);
  return {
    test,
    proxy,
    async createWorkplace({ credits = 100 } = {}) {
      const folder = await mkdtemp(join(tmpdir(), 'imagewright-cli-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const account = await test.createAccount({ credits });
      return workplaceIn(folder, account, proxy.url);
    },
    async close() {
      await proxy.close();
      await own?.close();
    },
  };
}

function workplaceIn(folder: string, account: TestAccount, endpoint: string): Workplace {
  const env = { IMAGEWRIGHT_API_KEY: account.apiKey, IMAGEWRIGHT_ENDPOINT: endpoint };
  const place: Workplace = {
    folder,
    account,
    env,
    start(args, more = {}) {
      const child = spawn(process.execPath, [BIN, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', HOME: folder, ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => (stdout += chunk));
      child.stderr.on('data', (chunk) => (stderr += chunk));
      const finished = once(child, 'close').then(([exitCode]): Finished => {
        return { exitCode: exitCode as number | null, stdout, stderr, report: () => JSON.parse(stdout) as Report };
      });
      return { child, finished };
    },
    async optimize(...args) {
      const { exitCode, stderr, report } = await place.start(['optimize', '--json', ...args]).finished;
      const parsed = report();
      expect(parsed.exitCode, stderr).toBe(exitCode);
      return parsed;
    },
    async write(name, bytes) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), bytes);
    },
    async files(below = '.') {
      const root = join(folder, below);
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      return entries
        .flatMap((entry) => (entry.isFile() ? [relative(root, join(entry.parentPath, entry.name))] : []))
        .filter((name) => !name.startsWith('.'))
        .sort();
    },
    decode: async (name) => sharp(await readFile(join(folder, name))).metadata(),
  };
  return place;
}

/** Writes small pictures that differ, one per name. */
export async function writePictures(place: Workplace, names: string[], { width = 60, height = 45 } = {}) {
  for (const [index, name] of names.entries()) {
    const colour = `#${(0x203040 + index * 0x1357).toString(16)}`;
    const format = name.endsWith('.png') ? 'png' : 'jpeg';
    await place.write(name, (await plainImage(name, { width, height, colour, format })).bytes);
  }
}

/** Writes pictures that keep the encoder busy. */
export async function writeNoise(place: Workplace, names: string[], edge = 900) {
  for (const [index, name] of names.entries()) {
    await place.write(name, (await noiseImage(name, { width: edge, height: edge, seed: index + 1 })).bytes);
  }
}

/** Returns the name of the record of an output folder, below the folder of the workplace. */
export function recordOf({ folder }: Workplace, out: string): string {
  return relative(folder, recordPath(join(folder, out), { HOME: folder }));
}

/** Returns charges minus refunds. */
export async function spent({ account }: Workplace): Promise<number> {
  const path = '/v1/credits/transactions?limit=200';
  const { transactions } = await account.api.readJson<{ transactions: { kind: string; delta: number; ref: string }[] }>(
    path,
  );
  const ours = transactions.filter(
    ({ kind, ref }) => kind === 'refund' || (kind === 'charge' && ref.startsWith('job_')),
  );
  return ours.reduce((sum, { delta }) => sum - delta, 0);
}
