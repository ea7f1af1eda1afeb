import { expect, it } from 'vitest';
import type { ImageResult, Variant } from '#contract';
import type { CmsHost, Replacement } from '../../../plugin-bridge/host/cms-host.ts';
import { replaceImage } from '../../../plugin-bridge/host/replace-image.ts';

const url = '/v1/sessions/sess_1/download?filename=a.webp';
const file = (name: string, format: string, size: number): Variant => ({
  ...{ name, format, size, width: 8, height: 8, filename: `a.${format}`, path: '', url, sha256: '' },
});

/** Replaces an image of 100 bytes by these files, and returns what the CMS receives. */
async function replaceBy(...variants: Variant[]): Promise<Replacement> {
  const result = {
    status: 'completed',
    format: 'webp',
    mimeType: 'image/webp',
    original: { size: 100 },
    warnings: [],
    variants,
  };
  let received: Replacement | undefined;
  const host = {
    downloads: true,
    replace: async (_: string, replacement: Replacement) => {
      received = replacement;
    },
  } as unknown as CmsHost;
  const image = { id: '1', result: result as unknown as ImageResult, metadata: null, settings: {} as never };
  await replaceImage(image, { host, download: null as never, decode: null as never, text: (key) => key });
  return received as Replacement;
}

it('a CMS receives the files of the main format alone, each size once', async () => {
  const { variants } = await replaceBy(file('full', 'webp', 50), file('4w', 'webp', 9), file('full', 'jpeg', 70));
  expect(variants.map(({ name, filename, mime }) => [name, filename, mime])).toEqual([
    ['full', 'a.webp', 'image/webp'],
    ['4w', 'a.webp', 'image/webp'],
  ]);
});

it('a main file without a gain replaces nothing, whatever other formats there are', async () => {
  await expect(replaceBy(file('full', 'webp', 100), file('full', 'jpeg', 70))).rejects.toMatchObject({
    code: 'no_gain',
  });
});
