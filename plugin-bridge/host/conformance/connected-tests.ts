import type { RunProgress } from '../run-images.ts';
import { claim, claimFiles, listAll, type WorldTest } from './world.ts';

const idsOf = async (host: Parameters<typeof listAll>[0]) => (await listAll(host)).map(({ id }) => id);

/** Says how a run ended, with the reason and the first image that failed. */
function ending(end: RunProgress | null | undefined): string {
  const failure = end?.outcomes.find(({ status }) => status === 'failed');
  const why = [end?.reason?.message, failure && `${failure.filename}: ${failure.message}`].filter(Boolean).join('; ');
  return `${end?.phase}, ${end?.replaced} of ${end?.total} images replaced${why && ` (${why})`}`;
}

/** Tests of a whole run with a service: images have to be real ones. */
export const connectedTests: WorldTest[] = [
  {
    name: 'pays one credit an image, and nothing to restore',
    needs: 'service',
    async run(world, kit) {
      const before = await world.files();
      const page = await kit.connect?.(world.host, { credits: 50 });
      const ids = await idsOf(world.host);
      const end = await page?.run(ids);
      claim(end?.replaced === ids.length, `run: ${ending(end)}`);
      claim(
        (await page?.charged()) === ids.length,
        `run: paid ${await page?.charged()} credits for ${ids.length} images`,
      );
      for (const id of ids) await world.host.restore(id);
      await claimFiles(world, before, 'restore');
      claim((await page?.charged()) === ids.length, 'restore: has cost credits');
    },
  },
  {
    name: 'stops when credits run out, and goes on without paying twice',
    needs: 'service',
    async run(world, kit) {
      const page = await kit.connect?.(world.host, { credits: 2 });
      const ids = await idsOf(world.host);
      const end = await page?.run(ids);
      claim(end?.phase === 'stopped' && end.replaced === 2, `run: ${ending(end)}`);
      await page?.setCredits(50);
      await page?.resume();
      claim((await page?.charged()) === ids.length, `resume: paid ${await page?.charged()} credits`);
    },
  },
  {
    name: 'changes nothing while the service is away, and goes on when it is back',
    needs: 'service',
    async run(world, kit) {
      const before = await world.files();
      const page = await kit.connect?.(world.host, { credits: 50 });
      const ids = await idsOf(world.host);
      page?.setAway(true);
      const end = await page?.run(ids);
      claim(end?.phase === 'stopped' && end.reason !== null, `run: no reason: ${ending(end)}`);
      await claimFiles(world, before, 'run');
      page?.setAway(false);
      const resumed = await page?.resume();
      claim(resumed?.replaced === ids.length, `resume: ${ending(resumed)}`);
      claim((await page?.charged()) === ids.length, `resume: paid ${await page?.charged()} credits`);
    },
  },
  {
    name: 'says once that the key is wrong, and changes nothing',
    needs: 'service',
    async run(world, kit) {
      const before = await world.files();
      const page = await kit.connect?.(world.host, { credits: 50, wrongKey: true });
      const end = await page?.run(await idsOf(world.host));
      claim(end?.phase === 'stopped' && end.reason !== null, `run: no reason: ${ending(end)}`);
      claim(end.failed === 0, `run: ${end.failed} images failed one by one`);
      await claimFiles(world, before, 'run');
    },
  },
];
