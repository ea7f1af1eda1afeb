import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { makeCertificate } from '../support/make-certificate.ts';

/** Addresses under which an owner opens the first link. */
export const WAYS = ['http://127.0.0.1', 'http://localhost', 'https://localhost'] as const;

/** Starts the built program on an empty folder, as the README does, behind a proxy where the address is https. @returns the first link */
export async function startFresh(way: (typeof WAYS)[number], settings: NodeJS.ProcessEnv = {}): Promise<string> {
  const proxy = way.startsWith('https:') ? await startTlsProxy() : null;
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-journey-'));
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, MONGODB_URI: '', ...proxy?.settings, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk));
  await expect.poll(() => printed).toMatch(/\/dashboard\/claim#token=\S+/);
  proxy?.forwardTo(Number(/http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1]));
  const [link = ''] = /http\S+\/dashboard\/claim#token=[\w-]+/.exec(printed) ?? [];
  return link.replace('http://127.0.0.1', way);
}

/** Starts a proxy with a certificate of its own making, as a host has it in front of the service. */
async function startTlsProxy() {
  const { chain: cert, key } = makeCertificate({ uses: ['1.3.6.1.5.5.7.3.1'] });
  let port = 0;
  const server = createServer({ cert, key }, (incoming, answer) => {
    const { method, url: path, headers: sent } = incoming;
    const headers = { ...sent, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.rawHeaders);
      got.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    settings: { PUBLIC_URL: url, TRUST_PROXY: '1' },
    forwardTo: (target: number) => (port = target),
  };
}
