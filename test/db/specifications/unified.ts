import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EJSON } from 'bson';
import type { mongo } from 'mongoose';
import { isExpected } from './same-value.ts';

/** How the tests of a specification ended. */
export interface Outcome {
  passed: string[];
  /** Refused in words, by the code of what is not supported. */
  unsupported: string[];
  /** Refused as expected, by another code. */
  otherCode: string[];
  /** Results, documents or errors that are not those of the specification, with what came. */
  wrong: string[];
  /** Tests that need something else than this server is: a version, a topology, an operation of the driver. */
  skipped: number;
}

interface Requirement {
  minServerVersion?: string;
  maxServerVersion?: string;
  topologies?: string[];
  serverless?: string;
  auth?: boolean;
  csfle?: unknown;
}

interface Operation {
  name: string;
  object: string;
  arguments?: Record<string, unknown>;
  expectResult?: unknown;
  expectError?: { isClientError?: boolean; errorCode?: number; errorCodeName?: string; expectResult?: unknown };
}

interface Collection {
  databaseName: string;
  collectionName: string;
  documents: mongo.BSON.Document[];
}

interface Specification {
  runOnRequirements?: Requirement[];
  createEntities?: { database?: { id: string; databaseName: string }; collection?: Entity; client?: { id: string } }[];
  initialData?: Collection[];
  tests: {
    description: string;
    skipReason?: string;
    runOnRequirements?: Requirement[];
    operations: Operation[];
    outcome?: Collection[];
  }[];
}

interface Entity {
  id: string;
  collectionName: string;
  collectionOptions?: object;
}

class Skip extends Error {}
class OtherCode extends Error {}

/** Runs the tests of a folder of the unified test format against a server of this version without a set. */
export async function runUnified(client: mongo.MongoClient, folder: string, version: string): Promise<Outcome> {
  const outcome: Outcome = { passed: [], unsupported: [], otherCode: [], wrong: [], skipped: 0 };
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const text = readFileSync(join(folder, file), 'utf8');
    const specification = EJSON.parse(text, { relaxed: true }) as Specification;
    for (const test of specification.tests) {
      const runs = meets(specification.runOnRequirements, version) && meets(test.runOnRequirements, version);
      if (!runs || test.skipReason) outcome.skipped += 1;
      else await runTest(client, specification, test, `${file}: ${test.description}`, outcome);
    }
  }
  return outcome;
}

async function runTest(
  client: mongo.MongoClient,
  specification: Specification,
  test: Specification['tests'][number],
  id: string,
  outcome: Outcome,
): Promise<void> {
  try {
    for (const data of specification.initialData ?? []) await fill(client, data);
    for (const operation of test.operations) await runOperation(client, specification, operation);
    for (const expected of test.outcome ?? []) await compareDocuments(client, expected);
    outcome.passed.push(id);
  } catch (error) {
    const { code, message = '' } = error as { code?: number; message?: string };
    if (error instanceof Skip) outcome.skipped += 1;
    else if (error instanceof OtherCode) outcome.otherCode.push(`${id}: ${message}`);
    else if (code === 115 || /not supported by the embedded store/.test(message)) outcome.unsupported.push(id);
    else outcome.wrong.push(`${id}: ${code ?? ''} ${message.slice(0, 400)}`);
  }
}

