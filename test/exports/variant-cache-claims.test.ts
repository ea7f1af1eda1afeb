import { expect, it } from 'vitest';
import type { CachedVariantRecord } from '../../server/db/index.ts';
import { createVariantCache, type VariantOrder } from '../../server/exports/variant-cache.ts';
import { turnOf } from '../support/turn.ts';

const order = {
  image: { accountId: 'acct_a', sha256: 'ab', format: 'png', uploadPath: 'u' },
  settings: { format: 'webp', preset: 'high', keepCopyright: true },
  variants: [{ name: 'full' }],
} as unknown as VariantOrder;
const options = { turn: turnOf(), signal: new AbortController().signal, onStep: () => {} };

/** A cache whose records live in a map and whose look-ups take as many milliseconds as `delays` says, one after another. */
function slowCache(delays: number[]) {
  const records = new Map<string, CachedVariantRecord>();
  let encodes = 0;
  const cache = createVariantCache({
    cachedVariants: {
      findMany: async (keys: string[]) => {
        const found = keys.flatMap((key) => records.get(key) ?? []);
        await new Promise((resolve) => setTimeout(resolve, delays.shift() ?? 0));
        return found;
      },
      async put(record: CachedVariantRecord) {
        records.set(record._id, record);
        return null;
      },
    },
    store: {
      head: async () => ({ size: 1 }),
      check: async () => 'intact',
      putFile: async () => {},
      withLocalFile: (key: string, use: (path: string) => Promise<unknown>) => use(key),
    },
    scratch: { newFile: () => 'x.part', discard: async () => {} },
    processor: {
      signerOf: () => undefined,
      render: async (request: { variants: object[] }) => {
        encodes += request.variants.length;
        return request.variants.map(() => ({ name: 'full', file: '', size: 1 }));
      },
    },
    logger: { info: () => {} },
    config: { VARIANT_CACHE_HOURS: 1, VARIANT_CACHE_MB: 1 },
  } as unknown as Parameters<typeof createVariantCache>[0]);
  return { cache, encodes: () => encodes };
}

it('encodes once when a second look-up began before the first encoding ended and came back after it', async () => {
  const { cache, encodes } = slowCache([1, 60]);
  const results = await Promise.all([cache.obtain(order, options), cache.obtain(order, options)]);
  expect(encodes()).toBe(1);
  expect(results.map(({ fromCache }) => fromCache).sort()).toEqual([false, true]);
});

it('delivers a variant that is asked for twice in one order', async () => {
  const { cache, encodes } = slowCache([]);
  const twice = { ...order, variants: [...order.variants, ...order.variants] };
  expect((await cache.obtain(twice, options)).records).toHaveLength(2);
  expect(encodes()).toBeGreaterThan(0);
});
