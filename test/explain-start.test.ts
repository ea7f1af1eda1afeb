import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConfiguredDatabase } from '../server/compose-accounts.ts';
import { loadConfig } from '../server/config/index.ts';
import { startEmbedded } from '../server/db/index.ts';
import { explainStart } from '../server/explain-start.ts';
import { listen } from '../server/http/index.ts';
import { createLogger } from '../server/observability/index.ts';
import { rejection } from './accounts/accounts-fixture.ts';

const logger = createLogger({ level: 'silent', format: 'json' });
const app = { callback: () => () => {} } as unknown as Parameters<typeof listen>[0];

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'explain-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Returns the output of a service that cannot listen with these settings. */
async function listening(env: Record<string, string>): Promise<string | null> {
  const config = loadConfig(env);
  return explainStart(await rejection(listen(app, config.http)), config);
}

/** Returns the output of a service that cannot open its database with these settings. */
async function opening(env: Record<string, string>): Promise<string | null> {
  const config = loadConfig({ DATABASE_WAIT_SECONDS: '0', ...env });
  return explainStart(await rejection(openConfiguredDatabase(config, logger, { aloneWithinMs: 1 })), config);
}

describe('a failed start that the operator can fix is explained in one line', () => {
  it('invalid settings', () => {
    const load = () => loadConfig({ PORT: 'x' });
    expect(load).toThrow();
    try {
      load();
    } catch (error) {
      expect(explainStart(error)).toMatch(/^The configuration has 1 fault.*\n {2}PORT: expected .* received "x"$/);
    }
  });

  it('a port in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    expect(await listening({ PORT: String(port) })).toBe(
      `PORT: ${port} on 127.0.0.1 is in use by another program; stop that, or set another port`,
    );
  });

  it.each([['nothing.invalid'], ['192.0.2.1']])('the foreign host %s', async (HOST) => {
    expect(await listening({ PORT: '0', HOST })).toMatch(/^HOST: \S+ is not an address of this machine \(E[A-Z_]+\)$/);
  });

  it('an unreachable database', async () => {
    const MONGODB_URI = 'mongodb://user:secret@127.0.0.1:1/x';
    const explained = await opening({ MONGODB_URI, DATA_DIR: freshDirectory() });
    expect(explained).toMatch(/^MONGODB_URI: no database responds there \(.*ECONNREFUSED.*\); start the database/);
    expect(explained).not.toContain('secret');
  });

  it.each([
    ['mongodb://', 'Protocol and host list are required'],
    ['mongodb://user:se/cret@127.0.0.1:1/x', 'Password contains unescaped characters'],
    ['mongodb://user:secret@127.0.0.1:99999/x', 'Unable to parse 127.0.0.1:99999'],
    ['mongodb://user:secret@127.0.0.1:1/x?foo=bar', 'option foo is not supported'],
    ['mongodb://127.0.0.1:1/x?tls=true&tlsCAFile=/nowhere/ca.pem', '/nowhere/ca.pem'],
    ['mongodb+srv://user:secret@nothing.invalid/x', 'querySrv'],
  ])('an unusable connection string: %s', async (MONGODB_URI, why) => {
    const explained = await opening({ MONGODB_URI, DATA_DIR: freshDirectory() });
    expect(explained).toMatch(
      /^MONGODB_URI: (the database cannot be used|no database responds there) \(.*\); [a-z].*$/,
    );
    expect(explained).toContain(why);
    expect(explained).not.toMatch(/secret|se\/cret/);
  });

  it('a directory in use by another process', async () => {
    const DATA_DIR = freshDirectory();
    const other = await startEmbedded({ directory: join(DATA_DIR, 'db') });
    onTestFinished(other.close);
    expect(await opening({ DATA_DIR })).toMatch(/^DATA_DIR: \S+ is in use by another running service; stop that/);
  });

  it('a directory that is a file', async () => {
    const DATA_DIR = join(freshDirectory(), 'file');
    writeFileSync(DATA_DIR, '');
    expect(await opening({ DATA_DIR })).toMatch(/^DATA_DIR: \S+file cannot be used \(ENOTDIR: /);
  });

  it('a disk without space, under the files or under the database', () => {
    const DATA_DIR = freshDirectory();
    const config = loadConfig({ DATA_DIR });
    const full = (fields: object) => Object.assign(new Error('No space left on device'), fields);
    const explained = `DATA_DIR: the disk of ${DATA_DIR} has no space left (No space left on device)`;
    expect(explainStart(full({ code: 'ENOSPC', path: join(DATA_DIR, 'db') }), config)).toBe(explained);
    expect(explainStart(full({ code: 14031 }), config)).toBe(explained);
    expect(explainStart(full({ code: 14031 }), loadConfig({ DATA_DIR, MONGODB_URI: 'mongodb://db/x' }))).toBe(
      'MONGODB_URI: the database cannot be used (No space left on device); free space on the disk of the database',
    );
  });

  it
    .runIf(process.platform === 'linux')
    .each([['/proc/imagewright'], ['/proc/imagewright/data'], ['/proc'], ['/proc/self/imagewright']])(
    'the directory %s, where none can be made',
    async (DATA_DIR) => {
      for (const MONGODB_URI of ['', 'mongodb://127.0.0.1:1/x']) {
        expect(await opening({ MONGODB_URI, DATA_DIR })).toMatch(
          /^DATA_DIR: \/proc\S* cannot be used \(E[A-Z]+: .*mkdir/,
        );
      }
    },
  );

  it('a directory below a broken or circular link', async () => {
    const directory = freshDirectory();
    symlinkSync('nowhere', join(directory, 'dangling'));
    symlinkSync('loop', join(directory, 'loop'));
    for (const name of ['dangling', 'dangling/data', 'loop', 'loop/data']) {
      expect(await opening({ DATA_DIR: join(directory, name) })).toMatch(/^DATA_DIR: \S+ cannot be used \(E[A-Z]+: /);
    }
  });

  it('a read-only directory', async (context) => {
    if (process.getuid?.() === 0) return context.skip('this user may write everywhere');
    const DATA_DIR = freshDirectory();
    chmodSync(DATA_DIR, 0o500);
    expect(await opening({ DATA_DIR })).toMatch(/^DATA_DIR: \S+ cannot be used \(EACCES: /);
  });
});

it('any other failure is printed with its stack', async () => {
  const config = loadConfig({ DATA_DIR: freshDirectory() });
  expect(explainStart(new Error('a fault of ours'), config)).toBeNull();
  expect(explainStart('thrown', config)).toBeNull();
  const elsewhere = Object.assign(new Error('ENOENT: /elsewhere'), { code: 'ENOENT', path: '/elsewhere' });
  expect(explainStart(elsewhere, config)).toBeNull();
  const nowhere = Object.assign(new Error('Cannot find module'), { code: 'ERR_MODULE_NOT_FOUND' });
  expect(explainStart(nowhere, loadConfig({ DATA_DIR: '.' }))).toBeNull();
});
