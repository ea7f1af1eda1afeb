import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sha256Of, startExportBetween } from '../support/export-between.ts';
import { photograph } from './rig.ts';
import { useRig } from './use-rig.ts';

describe.each(['replace', 'beside'] as const)('files of an attachment (%s)', (delivery) => {
  const { rig, admin, upload, remove } = useRig({ delivery });

  it('are those of its own export, also if another one has taken their names before they are fetched', async () => {
    const { api, apiKey } = rig.account;
    const between = await startExportBetween(rig.service.url, { api, settings: { format: 'webp', preset: 'minimum' } });
    onTestFinished(() => void between.close());
    await rig.define({ IMAGEWRIGHT_URL: between.url, IMAGEWRIGHT_API_KEY: apiKey });
    const image = await upload('hill.jpg', await photograph(400), 'image/jpeg');
    const answer = await admin.json('POST', `/attachments/${image.id}/optimize`, { format: 'webp', preset: 'high' });
    expect(answer).toMatchObject({ status: 'optimized' });
    const [second] = between.second;
    expect([second?.variants.length, between.fetched.length > 0]).toEqual([1, true]);
    const made = Object.keys(await rig.checksums()).filter((name) => !(name in image.checksums));
    const sums = await Promise.all(made.map(async (name) => sha256Of(await readFile(join(rig.site.uploadsDir, name)))));
    // The addresses name the bytes of the first export.
    const told = between.fetched.map((path) => new URL(path, between.url).searchParams.get('filename')?.split('/')[0]);
    expect(sums).toEqual(expect.arrayContaining(told));
    expect(sums).not.toContain(second?.variants[0]?.sha256);
    await remove(image.id);
  });
});
