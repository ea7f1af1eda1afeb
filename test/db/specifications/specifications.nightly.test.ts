import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useDatabase } from '../embedded/embedded-fixture.ts';
import { runCorpus } from './corpus.ts';
import { runUnified } from './unified.ts';

/** A copy of MongoDB's repository `specifications`; it is not part of this one. */
const FOLDER = process.env.MONGODB_SPECIFICATIONS;
if (!FOLDER)
  console.warn(
    "SKIPPED: MongoDB's specification tests, since MONGODB_SPECIFICATIONS names no copy of mongodb/specifications",
  );

/** The version whose behaviour the embedded store has. */
const VERSION = '6.0.0';
/** Tests that pass at least; a change of the specification may add some that do not. */
const FEWEST_PASSED = 190;
const store = useDatabase();

it.skipIf(!FOLDER)("MongoDB's CRUD tests find no wrong result", async () => {
  const client = store.connection.getClient();
  const folder = join(FOLDER ?? '', 'source/crud/tests/unified');
  const { passed, unsupported, otherCode, wrong, skipped } = await runUnified(client, folder, VERSION);
  console.log(
    `CRUD: ${passed.length} passed, ${unsupported.length} unsupported, ${otherCode.length} with another code, ${wrong.length} wrong; ${skipped} of other servers`,
  );
  if (process.env.SHOW_ALL) console.log([...unsupported, ...otherCode].join('\n'));
  expect(wrong).toEqual([]);
  expect(passed.length).toBeGreaterThanOrEqual(FEWEST_PASSED);
});

it.skipIf(!FOLDER)('each value of the BSON corpus comes back byte for byte', async () => {
  const collection = store.connection.collection<{ _id: string; value?: unknown }>('corpus');
  const { values, wrong } = await runCorpus(collection as never, join(FOLDER ?? '', 'source/bson-corpus/tests'));
  console.log(`BSON corpus: ${values} values, ${wrong.length} wrong`);
  expect(wrong).toEqual([]);
  expect(values).toBeGreaterThan(700);
});
