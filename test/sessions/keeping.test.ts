import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ImageRecord, SessionRecord } from '../../server/db/index.ts';
import type { Processor } from '../../server/processing/index.ts';
import { createSessions } from '../../server/sessions/index.ts';
import { createFolderStore, createScratch } from '../../server/storage/index.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-keep-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Sessions with one session of 2 places taken, over a database that keeps `kept` images of an insert and then fails. */
async function breaking(at: 'placing' | 'inserting', kept = 0) {
  const store = createFolderStore({ directory });
  const scratch = createScratch({ directory: join(directory, 'incoming') });
  await scratch.prepare();
  const session = { _id: 'sess_1', accountId: 'acct_1', imageCount: 2, expiresAt: new Date(), createdAt: new Date() };
  let records: ImageRecord[] = [];
  let placed = 0;
  const sessions = createSessions({
    requireAccount: async () => {},
    limits: { within: (_account, _addition, add) => add() },
    scratch,
    store: {
      ...store,
      async putFile(key, file, facts) {
        placed += 1;
        if (at === 'placing' && placed === 3) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        await store.putFile(key, file, facts);
      },
    },
    repositories: {
      sessions: {
        findLive: async () => session as SessionRecord,
        touch: async () => {},
        reserveImages: async (_: string, { count }: { count: number }) => {
          session.imageCount += count;
          return session.imageCount - count;
        },
        releaseImages: async (_: string, { count }: { count: number }) => {
          session.imageCount -= count;
        },
      },
      images: {
        findMany: async () => records,
        insertMany: async (images: ImageRecord[]) => {
          records = images.slice(0, kept);
          throw new Error('broken off');
        },
      },
    } as never,
    processor: { probe: async () => ({ format: 'png' }) } as unknown as Processor,
    config: { SESSION_TTL_HOURS: 1, MAX_IMAGES_PER_SESSION: 10 },
  });
  const files = Array.from({ length: 4 }, (_, index) => {
    const file = scratch.newFile();
    return { originalFilename: `${index}.png`, file, size: 1, sha256: 'x' };
  });
  for (const { file } of files) await writeFile(file, 'x');
  const added = sessions.addImages(session as SessionRecord, { files }, { id: 'work', isRepeated: false });
  const stored = () => readdir(join(directory, 'sessions', 'sess_1'));
  return { added, session, stored, kept: () => records.map(({ uploadPath }) => uploadPath.split('/').at(-1)) };
}

it('images that find no room on the disk leave no files, and their places are given back', async () => {
  const { added, session, stored } = await breaking('placing');
  await expect(added).rejects.toMatchObject({ code: 'ENOSPC' });
  expect([session.imageCount, await stored()]).toEqual([2, []]);
});

it('of images whose records were written in part, those without a record are undone', async () => {
  const { added, session, stored, kept } = await breaking('inserting', 1);
  await expect(added).rejects.toThrow('broken off');
  expect([session.imageCount, await stored()]).toEqual([3, kept()]);
});
