import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conformanceTests, type HostKit } from '../../../plugin-bridge/host/conformance/index.ts';
import { startConnect } from './connect-kit.ts';
import { folderKit } from './folder-kit.ts';
import { photographs } from './photographs.ts';
import { createShelf } from './shelf.ts';

/** Any bytes: these hosts do not look at them. */
const IMAGES = ['beach.jpg', 'harbour.jpg', 'hill.png', 'wood.webp'].map((name) => ({
  name,
  bytes: new TextEncoder().encode(`the original of ${name}, of some length`),
}));

/** Images that the service takes. */
const PHOTOGRAPHS = await photographs(4);

describe('the folder host', () => {
  for (const { name, run } of conformanceTests(folderKit(IMAGES))) it(name, run);
});

describe('with a service', () => {
  let service: Awaited<ReturnType<typeof startConnect>>;
  beforeAll(async () => {
    service = await startConnect();
  });
  afterAll(() => service?.close());

  const kit = { ...folderKit(PHOTOGRAPHS), connect: (...args) => service.connect(...args) } satisfies HostKit;
  const tests = conformanceTests(kit).filter(({ needs }) => needs === 'service');
  it('has four tests', () => expect(tests).toHaveLength(4));
  for (const { name, run } of tests) it(`the folder host ${name}`, run);
});

describe('the kit', () => {
  it('finds the faults of a host that keeps no promise', async () => {
    const tests = conformanceTests({
      images: IMAGES,
      async start(images) {
        const shelf = createShelf([...images]);
        return {
          host: shelf,
          reopen: async () => shelf,
          files: async () =>
            new Map([...shelf.images].map(([id, { files, bytes }]) => [id, files[0]?.bytes ?? bytes] as const)),
          async overwrite(id, bytes) {
            Object.assign(shelf.images.get(id) ?? {}, { bytes });
          },
        };
      },
    });
    const found: string[] = [];
    for (const { name, run } of tests) await run().catch(() => found.push(name));
    expect(found).toEqual(
      expect.arrayContaining([
        'finds images by a part of their name',
        'never overwrites an image that was changed since its upload',
        'stores every size, and restoring removes them',
      ]),
    );
  });
});
