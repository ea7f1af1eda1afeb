// `npm run test:mongodb`: what only a real MongoDB shows (`*.mongodb.test.ts`), then the whole suite on it. Starts a replica set of
// three members with `mongodb-memory-server-core`, which takes the `mongod` that MONGOMS_SYSTEM_BINARY names or downloads the
// version in MONGOMS_VERSION. With TEST_MONGODB_URI the suite and the tests of ends, clusters and backups run on that server instead. Arguments are passed on to Vitest, e.g. a part of the name of a test file.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';

const VITEST = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

process.exitCode = await run();

async function run(): Promise<number> {
  const given = process.env.TEST_MONGODB_URI;
  if (given) return runOn(given);
  const set = await startSet();
  if (!set) return 0;
  const uri = set.getUri();
  const members = set.servers.map((server) => server.instanceInfo?.instance.mongodProcess?.pid ?? 0);
  const env = { ...process.env, TEST_MONGODB_URI: uri, TEST_MONGODB_MEMBERS: members.join(',') };
  const vitest = (args: string[]) =>
    spawnSync(process.execPath, [VITEST, 'run', ...args, ...process.argv.slice(2)], { stdio: 'inherit', env }).status ??
    1;
  try {
    // A name that the second run does not have must not end it as a failure.
    return vitest(['--mode', 'mongodb', '--passWithNoTests']) || vitest(['--passWithNoTests']);
  } finally {
    await set.stop();
  }
}

/** Nightly tests whose services use the given server. */
const ENDS = [
  'server-killed',
  'worker-killed',
  'service-stopped',
  'uploads-killed',
  'two-servers',
  'clock-steps',
  'test/cluster/',
];

/** Runs the suite on a server that runs already, then the tests of killed services and of several servers. */
function runOn(uri: string): number {
  const env = { ...process.env, TEST_MONGODB_URI: uri };
  const asked = process.argv.slice(2);
  console.warn(
    'SKIPPED: *.mongodb.test.ts, which need members of a set that they may stop; backups are of the embedded database',
  );
  const vitest = (args: string[]) =>
    spawnSync(process.execPath, [VITEST, 'run', ...args], { stdio: 'inherit', env }).status ?? 1;
  const suite = vitest([...asked, '--passWithNoTests']);
  return suite || vitest(['--mode', 'nightly', ...(asked.length > 0 ? asked : ENDS), '--passWithNoTests']);
}

/** Starts the set; null if there is no MongoDB to be had, with the reason on the console. */
async function startSet(): Promise<MongoMemoryReplSet | null> {
  try {
    return await MongoMemoryReplSet.create({ replSet: { count: 3, storageEngine: 'wiredTiger' } });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const what = `nothing is tested on MongoDB, since no mongod can be had.\n${reason}`;
    if (process.env.MONGODB_REQUIRED) throw new Error(what);
    console.warn(`SKIPPED: ${what}`);
    return null;
  }
}
