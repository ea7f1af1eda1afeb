import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createAdmin } from '../../../examples/express/admin.js';
import { Media } from '../../../examples/express/media.js';
import { createHost } from '../../../examples/express/public/host.js';
import { conformanceTests, type HostKit } from '../../../plugin-bridge/host/conformance/index.ts';
import { serveLocally } from '../../support/serve-locally.ts';
import { startConnect } from './connect-kit.ts';
import { photographs } from './photographs.ts';

const images = await photographs(4);
let service: Awaited<ReturnType<typeof startConnect>>;
beforeAll(async () => {
  service = await startConnect();
});
afterAll(() => service?.close());

/** Steps of a disk that fail on request. */
function faultyDisk() {
  let left = Number.POSITIVE_INFINITY;
  let how: 'crash' | 'full' = 'crash';
  const step = <Args extends unknown[]>(work: (...args: Args) => Promise<void>) => {
    return async (...args: Args): Promise<void> => {
      left -= 1;
      if (left > 0 || (how === 'full' && left < 0)) return work(...args);
      throw how === 'full' ? Object.assign(new Error('no space left'), { code: 'ENOSPC' }) : new Error('crashed');
    };
  };
  return {
    write: { writeFile: step(writeFile), rename: step(rename), rm: step(rm) } as never,
    failAt(write: number, kind: 'crash' | 'full') {
      left = write;
      how = kind;
    },
  };
}

/** Starts the admin on a folder; returns its host and how it is stopped. */
async function startAdmin(folder: string, write: never) {
  const media = await new Media(folder, write).open();
  const app = createAdmin({ media, service: 'http://127.0.0.1:1', apiKey: '' });
  const { url, close } = await serveLocally(createServer(app));
  return { media, url, close, host: await createHost(url) };
}

const kit: HostKit = {
  images,
  connect: (...args) => service.connect(...args),
  async start(files) {
    const folder = await mkdtemp(join(tmpdir(), 'imagewright-express-'));
    const disk = faultyDisk();
    const servers = [await startAdmin(folder, disk.write)];
    const present = () => servers.at(-1) as (typeof servers)[number];
    for (const { name, bytes } of files) await present().media.add(name, bytes);
    let crashed = false;
    return {
      host: present().host,
      async reopen() {
        if (crashed) {
          disk.failAt(Number.POSITIVE_INFINITY, 'crash');
          servers.push(await startAdmin(folder, disk.write));
        }
        return createHost(present().url);
      },
      async files() {
        const { media, url } = present();
        const addresses = media.list().flatMap(({ id, name, replaced }) => {
          return [name, ...(replaced ?? []).slice(1).map((one) => one.name)].map((one) => `/media/${id}/${one}`);
        });
        const read = async (address: string) => new Uint8Array(await (await fetch(url + address)).arrayBuffer());
        return new Map(await Promise.all(addresses.map(async (address) => [address, await read(address)] as const)));
      },
      async overwrite(id, bytes) {
        const { original, replaced } = present().media.find(id);
        await writeFile(join(folder, (replaced?.[0] ?? original).file), bytes);
      },
      failAt(write, how) {
        crashed = how === 'crash';
        disk.failAt(write, how);
      },
      async close() {
        for (const server of servers) await server.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

describe('the host of examples/express', () => {
  for (const { name, run } of conformanceTests(kit)) it(name, run);
});
