import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckedPart, CheckLine } from '#contract';
// Amazon's client adds a global; what is imported here is part of the state before the tests.
import '../../server/storage/s3-store.ts';
import { inspectSettings } from '../../server/config/index.ts';
import { type CheckOptions, checkInstallation } from '../../server/doctor/index.ts';
import { mountSmallDisk, reasonNotToMount } from '../crash/small-disk.ts';
import { startMailServer } from '../support/mail-server.ts';
import { serveLocally } from '../support/serve-locally.ts';

/** A port at which nothing listens. */
const closed = await serveLocally(createServer());
await closed.close();
const CLOSED = `127.0.0.1:${closed.port}`;

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'imagewright-doctor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The lines of one part by these settings. */
async function check(part: CheckedPart, env: Record<string, string> = {}, options: CheckOptions = {}) {
  const dataDir = env.DATA_DIR ?? join(await emptyFolder(), 'data');
  const { config, faults } = inspectSettings({ PORT: '1', ...env, DATA_DIR: dataDir });
  const installation = { config, settings: { faults, nearMisses: [] } };
  const { checks, ok } = await checkInstallation(installation, { limitMs: 4000, ...options });
  expect(ok).toBe(checks.every(({ state }) => state !== 'fault'));
  return checks.filter((line) => line.part === part);
}

const brief = (lines: CheckLine[]) => lines.map(({ state, code }) => `${state} ${code}`);

async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await serveLocally(createServer(listener));
  onTestFinished(close);
  return url;
}

