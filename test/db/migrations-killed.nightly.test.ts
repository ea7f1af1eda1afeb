import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from '../../server/db/index.ts';
import { MIGRATIONS, migrate } from '../../server/db/migrations/index.ts';
import { createRepositories } from '../../server/db/repositories/index.ts';
import { connect, freshDirectory } from './embedded/embedded-fixture.ts';
import { startReplicaSet } from './replica-set/index.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/data-before-versions/', import.meta.url));
/** Commands between two places at which a migration is killed. */
const STEP = 13;

/** Opens a copy of the data of before versions, behind a proxy at which a process can be cut off. */
async function openCopy() {
  const directory = freshDirectory();
  await cp(join(FIXTURE, 'db'), join(directory, 'db'), { recursive: true });
  const store = await startEmbedded({ directory: join(directory, 'db') });
  const set = await startReplicaSet(store.uri);
  onTestFinished(async () => {
    await set.close();
    await store.close();
  });
  /** Migrates as a process of its own does. */
  async function run(): Promise<void> {
    const connection = await connect(set.uri, { autoIndex: false, autoCreate: false });
    const { cluster } = createRepositories(connection);
    try {
      await migrate({ connection, cluster, migrations: MIGRATIONS, log: () => {}, alone: true });
    } finally {
      await connection.close();
    }
  }
  /** Everything that is stored, without what each attempt writes of itself. */
  async function read(): Promise<Record<string, unknown>> {
    const connection = await connect(store.uri, { autoIndex: false, autoCreate: false });
    const collections = (await connection.db?.listCollections().toArray()) ?? [];
    const data: Record<string, unknown> = {};
    for (const { name } of collections)
      if (name !== 'cluster') data[name] = await connection.collection(name).find().sort({ _id: 1 }).toArray();
    const { dataVersion, migration } = (await createRepositories(connection).cluster.read()) ?? {};
    await connection.close();
    return { ...data, dataVersion, migration };
  }
  return { set, run, read };
}

it('migrations that are killed after any number of commands leave the same data when they are repeated', async () => {
  const complete = await openCopy();
  await complete.run();
  const expected = await complete.read();
  expect(expected).toMatchObject({ dataVersion: MIGRATIONS.length, migration: null });
  const commands = complete.set.seen.length;
  expect(commands).toBeGreaterThan(30);
  for (let after = 1; after < commands; after += STEP) {
    const killed = await openCopy();
    killed.set.inject({ kind: 'error', code: 8000 }, { after, times: Number.POSITIVE_INFINITY });
    await expect(killed.run()).rejects.toThrow('refused with code 8000');
    killed.set.reset();
    await killed.run();
    expect(await killed.read(), `killed after ${after} of ${commands} commands`).toEqual(expected);
  }
});
