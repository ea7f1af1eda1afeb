import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openClient, until } from './stream-server.ts';

interface State {
  rss: number;
  cpu: { user: number; system: number };
  size: number;
}

let child: ChildProcess;
let port: number;

beforeEach(async () => {
  child = fork(new URL('./idle-process.ts', import.meta.url), { execArgv: ['--import', 'tsx', '--expose-gc'] });
  [{ port }] = (await once(child, 'message')) as [{ port: number }];
});
afterEach(() => {
  child.kill('SIGKILL');
});

async function ask(what: 'state' | 'close' = 'state'): Promise<State> {
  child.send(what);
  return (await once(child, 'message'))[0] as State;
}

async function openMany(count: number) {
  const clients = Array.from({ length: count }, () => openClient(port));
  await Promise.all(clients.map((client) => client.saw(': open')));
  return clients;
}

it('holds 1,000 idle streams in 80 MB, and ends them all at once', async () => {
  for (const client of await openMany(50)) client.socket.destroy();
  const base = await ask();
  const clients = await openMany(1000);
  const beats = () => Math.min(...clients.map((client) => client.text().split(': hb').length - 1));
  await until(() => beats() >= 2);
  const busy = await ask();
  const growth = (busy.rss - base.rss) / 1024 / 1024;
  expect(busy.size).toBe(1000);
  const started = Date.now();
  await ask('close');
  await Promise.all(clients.map((client) => client.closed));
  const closing = Date.now() - started;
  console.log(`1,000 idle streams: +${growth.toFixed(1)} MB, all ended in ${closing} ms`);
  expect(growth).toBeLessThan(80);
  expect((await ask()).size).toBe(0);
});

it('frees the memory of 10,000 aborted streams', async () => {
  const churn = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      for (const client of await openMany(250)) client.socket.destroy();
    }
    while ((await ask()).size > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    return (await ask()).rss;
  };
  const warm = await churn(8);
  const after = await churn(40);
  console.log(`10,000 torn streams: ${((after - warm) / 1024 / 1024).toFixed(1)} MB more`);
  expect(after - warm).toBeLessThan(20 * 1024 * 1024);
});