/** Answers as a mail server whose answers begin with these, by command; an empty name is the greeting. */
async function sayToMailers(answers: Record<string, string>): Promise<string> {
  const server = createPlainServer((socket) => {
    socket.on('error', () => {});
    socket.write(`${answers[''] ?? '220 test'}\r\n`);
    socket.setEncoding('utf8').on('data', (text) => {
      for (const line of `${text}`.split('\r\n').filter((one) => one !== ''))
        socket.write(`${answers[line.slice(0, 4).toUpperCase()] ?? '250 ok'}\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}

describe('before the first start', () => {
  it('finds nothing wrong, makes nothing, and says what is not there yet', async () => {
    const folder = await emptyFolder();
    const dataDir = join(folder, 'data');
    const { config, faults } = inspectSettings({ DATA_DIR: dataDir, PORT: '1' });
    const { checks, ok } = await checkInstallation({ config, settings: { faults, nearMisses: [] } }, { limitMs: 4000 });
    expect(ok).toBe(true);
    expect(checks.map(({ part, state, code }) => `${part} ${state} ${code}`)).toEqual([
      'settings ok valid',
      'database ok new',
      'store ok new',
      'disk ok new',
      'mail off not_set',
      'model off not_set',
      'clock off not_compared',
      'address off never_started',
    ]);
    expect(await import('node:fs').then((fs) => fs.readdirSync(folder))).toEqual([]);
  });
});

describe('settings', () => {
  it('are lines where they are wrong; what does not need them is checked', async () => {
    const env = { SMTP_URL: 'http://nonsense', MONGODB_URI: 'nonsense', WORKERS: '0' };
    expect(brief(await check('settings', env))).toEqual(['fault invalid', 'fault invalid', 'fault invalid']);
    expect(brief(await check('database', env))).toEqual(['off settings']);
    expect(brief(await check('mail', env))).toEqual(['off settings']);
    expect(brief(await check('model', env))).toEqual(['off not_set']);
  });
});

describe('mail', () => {
  it.each([
    [`smtp://${CLOSED}`, 'fault refused'],
    ['smtp://mail.invalid:587', 'fault unknown_host'],
  ])('%s', async (url, expected) => {
    expect(brief(await check('mail', { SMTP_URL: url }))).toEqual([expected]);
  });

  it('says that a server refuses the log-in, this machine, TLS, or talks another language', async () => {
    const login = await sayToMailers({ EHLO: '250-test\r\n250 AUTH PLAIN', AUTH: '535 secret-of-the-server' });
    const refused = await check('mail', { SMTP_URL: `smtp://user:pass-word@${login}` });
    expect(brief(refused)).toEqual(['fault login']);
    expect(refused[0]?.found).toBe('the log-in is refused (535)');
    const greeting = await sayToMailers({ '': '554 go away' });
    expect(brief(await check('mail', { SMTP_URL: `smtp://${greeting}` }))).toEqual(['fault no_mail_server']);
    expect(brief(await check('mail', { SMTP_URL: `smtps://${login}` }))).toEqual(['fault tls']);
    const silent = await startMailServer();
    onTestFinished(() => silent.close());
    silent.state.mode = 'mute';
    expect(brief(await check('mail', { SMTP_URL: silent.url }, { limitMs: 1000 }))).toEqual(['fault silent']);
  });

  it('sends nothing unless it is told where to', async () => {
    const server = await startMailServer();
    onTestFinished(() => server.close());
    const env = { SMTP_URL: server.url, MAIL_FROM: 'images@example.com' };
    expect(brief(await check('mail', env))).toEqual(['ok works']);
    expect(server.received).toEqual([]);
    expect(brief(await check('mail', { SMTP_URL: server.url }))).toEqual(['ok works', 'warning local_sender']);
    expect(brief(await check('mail', env, { mailTo: 'me@example.com' }))).toEqual(['ok sent']);
    expect(server.received).toMatchObject([{ to: ['me@example.com'], subject: 'Imagewright: test mail' }]);
    server.state.mode = 'busy';
    expect(brief(await check('mail', env, { mailTo: 'me@example.com' }))).toEqual(['fault sender']);
    expect(brief(await check('mail', {}, { mailTo: 'me@example.com' }))).toEqual(['fault not_set']);
  });
});

describe('the vision service', () => {
  const env = (url: string) => ({
    AI_PROVIDER: 'openai-compatible',
    AI_BASE_URL: `${url}/v1`,
    AI_MODEL: 'sees',
    AI_API_KEY: 'sk-of-this-test',
  });

  it('is asked for the list of its models, which costs nothing', async () => {
    const paths: string[] = [];
    const models = (names: string[]) =>
      serve(({ url = '', method = '' }, response) => {
        paths.push(`${method} ${url}`);
        response.end(JSON.stringify({ data: names.map((id) => ({ id })) }));
      });
    expect(brief(await check('model', env(await models(['sees', 'other']))))).toEqual(['ok has_model']);
    expect(brief(await check('model', env(await models(['sees:latest']))))).toEqual(['ok has_model']);
    expect(brief(await check('model', env(await models(['other']))))).toEqual(['warning no_model']);
    expect(paths).toEqual(['GET /v1/models', 'GET /v1/models', 'GET /v1/models']);
  });

  it.each([
    [401, 'fault key_refused'],
    [402, 'fault no_credit'],
    [404, 'ok answers'],
    [500, 'fault broken'],
    [503, 'warning overloaded'],
  ])('that answers %i', async (status, expected) => {
    const url = await serve((_, response) => response.writeHead(status).end('the key sk-of-this-test is no good'));
    const lines = await check('model', env(url));
    expect(brief(lines)).toEqual([expected]);
    expect(JSON.stringify(lines)).not.toContain('sk-of');
  });

  it('that is not there', async () => {
    expect(brief(await check('model', env(`http://${CLOSED}`)))).toEqual(['fault unreachable']);
  });

  it('is asked about an image only when told to', async () => {
    let questions = 0;
    const url = await serve((request, response) => {
      questions += request.method === 'POST' ? 1 : 0;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message: { content: 'a cat' }, finish_reason: 'stop' }] }));
    });
    expect(brief(await check('model', env(url), { asksModel: true }))).toEqual(['fault no_images']);
    expect(questions).toBe(1);
  });
});

