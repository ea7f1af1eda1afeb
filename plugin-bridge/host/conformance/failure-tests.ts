import { firstOf, replaceNamed } from './replacing-tests.ts';
import {
  claim,
  claimFiles,
  claimRejects,
  type HostKit,
  imageNamed,
  listAll,
  replacementOf,
  type World,
  type WorldTest,
} from './world.ts';

/** More writes than a host needs for one image. */
const MOST_WRITES = 60;

/**
 * Does a work again and again, each time with the next write failing, until none fails. Afterwards the image is restored, and everything
 * has to be as it was.
 */
async function failEverywhere(
  kit: HostKit,
  how: 'crash' | 'full',
  { prepare, work }: { prepare?: Work; work: Work },
): Promise<void> {
  for (let write = 1; write <= MOST_WRITES; write += 1) {
    const world = await kit.start(kit.images.slice(0, 2));
    try {
      if (!world.failAt) return;
      const before = await world.files();
      const { id } = await imageNamed(world.host, firstOf(kit).name);
      await prepare?.(world, id);
      await world.failAt(write, how);
      const failed = await work(world, id).then(
        () => false,
        () => true,
      );
      const host = how === 'crash' ? await world.reopen() : world.host;
      if (how === 'full') await world.failAt(Number.POSITIVE_INFINITY, 'full');
      const listed = (await listAll(host)).find((image) => image.id === id);
      claim(listed, `after write ${write}: the image is no longer listed`);
      await host.restore(id);
      await claimFiles(world, before, `after write ${write}, restored`);
      if (!failed) return;
    } finally {
      await world.close?.();
    }
  }
  claim(false, `one image takes more than ${MOST_WRITES} writes`);
}

type Work = (world: World, id: string) => Promise<unknown>;

/** Tests of what goes wrong. */
export const failureTests: WorldTest[] = [
  {
    name: 'leaves an image as it was if a download is damaged',
    async run(world, kit) {
      const before = await world.files();
      const { id } = await imageNamed(world.host, firstOf(kit).name);
      const replacement = await replacementOf(kit, firstOf(kit), { widths: [2], damaged: true });
      const end = await world.host.replace(id, replacement).then(
        () => 'replaced',
        () => 'rejected',
      );
      claim(end === 'rejected', 'replace: took a damaged file');
      await claimFiles(world, before, 'replace');
      claim((await imageNamed(world.host, firstOf(kit).name)).status === 'original', 'list: says that it is replaced');
    },
  },
  {
    name: 'can restore after a crash between any two steps of a replacement',
    needs: 'faults',
    run: async (_, kit) =>
      failEverywhere(kit, 'crash', {
        work: async ({ host }, id) => host.replace(id, await replacementOf(kit, firstOf(kit), { widths: [2] })),
      }),
  },
  {
    name: 'can restore after a crash between any two steps of a second replacement',
    needs: 'faults',
    run: async (_, kit) =>
      failEverywhere(kit, 'crash', {
        prepare: ({ host }) => replaceNamed(host, kit, firstOf(kit), { widths: [2] }),
        work: async ({ host }, id) => host.replace(id, await replacementOf(kit, firstOf(kit), { round: 2 })),
      }),
  },
  {
    name: 'can restore after a crash between any two steps of restoring',
    needs: 'faults',
    run: async (_, kit) =>
      failEverywhere(kit, 'crash', {
        prepare: ({ host }) => replaceNamed(host, kit, firstOf(kit), { widths: [2] }),
        work: ({ host }, id) => host.restore(id),
      }),
  },
  {
    name: 'can restore after a full disk at any step of a replacement',
    needs: 'faults',
    run: async (_, kit) =>
      failEverywhere(kit, 'full', {
        work: async ({ host }, id) => host.replace(id, await replacementOf(kit, firstOf(kit), { widths: [2] })),
      }),
  },
  {
    name: 'names a full disk as such, and leaves the image as it was',
    needs: 'faults',
    async run(world, kit) {
      if (!world.failAt) return;
      const before = await world.files();
      const { id } = await imageNamed(world.host, firstOf(kit).name);
      await world.failAt(1, 'full');
      await claimRejects(world.host.replace(id, await replacementOf(kit, firstOf(kit))), ['no_space'], 'replace');
      await world.failAt(Number.POSITIVE_INFINITY, 'full');
      await claimFiles(world, before, 'replace');
    },
  },
];
