import { connect as connectSocket, createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentRange } from '../../../server/db/embedded/catalog.ts';
import { createEngine } from '../../../server/db/embedded/engine.ts';
import { startEmbedded } from '../../../server/db/embedded/index.ts';
import { createProtocolServer } from '../../../server/db/embedded/server.ts';
import { openStore } from '../../../server/db/embedded/store.ts';
import { connect, freshDirectory, rejection } from './embedded-fixture.ts';

/** A store that is served by this very thread, and notes at each commit whether its address still answered. */
async function serveHere(onWrite: () => void = () => {}) {
  const directory = freshDirectory();
  const store = openStore(directory);
  onTestFinished(() => store.close());
  const { server, serve, close } = createProtocolServer();
  const engine = createEngine(store);
  const listeningAtCommit: boolean[] = [];
  const commit = store.transaction;
  store.transaction = (writes) => {
    const result = commit(writes);
    listeningAtCommit.push(server.listening);
    return result;
  };
  const { write } = engine.commits;
  engine.commits.write = (run) => {
    const written = write(run);
    onWrite();
    return written;
  };
  serve(engine);
  const path = join(directory, 'test.sock');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const uri = `mongodb://${encodeURIComponent(path)}/embedded?directConnection=true`;
  return { path, uri, engine, close, listeningAtCommit };
}

describe('a store that closes', () => {
  it('commits what it has accepted and tells it, and gives its address up afterwards', async () => {
    let closed: Promise<void> | undefined;
    // Closing starts between a write and its commit, in the turn in which nothing has been committed.
    const served = await serveHere(() => {
      if (armed) closed ??= served.close();
    });
    let armed = false;
    const connection = await connect(served.uri);
    onTestFinished(() => connection.close());
    const docs = connection.collection('docs');
    await docs.insertOne({ n: 1 });
    armed = true;
    await expect(docs.insertOne({ n: 2 })).resolves.toMatchObject({ acknowledged: true });
    await closed;
    expect(served.listeningAtCommit.length).toBeGreaterThan(0);
    expect(served.listeningAtCommit).not.toContain(false);
    expect(await rejection(docs.insertOne({ n: 3 }))).toBeInstanceOf(Error);
    const kept = served.engine.catalog.find('embedded.docs');
    expect(kept && served.engine.store.count(documentRange(kept))).toBe(2);
  });

  it('waits also for the write of a client that is gone', async () => {
    let closed: Promise<void> | undefined;
    let leave = () => {};
    const served = await serveHere(() => leave());
    const connection = await connect(served.uri);
    onTestFinished(() => connection.close(true));
    const gone = new Promise<void>((resolve) => {
      leave = () => {
        leave = () => {};
        closed = served.close();
        void connection.close(true);
        resolve();
      };
    });
    const unanswered = connection
      .collection('docs')
      .insertOne({ n: 1 })
      .catch(() => {});
    await gone;
    await closed;
    await unanswered;
    expect(served.listeningAtCommit).toEqual([true]);
  });

  it('is not kept by a client that does not read', async () => {
    const { path, close } = await serveHere();
    const deaf = createConnection(path);
    onTestFinished(() => void deaf.destroy());
    await new Promise((resolve) => deaf.once('connect', resolve));
    deaf.pause();
    await close();
    const refused = await rejection(
      new Promise((resolve, reject) => connectSocket(path).once('connect', resolve).once('error', reject)),
    );
    expect(refused).toMatchObject({ code: expect.stringMatching(/ENOENT|ECONNREFUSED/) });
  });

  it('has on disk exactly what it acknowledged, whenever it closes', async () => {
    const directory = freshDirectory();
    let acknowledged = 0;
    for (let round = 0; round < 3; round++) {
      const store = await startEmbedded({ directory });
      const connection = await connect(store.uri, { maxPoolSize: 16 });
      const docs = connection.collection('docs');
      const before = acknowledged;
      const insert = async (): Promise<void> => {
        for (;;) {
          await docs.insertOne({ round });
          acknowledged += 1;
        }
      };
      const ended = Promise.allSettled(Array.from({ length: 16 }, insert));
      await expect.poll(() => acknowledged, { interval: 1 }).toBeGreaterThan(before + 20 * round);
      await store.close();
      const next = await startEmbedded({ directory });
      expect(next.owner).toBe(true);
      const after = await connect(next.uri);
      const found = await after.collection('docs').countDocuments();
      await connection.close(true);
      await ended;
      expect(found).toBe(acknowledged);
      await after.close();
      await next.close();
    }
  });
});
