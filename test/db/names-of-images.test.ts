import { expect, it, onTestFinished } from 'vitest';
import { namesOfImages } from '../../server/db/migrations/names-of-images.ts';
import { buildIndexes } from '../../server/db/prepare-data.ts';
import { createRepositories } from '../../server/db/repositories/index.ts';
import { connect, useDatabase } from './embedded/embedded-fixture.ts';

const database = useDatabase();
const SESSION = 'sess_1';
const facts = { accountId: 'acct_1', sessionId: SESSION, namespace: SESSION, updatedAt: new Date() };
const fileOf = (filename: string, sha256: string) => ({
  ...{ variant: 'full', filename, path: `variants/${sha256}.webp`, sha256 },
  ...{ size: 10, width: 4, height: 3, mimeType: 'image/webp' },
});

/** Files as a service before the migration wrote them: unique by name, a record for each image and its settings. */
const OLDER = [
  { _id: `${SESSION}:img_1:aaa`, names: ['x.webp'], files: [fileOf('x.webp', 'one')], contents: ['1'], version: 1 },
  {
    _id: `${SESSION}:img_1:bbb`,
    names: ['x-2.webp', 'old.webp'],
    files: [fileOf('x-2.webp', 'two')],
    former: [{ filename: 'old.webp', key: 'old.webp', variant: 'full' }],
    ...{ renamed: true, contents: ['2'], version: 3 },
  },
  { _id: `${SESSION}:img_2:aaa`, names: ['y.webp'], files: [fileOf('y.webp', 'three')] },
];

it('names of stored files belong to their images, however often the migration is repeated', async () => {
  const connection = await connect(database.uri, { dbName: 'older-names', autoIndex: false, autoCreate: false });
  onTestFinished(() => connection.close());
  const stored = connection.collection('outputs');
  await stored.insertMany(OLDER.map((record) => ({ ...facts, ...record })) as never);
  await stored.createIndex({ namespace: 1, names: 1 }, { unique: true });
  const { outputs } = createRepositories(connection);
  for (let round = 0; round < 2; round += 1) await namesOfImages.apply(connection, () => {});
  await buildIndexes(connection);
  const one = `${SESSION}:img_1`;
  const two = `${SESSION}:img_2`;
  expect(Object.fromEntries(await outputs.namesOf(SESSION))).toEqual({
    ...{ 'x.webp': one, 'x-2.webp': one, 'old.webp': one },
    'y.webp': two,
  });
  // Only another image is refused; the newest file of a name is the one of the new export.
  const owner = { accountId: 'acct_1', sessionId: SESSION, namespace: SESSION };
  expect(await outputs.reserve({ _id: two, ...owner }, ['x.webp'])).toBe('taken');
  const number = await outputs.reserve({ _id: one, ...owner }, ['x.webp']);
  expect(number).toBeGreaterThan(1);
  const files = [fileOf('x.webp', 'four')];
  const record = { ...facts, _id: `${one}:ccc`, names: ['x.webp'], files, contents: ['4'], number: Number(number) };
  await outputs.publish(record);
  const shown = async (name: string) => (await outputs.findByName('acct_1', SESSION, name))?.files[0]?.sha256;
  expect([await shown('x.webp'), await shown('old.webp'), await shown('y.webp')]).toEqual(['four', 'two', 'three']);
  const told = await outputs.findByHash('acct_1', SESSION, { sha256: 'one', name: 'x.webp' });
  expect(told?._id).toBe(`${one}:aaa`);
  await outputs.removeOfSession(SESSION);
  expect(await connection.collection('output_names').findOne({})).toBeNull();
});
