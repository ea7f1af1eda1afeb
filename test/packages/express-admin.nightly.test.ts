import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conformanceTests, type HostKit } from '../../plugin-bridge/host/conformance/index.ts';
import type { createRemoteHost } from '../../plugin-bridge/host/index.ts';
import { startConnect } from '../plugin-bridge/host/connect-kit.ts';
import { mediaFolder } from '../plugin-bridge/host/media-folder.ts';
import { photographs } from '../plugin-bridge/host/photographs.ts';
import { filesOfPage, ownLines } from '../support/files-of-page.ts';
import { envOutside } from '../support/install-packages.ts';
import { createEmptyProject, type EmptyProject, packAll } from './empty-project.ts';

/** The admin of `docs/embedding.md`, word for word, in an empty project with the packages that the page says. */
const FILES = filesOfPage('docs/embedding.md');
const PASSWORD = 'a password';
const headers = { Authorization: `Basic ${btoa(`editor:${PASSWORD}`)}` };

let project: EmptyProject;
let service: Awaited<ReturnType<typeof startConnect>>;
let installed: { createRemoteHost: typeof createRemoteHost; conformanceTests: typeof conformanceTests };
let admin: { url: string; child: ChildProcess };
let crashing = false;

beforeAll(async () => {
  const archives = await packAll();
  project = await createEmptyProject();
  await project.install([archives['imagewright-element'] ?? '', archives['imagewright-host'] ?? '', 'express@5']);
  for (const [path, code] of FILES) {
    await mkdir(dirname(join(project.folder, path)), { recursive: true });
    await writeFile(join(project.folder, path), code);
  }
  const load = (file: string) =>
    import(pathToFileURL(join(project.folder, 'node_modules/@imagewright/host', file)).href);
  installed = { ...(await load('index.js')), ...(await load('conformance.js')) };
  service = await startConnect(async (apiKey) => {
    await stop();
    await start(apiKey);
    return `${admin.url}/admin/imagewright`;
  });
  await start();
});
afterAll(async () => {
  await stop();
  await service?.close();
  await rm(project.folder, { recursive: true, force: true });
});

const faults = () => join(project.folder, 'faults');

/** Starts the admin again if it has crashed, and lets no further write fail. */
async function revive(): Promise<void> {
  const { child } = admin;
  // It is empty when the fault has happened.
  const isCrash = crashing && readFileSync(faults(), 'utf8') === '';
  crashing = false;
  if (!isCrash) return writeFileSync(faults(), '');
  if (child.signalCode === null) await once(child, 'exit');
  await start();
}

/** Starts the admin; again at the address that it had. */
async function start(apiKey = 'iw_none'): Promise<void> {
  writeFileSync(faults(), '');
  const child = spawn(
    process.execPath,
    ['--import', pathToFileURL(resolve('test/packages/disk-faults.mjs')).href, 'server.js'],
    {
      cwd: project.folder,
      env: {
        ...{ ...envOutside(), FAULTS: faults(), ADMIN_PASSWORD: PASSWORD },
        ...{ IMAGEWRIGHT_URL: service.url, IMAGEWRIGHT_API_KEY: apiKey, PORT: admin ? new URL(admin.url).port : '0' },
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    admin = { url: new URL(line).origin, child };
    return;
  }
  throw new Error('the admin has printed no address');
}

async function stop(): Promise<void> {
  const { child } = admin ?? {};
  if (!child || child.exitCode !== null || child.signalCode) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const hostOf = () => installed.createRemoteHost(`${admin.url}/admin/imagewright`, { headers: () => headers });

const images = await photographs(4);
const kit: HostKit = {
  images,
  connect: (...args) => service.connect(...args),
  offer: (...args) => service.offer(...args),
  async start(files) {
    const { fill, ...visitors } = mediaFolder(join(project.folder, 'media'), () => `${admin.url}/media`);
    await fill(files);
    return {
      ...visitors,
      host: hostOf(),
      async reopen() {
        if (crashing) await revive();
        return hostOf();
      },
      failAt(write, how) {
        crashing = how === 'crash';
        writeFileSync(faults(), `${write} ${how}`);
      },
      close: revive,
    };
  },
};

it('has at most 60 own lines', () => {
  expect(ownLines(FILES.values())).toBeLessThanOrEqual(60);
});

it('lets nobody in without the password, and changes nothing for pages of other sites', async () => {
  for (const path of ['/admin/', '/admin/imagewright/v1/limits', '/admin/imagewright/media']) {
    expect({ path, status: (await fetch(admin.url + path)).status }).toEqual({ path, status: 401 });
  }
  const restore = `${admin.url}/admin/imagewright/media/photo-0.jpg/restore`;
  for (const [name, value] of [
    ['Sec-Fetch-Site', 'cross-site'],
    ['Origin', 'https://other.example'],
  ] as const) {
    const answer = await fetch(restore, { method: 'POST', headers: { ...headers, [name]: value } });
    expect({ name, status: answer.status }).toEqual({ name, status: 403 });
  }
});

describe('the Express admin of docs/embedding.md passes the kit:', () => {
  // Of the same names as those that are installed.
  for (const { name } of conformanceTests(kit)) {
    it(name, async () => {
      const test = installed.conformanceTests(kit).find((one) => one.name === name);
      await test?.run();
      expect(test).toBeDefined();
    });
  }
});
