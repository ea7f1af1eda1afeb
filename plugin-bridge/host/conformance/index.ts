// Owns the tests that every host of a CMS passes. Runs under any test runner.
import { connectedTests } from './connected-tests.ts';
import { failureTests } from './failure-tests.ts';
import { readingTests } from './reading-tests.ts';
import { replacingTests } from './replacing-tests.ts';
import type { ConformanceTest, HostKit } from './world.ts';

export type {
  ConformanceTest,
  ConnectedPage,
  HostKit,
  MadeReplacement,
  NamedBytes,
  ReplacementOptions,
  World,
} from './world.ts';

/**
 * Returns the tests of a host: `for (const { name, run } of conformanceTests(kit)) test(name, run)`. Each makes a CMS of its own.
 * @param kit the host, and images for it
 */
export function conformanceTests(kit: HostKit): ConformanceTest[] {
  const all = [...readingTests, ...replacingTests, ...failureTests, ...connectedTests];
  return all
    .filter(({ needs }) => needs !== 'service' || kit.connect)
    .map(({ name, needs = 'nothing', images = kit.images.length, run }) => ({
      name,
      needs,
      async run() {
        const world = await kit.start(imagesOf(kit, images));
        try {
          await run(world, kit);
        } finally {
          await world.close?.();
        }
      },
    }));
}

/** Returns so many images: those of the kit, and copies of them under other names. */
function imagesOf({ images }: HostKit, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const image = images[index % images.length];
    if (!image) throw new TypeError('conformanceTests: expected images');
    const round = Math.floor(index / images.length);
    return round === 0 ? image : { ...image, name: `${round}-${image.name}` };
  });
}
