import { mongo } from 'mongoose';
import { type DatabaseFault, explainDatabaseError } from './explain-database-error.ts';

/** Longest wait for the answer to a question, in milliseconds. */
const ANSWER_MS = 2000;

/**
 * Explains an error of the database as explainDatabaseError does; where the error leaves open what the server speaks, or which set
 * it belongs to, the server is asked.
 */
export async function diagnoseDatabase(error: unknown, uri: string): Promise<DatabaseFault | null> {
  const fault = explainDatabaseError(error, uri);
  if (!fault || !ASKED.has(fault.code)) return fault;
  const address = addressesOf(error, uri)[0];
  if (address === undefined) return fault;
  const usesTls = speaksTls(uri);
  if (fault.code === 'wrong_set') return nameSet(fault, await hello(address, usesTls));
  if (!(await hello(address, !usesTls))) return fault;
  if (usesTls)
    return {
      code: 'tls_refused',
      came: `${address} does not speak TLS`,
      todo: 'set tls=false in the connection string',
      passes: false,
    };
  return {
    code: 'tls_wanted',
    came: `${address} wants TLS`,
    todo: 'add tls=true to the connection string',
    passes: false,
  };
}

const ASKED = new Set<DatabaseFault['code']>(['silent', 'closed', 'wrong_set']);

function nameSet(fault: DatabaseFault, about: { setName?: string } | null): DatabaseFault {
  if (!about) return fault;
  if (about.setName === undefined)
    return {
      ...fault,
      came: `${fault.came}; it is a server without a set`,
      todo: 'remove replicaSet from the connection string',
    };
  return {
    ...fault,
    came: `${fault.came}; it belongs to ${about.setName}`,
    todo: `set replicaSet=${about.setName} in the connection string`,
  };
}

/** Returns what a server says of itself to a stranger; null if it does not answer. */
async function hello(address: string, tls: boolean): Promise<{ setName?: string } | null> {
  const options = tls ? { tls, tlsInsecure: true } : { tls };
  const client = new mongo.MongoClient(`mongodb://${address}/?directConnection=true`, {
    ...options,
    serverSelectionTimeoutMS: ANSWER_MS,
    connectTimeoutMS: ANSWER_MS,
    socketTimeoutMS: ANSWER_MS,
  });
  try {
    return await client.db('admin').command({ hello: 1 });
  } catch {
    return null;
  } finally {
    await client.close();
  }
}

/** Returns the addresses that were tried, else those that the connection string names. */
function addressesOf(error: unknown, uri: string): string[] {
  const tried = (error as { reason?: { servers?: Map<string, unknown> } }).reason?.servers?.keys() ?? [];
  const [, named = ''] = /^mongodb:\/\/(?:[^/]*@)?([^/?]+)/.exec(uri) ?? [];
  return [...tried, ...named.split(',').filter((address) => address !== '')];
}

function speaksTls(uri: string): boolean {
  const [, given] = /[?&](?:tls|ssl)=(true|false)/i.exec(uri) ?? [];
  return given ? given === 'true' : uri.startsWith('mongodb+srv:');
}
