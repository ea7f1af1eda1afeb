import { describe, expect, it } from 'vitest';
import { conformanceTests } from '../../../plugin-bridge/host/conformance/index.ts';
import { folderKit } from './folder-kit.ts';
import { createShelf } from './shelf.ts';

/** Any bytes: these hosts do not look at them. */
const IMAGES = ['beach.jpg', 'harbour.jpg', 'hill.png', 'wood.webp'].map((name) => ({
  name,
  bytes: new TextEncoder().encode(`the original of ${name}, of some length`),
}));

describe('the folder host', () => {
  for (const { name, run } of conformanceTests(folderKit(IMAGES))) it(name, run);
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
