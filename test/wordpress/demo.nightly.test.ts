import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { blockOf } from '../support/documents.ts';
import { logIn } from './site/site-user.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('`npm run demo:wordpress` prints a URL and a login of a site with photographs', async () => {
  const [command = ''] = blockOf('docs/wordpress.md', 'npm run demo:wordpress').split('\n');
  const demo = spawn('sh', ['-c', `exec ${command}`], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    // npm starts the program as a child of its own.
    if (demo.pid && demo.exitCode === null && demo.signalCode === null) process.kill(-demo.pid, 'SIGKILL');
  });
  let output = '';
  for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(demo, 'exit');
  await expect.poll(() => output || demo.exitCode, { timeout: 240_000, interval: 500 }).toMatch(/Ctrl\+C ends it/);

  const [, url = '', name = '', password = ''] = /Log in: +(\S+)\/wp-login\.php +(\w+) \/ (\w+)/.exec(output) ?? [];
  const visitor = await logIn(url, name, password);
  expect(await visitor.json('GET', '/status')).toMatchObject({
    total: 5,
    optimized: 0,
    waiting: 0,
    balance: 100,
    plan: 'free',
  });
  const { items } = await visitor.json<{ items: { id: number }[] }>('GET', '/attachments');
  expect(await visitor.json('POST', `/attachments/${items[0]?.id}/optimize`)).toMatchObject({ status: 'optimized' });

  demo.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  await expect(fetch(url)).rejects.toThrow();
});
