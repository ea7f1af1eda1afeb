import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedService, sharedService } from '../support/shared-service.ts';

describe('the documented workflow', () => {
  let test: SharedService;
  beforeAll(async () => {
    test = await sharedService();
  });

  it('creates a session, samples, exports and downloads, and the sample is what is delivered', async () => {
    const { api } = await test.createAccount();
    const uploaded = await api.upload(['photos/photo-brushes.jpg', 'photos/graphic-badge-alpha.png']);
    expect(uploaded.images.map((image) => image.format)).toEqual(['jpeg', 'png']);

    const sample = await api.run('sample', uploaded);
    expect(await api.balance()).toBe(25);
    const exported = await api.run('export', uploaded);
    expect(await api.balance()).toBe(23);
    if (sample.last.event !== 'complete' || exported.last.event !== 'complete') throw new Error('expected completion');

    const hashes = (results: typeof exported.last.data.results) => results.map(({ variants }) => variants[0]?.sha256);
    expect(hashes(exported.last.data.results)).toEqual(hashes(sample.last.data.results));
    expect(exported.last.data.results.every(({ fromCache }) => fromCache)).toBe(true);

    for (const result of exported.last.data.results) {
      const [full] = result.variants;
      const response = await api.request(full?.url ?? '');
      expect(response.status).toBe(200);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.length).toBe(full?.size);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: full?.width, height: full?.height });
    }
  });
});
