import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, it, vi } from 'vitest';
import { conformanceTests, type HostKit } from '../../../plugin-bridge/host/conformance/index.ts';
import { createRemoteHost, HostError } from '../../../plugin-bridge/host/index.ts';
import { type Disk, nodeDisk } from '../../../plugin-bridge/host/server/disk.ts';
import { imagewright } from '../../../plugin-bridge/host/server/index.ts';
import { createMedia } from '../../../plugin-bridge/host/server/media.ts';
import { serveLocally } from '../../support/serve-locally.ts';
import { startConnect } from './connect-kit.ts';
import { mediaFolder } from './media-folder.ts';
import { photographs } from './photographs.ts';

const images = await photographs(4);
let present: Awaited<ReturnType<typeof startAdmin>>;
let service: Awaited<ReturnType<typeof startConnect>>;
beforeAll(async () => {
  // Crashes that the tests cause.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  service = await startConnect(async (apiKey) => {
    present.useKey(apiKey);
    return `${present.url}/imagewright`;
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service?.close();
});

/** A disk whose steps fail on request. */
function faultyDisk() {
  let left = Number.POSITIVE_INFINITY;
  let how: 'crash' | 'full' = 'crash';
  const step = <Args extends unknown[]>(work: (...args: Args) => Promise<void>) => {
    return async (...args: Args): Promise<void> => {
      left -= 1;
      if (left > 0 || (how === 'full' && left < 0)) return work(...args);
      throw how === 'full' ? new HostError('no_space', 'no space left') : new Error('crashed');
    };
  };
  const { write, rename, remove } = nodeDisk;
  const disk: Disk = { write: step(write), rename: step(rename), remove: step(remove) };
  return {
    disk,
    failAt(write: number, kind: 'crash' | 'full') {
      left = write;
      how = kind;
    },
  };
}

/** Starts an admin on a folder, as docs/embedding.md describes it. */
async function startAdmin(folder: string, disk: Disk) {
  const list = async () => (await readdir(folder)).sort().map((file) => ({ id: file, file }));
  const host = createMedia({ folder, url: '/media', list }, disk);
  const handlerWith = (apiKey: string) => imagewright({ service: service.url, apiKey, userOf: () => 'editor', host });
  let handler = handlerWith('');
  const app = express();
  app.use('/media', host.serve, express.static(folder));
  app.use('/imagewright', (req, res: ServerResponse) => handler(req, res));
  const { url, close } = await serveLocally(createServer(app));
  return {
    ...{ url, close, host: createRemoteHost(`${url}/imagewright`) },
    useKey(apiKey: string) {
      handler = handlerWith(apiKey);
    },
  };
}

const kit: HostKit = {
  images,
  connect: (...args) => service.connect(...args),
  offer: (...args) => service.offer(...args),
  async start(files) {
    const folder = await mkdtemp(join(tmpdir(), 'imagewright-media-'));
    const { fill, ...visitors } = mediaFolder(folder, () => `${present.url}/media`);
    await fill(files);
    const { disk, failAt } = faultyDisk();
    present = await startAdmin(folder, disk);
    const started = [present];
    let crashed = false;
    return {
      ...visitors,
      host: present.host,
      async reopen() {
        if (crashed) {
          failAt(Number.POSITIVE_INFINITY, 'crash');
          present = await startAdmin(folder, disk);
          started.push(present);
        }
        return createRemoteHost(`${present.url}/imagewright`);
      },
      failAt(write, how) {
        crashed = how === 'crash';
        failAt(write, how);
      },
      async close() {
        for (const one of started) await one.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

describe('the images of a folder behind imagewright', () => {
  for (const { name, run } of conformanceTests(kit)) it(name, run);
});
