import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CliHarness, startCliHarness, writePictures } from './cli-harness.ts';

const OPENSSL = spawnSync('openssl', ['version']).status === 0;

let harness: CliHarness;
beforeAll(async () => {
  harness = await startCliHarness();
});
afterAll(() => harness.close());

describe('--out', () => {
  // The system refuses new folders there with ENOENT.
  it.runIf(process.platform === 'linux')('below /proc ends with one clear line', async () => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    const { exitCode, stderr } = await place.start(['optimize', 'in/*.png', '--out', '/proc/x/y']).finished;
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^--out: the folder \/proc\/x\/y cannot be made: .*\n$/);
  });

  it.each([[], ['--dry-run']])('that is a file is refused before anything is asked for %s', async (...more) => {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    await place.write('results', 'text');
    harness.proxy.reset();
    const { exitCode, stderr } = await place.start(['optimize', 'in/*.png', '--out', 'results', ...more]).finished;
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^--out: expected a folder, but .*results is a file\n$/);
    expect(harness.proxy.seen).toEqual([]);
  });
});

describe('an address without a service', () => {
  async function messageOf(endpoint: string): Promise<string> {
    const place = await harness.createWorkplace();
    await writePictures(place, ['in/a.png']);
    const args = ['optimize', 'in/*.png', '--out', 'out', '--endpoint', endpoint];
    const { exitCode, stderr } = await place.start(args).finished;
    expect(exitCode).toBeGreaterThan(0);
    return stderr;
  }

  it('of an unknown host says so', async () => {
    expect(await messageOf('http://no-such-host.invalid')).toMatch(/There is no host of this name/);
  });

  it('of a closed port says so', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await messageOf(`http://127.0.0.1:${port}`)).toMatch(/Nothing listens at this address/);
  });

  it('of https where http is spoken says so', async () => {
    expect(await messageOf(harness.test.url.replace('http:', 'https:'))).toMatch(/speaks plain http/);
  });

  it.runIf(OPENSSL)('with a self-signed certificate says so', async () => {
    const place = await harness.createWorkplace();
    const [key, cert] = [join(place.folder, 'key.pem'), join(place.folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      ...subject,
      '-keyout',
      key,
      '-out',
      cert,
    ];
    execFileSync('openssl', made, { stdio: 'ignore' });
    const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
      response.end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await messageOf(url)).toMatch(/not signed by a known authority.*NODE_EXTRA_CA_CERTS/);
  });
});

it('too few credits name the command that grants more', async () => {
  const place = await harness.createWorkplace({ credits: 26 });
  await writePictures(
    place,
    Array.from({ length: 27 }, (_, at) => `in/${at}.png`),
  );
  const { exitCode, stderr } = await place.start(['optimize', 'in/*.png', '--out', 'out']).finished;
  expect(exitCode).toBe(3);
  expect(stderr).toContain('admin -- credits grant');
});

it('Ctrl-C says how much is done, and calls nothing failed', async () => {
  const place = await harness.createWorkplace();
  await writePictures(place, ['in/a.png']);
  await place.optimize('in/*', '--out', 'out');
  await writePictures(place, ['in/a.png', 'in/b.png', 'in/c.png']);
  harness.proxy.reset();
  harness.proxy.inject({ kind: 'hang' }, { path: /^\/v1\/sessions$/ });
  const run = place.start(['optimize', 'in/*', '--out', 'out']);
  await expect.poll(() => harness.proxy.seen.some(({ fault }) => fault === 'hang')).toBe(true);
  run.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await run.finished;
  harness.proxy.reset();
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/Stopped, 1 of 3 done\. Run the same command again to go on; .*\n$/);
  expect(stdout).toMatch(/^3 images: 1 unchanged, 2 not made\.\n/);
  expect(stdout).not.toContain('│');
});