function meets(requirements: Requirement[] | undefined, version: string): boolean {
  if (!requirements) return true;
  return requirements.some(
    ({ minServerVersion: least, maxServerVersion: most, topologies, serverless, auth, csfle }) =>
      (!least || compare(version, least) >= 0) &&
      (!most || compare(version, most) <= 0) &&
      (!topologies || topologies.includes('single')) &&
      serverless !== 'require' &&
      !auth &&
      !csfle,
  );
}

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  return [0, 1, 2].map((at) => (a?.[at] ?? 0) - (b?.[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

async function fill(client: mongo.MongoClient, { databaseName, collectionName, documents }: Collection): Promise<void> {
  const collection = client.db(databaseName).collection(collectionName);
  await collection.deleteMany({});
  if (documents.length > 0) await collection.insertMany(documents);
}

async function compareDocuments(client: mongo.MongoClient, expected: Collection): Promise<void> {
  const { databaseName, collectionName, documents } = expected;
  const found = await client.db(databaseName).collection(collectionName).find({}).sort({ _id: 1 }).toArray();
  const [got, wanted] = [found, documents].map((list) => JSON.stringify(plain(list)));
  if (got !== wanted) throw new Error(`documents ${got}, expected ${wanted}`);
}

/** Converts values to those of relaxed JSON, so that numbers of different classes compare. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : EJSON.parse(EJSON.stringify(value, { relaxed: false }), { relaxed: true });
}

async function runOperation(client: mongo.MongoClient, specification: Specification, operation: Operation) {
  const { expectError, expectResult } = operation;
  const target = targetOf(client, specification, operation.object);
  let result: unknown;
  try {
    result = await perform(target, operation);
  } catch (error) {
    if (!expectError || error instanceof Skip || error instanceof TypeError) throw error;
    return checkError(error as Failure, expectError);
  }
  if (expectError) throw new Error(`expected an error, got ${JSON.stringify(result)}`);
  if (!('expectResult' in operation)) return;
  const got = plain(resultOf(result));
  if (!isExpected(plain(expectResult), got))
    throw new Error(`result ${JSON.stringify(got)}, expected ${JSON.stringify(expectResult)}`);
}

interface Failure extends Error {
  code?: number;
  codeName?: string;
  result?: unknown;
}

function checkError(error: Failure, expected: NonNullable<Operation['expectError']>): void {
  const { code, codeName, message, result } = error;
  if (!expected.isClientError && code === 115 && expected.errorCode !== 115) throw error;
  if (expected.errorCode !== undefined && expected.errorCode !== code)
    throw new OtherCode(`${code} in place of ${expected.errorCode}: ${message}`);
  if (expected.errorCodeName !== undefined && expected.errorCodeName !== codeName)
    throw new OtherCode(`${codeName} in place of ${expected.errorCodeName}`);
  if (!expected.expectResult || result === undefined) return;
  const got = plain(resultOf(result));
  if (!isExpected(plain(expected.expectResult), got))
    throw new Error(`partial result ${JSON.stringify(got)}, expected ${JSON.stringify(expected.expectResult)}`);
}

function targetOf(client: mongo.MongoClient, { createEntities = [] }: Specification, id: string) {
  const database = createEntities.find((entity) => entity.database)?.database?.databaseName ?? 'crud-unified';
  const collection = createEntities.find((entity) => entity.collection?.id === id)?.collection;
  const isDatabase = createEntities.some((entity) => entity.database?.id === id);
  if (isDatabase) return { database: client.db(database) };
  if (!collection) throw new Skip(`an operation on ${id}`);
  return {
    database: client.db(database),
    collection: client.db(database).collection(collection.collectionName, collection.collectionOptions ?? {}),
  };
}

/** The driver's methods that have these names and these arguments, in this order; the rest are options. */
const METHODS: Record<string, string[]> = {
  findOne: ['filter'],
  insertOne: ['document'],
  insertMany: ['documents'],
  updateOne: ['filter', 'update'],
  updateMany: ['filter', 'update'],
  replaceOne: ['filter', 'replacement'],
  deleteOne: ['filter'],
  deleteMany: ['filter'],
  findOneAndUpdate: ['filter', 'update'],
  findOneAndReplace: ['filter', 'replacement'],
  findOneAndDelete: ['filter'],
  bulkWrite: ['requests'],
  countDocuments: ['filter'],
  estimatedDocumentCount: [],
  count: ['filter'],
  distinct: ['fieldName', 'filter'],
};

type Method = (...args: unknown[]) => Promise<unknown>;

async function perform(
  target: { database: mongo.Db; collection?: mongo.Collection },
  operation: Operation,
): Promise<unknown> {
  const { name, arguments: given = {} } = operation;
  const { collection, database } = target;
  if (given.rawData !== undefined || given.session !== undefined) throw new Skip(name);
  if (name === 'aggregate' || name === 'find') {
    const { pipeline = [], filter = {}, ...options } = given;
    const over = collection ?? database;
    if (name === 'aggregate') return over.aggregate(pipeline as mongo.BSON.Document[], options).toArray();
    return collection?.find(filter as object, options).toArray();
  }
  const names = METHODS[name];
  if (!names || !collection) throw new Skip(name);
  const { saveResultAsEntity: _, ...rest } = given;
  const options = Object.fromEntries(Object.entries(rest).filter(([key]) => !names.includes(key)));
  if (typeof options.returnDocument === 'string') options.returnDocument = options.returnDocument.toLowerCase();
  const method = collection[name as 'findOne'] as unknown as Method;
  return method.apply(collection, [...names.map((key) => given[key]), options]);
}

const BULK_FIELDS = [
  'insertedCount',
  'matchedCount',
  'modifiedCount',
  'deletedCount',
  'upsertedCount',
  'insertedIds',
  'upsertedIds',
];

function resultOf(result: unknown): unknown {
  if (result?.constructor?.name !== 'BulkWriteResult') return result;
  return Object.fromEntries(BULK_FIELDS.map((name) => [name, (result as Record<string, unknown>)[name]]));
}
