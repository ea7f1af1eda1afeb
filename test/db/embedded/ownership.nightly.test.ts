import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, type Mock, onTestFinished, vi } from 'vitest';
import { startEmbedded } from '../../../server/db/embedded/index.ts';
import { addressOf, noteOf } from '../../../server/db/embedded/ownership.ts';
import { startChildStore } from './child-store.ts';
import { connect, freshDirectory, rejection } from './embedded-fixture.ts';

const socketOf = (uri: string) => decodeURIComponent(/\/\/([^/]+)/.exec(uri)?.[1] ?? '');

/** Does something to a client's socket as it is given a command, the first time: no delay comes between the two. */
function atTheWriteOf(command: string, act: (socket: Socket) => void): Mock<(socket: Socket) => void> {
  const once = vi.fn(act);
  const { write } = Socket.prototype;
  const spy = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (this: Socket, ...sent) {
    const [bytes] = sent;
    if (once.mock.calls.length === 0 && Buffer.isBuffer(bytes) && bytes.includes(command)) once(this);
    return write.apply(this, sent as Parameters<typeof write>);
  });
  onTestFinished(() => spy.mockRestore());
  return once;
}

describe('a directory', () => {
  it('is served on a socket that only its user can reach', async () => {
    const directory = join(freshDirectory(), 'new', 'data');
    const store = await startEmbedded({ directory });
    onTestFinished(() => store.close());
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(socketOf(store.uri)).mode & 0o777).toBe(0o600);
  });

  it('with a long path has its socket at a short one', async () => {
    const directory = join(freshDirectory(), 'x'.repeat(120));
    const store = await startEmbedded({ directory });
    const socket = socketOf(store.uri);
    onTestFinished(() => rmSync(join(socket, '..'), { recursive: true }));
    onTestFinished(() => store.close());
    expect(Buffer.byteLength(socket)).toBeLessThan(100);
    expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700);
    const connection = await connect(store.uri);
    await connection.collection('docs').insertOne({ n: 1 });
    await connection.close();
    expect(readdirSync(directory)).toContain('data.mdb');
  });

  it('that another process serves is reached through it, and goes on when this one closes', async () => {
    const directory = freshDirectory();
    const owner = await startChildStore(directory);
    onTestFinished(owner.kill);
    const guest = await startEmbedded({ directory });
    expect(guest.uri).toBe(owner.uri);
    const connection = await connect(guest.uri);
    await connection.collection('docs').insertOne({ n: 1 });
    await guest.close();
    expect(await connection.collection('docs').countDocuments()).toBe(1);
    await owner.kill();
    expect(await rejection(connection.collection('docs').countDocuments())).toBeInstanceOf(Error);
    await connection.close();
  });

  it.each(['end', 'destroy'] as const)(
    'whose server is gone (%s) at the instant of a write refuses it at once',
    async (way) => {
      const store = await startEmbedded({ directory: freshDirectory() });
      onTestFinished(() => store.close());
      const connection = await connect(store.uri, { retryReads: false });
      onTestFinished(() => connection.close());
      const docs = connection.collection('docs');
      await docs.insertOne({ n: 1 });
      const lost = atTheWriteOf('aggregate', (socket) => socket[way]());
      // Without the remedy the driver waits for ever, past every limit of time.
      expect(await rejection(docs.countDocuments())).toBeInstanceOf(Error);
      expect(lost).toHaveBeenCalledOnce();
      await expect.poll(() => docs.countDocuments().catch(() => null)).toBe(1);
    },
  );

  it('is served once within a process too', async () => {
    const directory = freshDirectory();
    const first = await startEmbedded({ directory });
    const second = await startEmbedded({ directory });
    expect(second.uri).toBe(first.uri);
    await second.close();
    const connection = await connect(first.uri);
    await connection.collection('docs').insertOne({ n: 1 });
    await connection.close();
    await first.close();
  });

  it('is taken over from a process that was killed, and its stale socket is removed', async () => {
    const directory = freshDirectory();
    const killed = await startChildStore(directory);
    const before = await connect(killed.uri);
    await before.collection('docs').insertOne({ n: 1 });
    await killed.kill();
    await before.close(true);
    expect(statSync(socketOf(killed.uri)).isSocket()).toBe(true);
    const store = await startEmbedded({ directory });
    onTestFinished(() => store.close());
    expect(readdirSync(directory).filter((name) => name.endsWith('.sock'))).toHaveLength(1);
    const after = await connect(store.uri);
    expect(await after.collection('docs').countDocuments()).toBe(1);
    await after.close();
  });

  it.each([
    ['short', ''],
    ['long', 'x'.repeat(120)],
  ])('with a %s path that is a copy of one that is served is a database of its own', async (_name, below) => {
    const [original, copy] = [join(freshDirectory(), below), join(freshDirectory(), below)];
    const first = await startEmbedded({ directory: original });
    onTestFinished(() => first.close());
    const before = await connect(first.uri);
    onTestFinished(() => before.close());
    await before.collection('docs').insertOne({ n: 1 });
    mkdirSync(copy, { recursive: true });
    for (const name of readdirSync(original).filter((name) => name.endsWith('.mdb')))
      copyFileSync(join(original, name), join(copy, name));

    const second = await startEmbedded({ directory: copy });
    onTestFinished(() => second.close());
    if (below)
      for (const { uri } of [first, second])
        onTestFinished(() => rmSync(join(socketOf(uri), '..'), { recursive: true }));
    expect(second.owner).toBe(true);
    const after = await connect(second.uri);
    onTestFinished(() => after.close());
    await after.collection('docs').insertOne({ n: 2 });
    expect(await after.collection('docs').countDocuments()).toBe(2);
    expect(await before.collection('docs').countDocuments()).toBe(1);
  });

  it('is the same one through a link', async () => {
    const directory = freshDirectory();
    const link = join(freshDirectory(), 'link');
    symlinkSync(directory, link);
    const first = await startEmbedded({ directory });
    onTestFinished(() => first.close());
    expect(await startEmbedded({ directory: link })).toMatchObject({ owner: false, uri: first.uri });
  });

  it('on a port is known by its place, which a copy does not have', () => {
    const [here, there] = [
      { sockets: '/a', id: 'aa' },
      { sockets: '/b', id: 'bb' },
    ];
    const note = noteOf('127.0.0.1:4000', here);
    expect(addressOf(note, here)).toBe('127.0.0.1:4000');
    expect(addressOf(note, there)).toBe('');
    expect(addressOf('/a/12345678.sock', there)).toBe('/b/12345678.sock');
  });

  it('has one owner when several start at the same moment over a stale socket', async () => {
    const directory = freshDirectory();
    for (let round = 0; round < 3; round++) {
      const contenders = [
        startChildStore(directory),
        startChildStore(directory),
        startEmbedded({ directory }),
      ] as const;
      const [first, second, own] = await Promise.all(contenders);
      expect(new Set([first.uri, second.uri, own.uri]).size).toBe(1);
      const connection = await connect(own.uri);
      await connection.collection('docs').insertOne({ round });
      expect(await connection.collection('docs').countDocuments()).toBe(round + 1);
      await connection.close();
      await Promise.all([first.kill(), second.kill(), own.close()]);
    }
  });

  it('that cannot be used is refused', async () => {
    const directory = freshDirectory();
    mkdirSync(join(directory, 'data.mdb'));
    expect(await rejection(startEmbedded({ directory }))).toBeInstanceOf(Error);
  });
});