describe('the database', () => {
  it.each([
    [`mongodb://user:pass-word@${CLOSED}/x`, 'fault refused'],
    ['mongodb://mongo.invalid/x', 'fault unknown_host'],
  ])('%s', async (uri, expected) => {
    const lines = await check('database', { MONGODB_URI: uri });
    expect(brief(lines)).toEqual([expected]);
    expect(JSON.stringify(lines)).not.toContain('pass-word');
  });

  it('that never answers is given up in time', async () => {
    const server = createPlainServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const began = performance.now();
    const [line] = await check('database', { MONGODB_URI: `mongodb://127.0.0.1:${port}/x` }, { limitMs: 1500 });
    expect(line).toMatchObject({ state: 'fault', code: 'silent' });
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it('whose folder is damaged, or no folder', async () => {
    const dataDir = await emptyFolder();
    await writeFile(join(dataDir, 'db'), 'no folder');
    expect(brief(await check('database', { DATA_DIR: dataDir }))).toEqual(['fault unusable']);
  });
});

describe('the store of files', () => {
  it.each([
    [CLOSED, 'fault nothing_listens'],
    ['s3.invalid', 'fault unknown_host'],
  ])('S3 at %s', async (host, expected) => {
    const env = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7', AWS_SECRET_ACCESS_KEY: 'secret-of-the-store' };
    const lines = await check(
      'store',
      { ...env, FILES_URL: `s3://pictures/site?endpoint=http://${host}` },
      { limitMs: 8000 },
    );
    expect(brief(lines)).toEqual([expected]);
    expect(JSON.stringify(lines)).not.toContain('secret-of');
  });
});

describe('the disk', () => {
  it('whose folder cannot be written', async () => {
    const folder = await emptyFolder();
    await mkdir(join(folder, 'files', 'incoming'), { recursive: true });
    await writeFile(join(folder, 'files', 'incoming', 'write-probe.part'), '');
    // A folder in the place of the probe, since no mode keeps root out.
    await rm(join(folder, 'files', 'incoming', 'write-probe.part'));
    await mkdir(join(folder, 'files', 'incoming', 'write-probe.part'));
    const lines = await check('disk', { DATA_DIR: folder });
    expect(brief(lines)).toContain('fault unwritable');
  });

  it('whose folders other users can read', async () => {
    const folder = await emptyFolder();
    await mkdir(join(folder, 'secrets'));
    await chmod(join(folder, 'secrets'), 0o755);
    expect(brief(await check('disk', { DATA_DIR: folder }))).not.toContain('warning open_to_others');
    await chmod(folder, 0o755);
    expect(brief(await check('disk', { DATA_DIR: folder }))).toContain('warning open_to_others');
  });

  const reason = reasonNotToMount();
  it.skipIf(reason)('that is full, or two disks', async () => {
    const folder = await emptyFolder();
    const incoming = join(folder, 'files', 'incoming');
    await mkdir(incoming, { recursive: true });
    const disk = mountSmallDisk(incoming, 1);
    onTestFinished(() => disk.unmount());
    expect(brief(await check('disk', { DATA_DIR: folder }))).toContain('fault two_disks');
    await disk.fill(0);
    expect(brief(await check('disk', { DATA_DIR: folder }))).toContain('fault full');
  });
});

describe('the clock', () => {
  it.each([
    [0, 'ok together'],
    [120_000, 'warning apart'],
    [-900_000, 'fault apart'],
  ])('%i ms apart', async (apart, expected) => {
    const url = await serve((_, response) => {
      response.setHeader('Date', new Date(Date.now() + apart).toUTCString());
      response.end('{"data":[]}');
    });
    const env = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: url, AI_MODEL: 'any' };
    expect(brief(await check('clock', env))).toEqual([expected]);
    const store = { FILES_URL: `s3://a-bucket?endpoint=${url}`, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    expect(brief(await check('clock', store))).toEqual([expected]);
  });
});

it('says what was tried of parts that never answer', async () => {
  const server = createPlainServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const env = {
    ...{ AI_PROVIDER: 'openai-compatible', AI_BASE_URL: url, AI_MODEL: 'any' },
    ...{ PUBLIC_URL: url, API_KEY_PEPPER: 'p'.repeat(40) },
    ...{ FILES_URL: `s3://pictures?endpoint=${url}`, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
  };
  const limited = { limitMs: 1500 };
  const [model, address, clock] = await Promise.all([
    check('model', env, limited),
    check('address', env, limited),
    check('clock', env, limited),
  ]);
  expect(model).toMatchObject([
    { state: 'fault', code: 'unreachable', tried: `any (AI_MODEL) at ${url}: lists its models` },
  ]);
  expect(address).toMatchObject([{ state: 'fault', code: 'silent', tried: `${url} (PUBLIC_URL)` }]);
  expect(brief(clock)).toEqual(['off not_compared']);
});
