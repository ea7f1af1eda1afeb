import { expect, it } from 'vitest';
import type { ImageResult } from '../../../../server/contract/index.ts';
import { htmlOf } from '../../../../widget/elements/io-take-away/write-html.ts';
import type { Item } from '../../../../widget/state/index.ts';
import { fetchFile } from '../../../../widget/state/runs/offer-file.ts';

const file = (name: string, format: string, width: number) => ({
  ...{ name, format, width, height: width / 2, filename: `a${name === 'full' ? '' : `-${name}`}.${format}` },
  ...{ path: '', url: '', sha256: '', size: 1 },
});
const result = {
  ...{ format: 'avif', originalFilename: 'a.png', status: 'completed' },
  variants: [
    file('full', 'avif', 800),
    file('400w', 'avif', 400),
    file('full', 'webp', 800),
    file('400w', 'webp', 400),
  ],
} as unknown as ImageResult;

it('a file is found by its variant in the main format, or by its name', async () => {
  const requests: string[] = [];
  const transport = () => ({ downloadFile: async (_: string, filename: string) => requests.push(filename) });
  const core = { sessionId: 'sess_1', transport } as never;
  for (const key of ['full', '400w', 'a.webp', 'a-400w.webp']) await fetchFile(core, result, key);
  expect(requests).toEqual(['a.avif', 'a-400w.avif', 'a.webp', 'a-400w.webp']);
  await expect(fetchFile(core, result, 'a.jpg')).rejects.toMatchObject({ code: 'not_found' });
});

it('the copied HTML lists the files of all formats, with the texts of now', () => {
  const made =
    '<picture><source type="image/avif" srcset="a.avif 800w"><img src="a.webp" alt="Old" loading="lazy"></picture>';
  const html = htmlOf(
    { metadata: { alt: 'New' }, result: { ...result, html: made }, image: null } as unknown as Item,
    'picture',
  );
  expect(html).toBe(made.replace('Old', 'New'));
  expect(htmlOf({ metadata: {}, result, image: null } as unknown as Item, 'picture')).toBe('');
});
