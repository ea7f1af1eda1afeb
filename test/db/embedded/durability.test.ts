import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from '../../../server/db/embedded/index.ts';
import { connect, freshDirectory, rejection } from './embedded-fixture.ts';

describe('a store', () => {
  it('has its documents, indexes and rules again after a restart', async () => {
    const directory = freshDirectory();
    const first = await startEmbedded({ directory });
    const before = await connect(first.uri);
    const docs = before.collection('docs');
    await docs.createIndex({ names: 1 }, { unique: true, partialFilterExpression: { open: true } });
    await docs.insertMany([{ n: 1, names: ['a', 'b'], open: true }, { n: 2 }]);
    const indexes = await docs.indexes();
    await before.close();
    await first.close();

    const second = await startEmbedded({ directory });
    onTestFinished(() => second.close());
    const after = await connect(second.uri);
    onTestFinished(() => after.close());
    const again = after.collection('docs');
    expect(await again.indexes()).toEqual(indexes);
    expect(await again.find({}, { projection: { _id: 0, n: 1 } }).toArray()).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await rejection(again.insertOne({ names: ['b'], open: true }))).toMatchObject({ code: 11000 });
    expect(await again.countDocuments({ names: { $gte: 'a', $lte: 'a' }, open: true })).toBe(1);
  });

  it('refuses writes on a full disk, keeps what it acknowledged and goes on', async (context) => {
    const mount = join(freshDirectory(), 'small');
    mkdirSync(mount);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', mount], { stdio: 'pipe' });
    } catch (error) {
      console.warn(`SKIPPED the full disk: mounting a tmpfs is not allowed here (${(error as Error).message.trim()})`);
      context.skip();
    }
    onTestFinished(() => void execFileSync('umount', ['-l', mount]));
    const store = await startEmbedded({ directory: join(mount, 'data') });
    onTestFinished(() => store.close());
    const connection = await connect(store.uri);
    onTestFinished(() => connection.close());
    const docs = connection.collection<{ _id: number; k: number; text: string }>('docs');
    await docs.createIndex({ k: 1 });
    const kept: number[] = [];
    let refusal: Error | undefined;
    for (let n = 0; n < 500 && !refusal; n++) {
      const insert = docs.insertOne({ _id: n, k: n, text: 'x'.repeat(50_000) });
      await insert.then(
        () => kept.push(n),
        (error) => {
          refusal = error;
        },
      );
    }
    // LMDB reports a write that the disk took only in part as an input/output error.
    expect(String(refusal)).toMatch(/No space left|Input\/output error/);
    expect((await docs.find().toArray()).map(({ _id }) => _id)).toEqual(kept);
    expect(await docs.countDocuments({ k: { $gte: 0 } })).toBe(kept.length);
    execFileSync('mount', ['-o', 'remount,size=16m', mount]);
    await docs.insertOne({ _id: -1, k: -1, text: 'y'.repeat(50_000) });
    expect(await docs.countDocuments()).toBe(kept.length + 1);
  });
});
