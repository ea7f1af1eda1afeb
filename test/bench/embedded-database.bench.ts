// Measures the embedded database against its targets; run it with `node --import tsx test/bench/embedded-database.bench.ts`.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEmbedded } from '../../server/db/embedded/index.ts';
import { startChildStore } from '../db/embedded/child-store.ts';

const SECONDS = Number(process.env.IMAGEWRIGHT_BENCH_SECONDS ?? 5);
const DOCUMENTS = Number(process.env.IMAGEWRIGHT_BENCH_DOCUMENTS ?? 100_000);
const base = process.env.IMAGEWRIGHT_BENCH_DIRECTORY ?? tmpdir();
const directory = mkdtempSync(join(base, 'embedded-bench-'));
const rows: [what: string, measured: string, target: string][] = [];

interface Item {
  _id: string;
  account: string;
  key: string;
  at: Date;
  text: string;
  n: number;
}

const item = (n: number): Item => ({
  _id: `item-${n}`,
  account: `account-${n % 100}`,
  key: `key-${n}`,
  at: new Date(n),
  text: 'x'.repeat(300),
  n,
});

/** Runs an operation from a number of clients for some seconds; tells operations per second and latencies. */
async function measure(clients: number, run: (turn: number) => Promise<unknown>): Promise<string> {
  const latencies: number[] = [];
  const end = performance.now() + SECONDS * 1000;
  let turn = 0;
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await run(turn++);
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  latencies.sort((a, b) => a - b);
  const at = (part: number) => `${(latencies[Math.floor(latencies.length * part)] ?? 0).toFixed(1)} ms`;
  return `${Math.round(latencies.length / SECONDS).toLocaleString('en')}/s (p50 ${at(0.5)}, p99 ${at(0.99)})`;
}

/** Resident and anonymous memory of a process, in MB. */
function memory(pid: number | undefined): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return `${field('VmRSS')} MB, of it ${field('RssAnon')} MB anonymous`;
}

const starts: number[] = [];
for (let round = 0; round < 5; round++) {
  const start = performance.now();
  const store = await startEmbedded({ directory: join(directory, `fresh${round}`) });
  starts.push(performance.now() - start);
  await store.close();
}
rows.push(['start, fresh directory', `${starts.map((ms) => Math.round(ms)).join(' ')} ms`, '<= 500 ms']);

const store = await startChildStore(join(directory, 'data'));
const client = await new MongoClient(store.uri, { maxPoolSize: 50 }).connect();
const items = client.db().collection<Item>('items');
await items.createIndexes([{ key: { key: 1 }, unique: true }, { key: { account: 1, at: -1 } }]);

rows.push(['server process, empty', memory(store.process.pid), '']);
const insertStart = performance.now();
for (let from = 0; from < DOCUMENTS; from += 5000)
  await items.insertMany(Array.from({ length: Math.min(5000, DOCUMENTS - from) }, (_, n) => item(from + n)));
const perSecond = Math.round(DOCUMENTS / ((performance.now() - insertStart) / 1000)).toLocaleString('en');
rows.push([`insertMany of ${DOCUMENTS}`, `${perSecond} documents/s`, '']);

const random = () => Math.floor(Math.random() * DOCUMENTS);
const find = () => items.findOne({ key: `key-${random()}` });
rows.push(['findOne by index, 1 client', await measure(1, find), '']);
rows.push(['findOne by index, 50 clients', await measure(50, find), '>= 4,000/s']);
rows.push([`server process, ${DOCUMENTS} documents, read`, memory(store.process.pid), '<= 200 MB']);
let next = DOCUMENTS;
const insert = () => items.insertOne(item(next++));
rows.push(['insertOne, 1 client', await measure(1, insert), '']);
rows.push(['insertOne, 50 clients', await measure(50, insert), '>= 2,500/s']);
const page = () =>
  items
    .find({ account: `account-${random() % 100}` })
    .sort({ at: -1 })
    .limit(20)
    .toArray();
rows.push(['newest 20 of an account, 50 clients', await measure(50, page), '']);
const balances = client.db().collection<{ _id: string; n: number }>('balances');
await balances.insertOne({ _id: 'one', n: 5000 });
let granted = 0;
const take = async () => {
  const query = { _id: 'one', n: { $gte: 1 } };
  if (await balances.findOneAndUpdate(query, { $inc: { n: -1 } }, { returnDocument: 'after' })) granted++;
};
rows.push(['conditional decrement of one document, 50 clients', await measure(50, take), '']);
const left = (await balances.findOne({ _id: 'one' }))?.n ?? Number.NaN;
rows.push(['granted + left of 5,000', `${granted} + ${left}`, '5000, never negative']);
const scanStart = performance.now();
await items.countDocuments({ text: /nothing/ });
rows.push(['full scan with a regular expression', `${Math.round(performance.now() - scanStart)} ms`, '']);
rows.push(['server process, after all this', memory(store.process.pid), '']);
const documents = (await items.estimatedDocumentCount()).toLocaleString('en');
const fileMegabytes = Math.round(statSync(join(directory, 'data', 'data.mdb')).size / 2 ** 20);
rows.push(['documents and file', `${documents}, ${fileMegabytes} MB`, '']);
await client.close();
await store.kill();
rmSync(directory, { recursive: true, force: true });

const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  '));
