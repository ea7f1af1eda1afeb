import { isDatabaseAway, isDiskFull } from '../errors.ts';

/** Kinds of reasons why a database cannot be used. */
export type DatabaseFaultCode =
  | 'refused'
  | 'unknown_host'
  | 'silent'
  | 'closed'
  | 'tls_wanted'
  | 'tls_refused'
  | 'certificate'
  | 'wrong_set'
  | 'no_primary'
  | 'not_initiated'
  | 'unreachable_members'
  | 'too_old'
  | 'authentication'
  | 'not_authorized'
  | 'connection_string'
  | 'unreadable_file'
  | 'retryable_writes'
  | 'unsupported'
  | 'disk_full'
  | 'changing'
  | 'other';

/** Why a database cannot be used, in words for the operator and without secrets. */
export interface DatabaseFault {
  code: DatabaseFaultCode;
  /** What was tried and came, as part of a sentence. */
  came: string;
  /** What the operator can do, as an imperative. */
  todo: string;
  /** True if waiting may help. */
  passes: boolean;
}

/** Thrown for a server whose version is older than the service is tested with. */
export class OldServerError extends Error {
  override readonly name = 'OldServerError';
}

/** Parts of a driver's error, and of the error of a system call below it. */
interface DriverError {
  name?: string;
  message?: string;
  code?: unknown;
  syscall?: string;
  path?: string;
  cause?: unknown;
  reason?: { type?: string; setName?: string | null; servers?: Map<string, SeenServer> };
}

interface SeenServer {
  type?: string;
  error?: DriverError | null;
}

type Fault = Omit<DatabaseFault, 'came'> & { came?: string };

const START = 'start the database, or mend host and port in the connection string';
const NAMES = 'mend the name of the host in the connection string, or what resolves names';
const PERMISSION = 'give the user the role readWrite on this database';
const SERVERS = 'docs/databases.md lists servers and what each needs';

/** MongoDB's codes, and what they mean for a start. Source: `error_codes.yml` of MongoDB; 8000 is that of Atlas. */
const BY_CODE: Record<number, Fault> = {
  18: { code: 'authentication', todo: 'mend user, password or authSource in the connection string', passes: false },
  8000: { code: 'authentication', todo: 'mend user and password in the connection string', passes: false },
  13: { code: 'not_authorized', todo: PERMISSION, passes: false },
  31: { code: 'not_authorized', todo: PERMISSION, passes: false },
  59: { code: 'unsupported', todo: SERVERS, passes: false },
  67: { code: 'unsupported', todo: SERVERS, passes: false },
  115: { code: 'unsupported', todo: SERVERS, passes: false },
  238: { code: 'unsupported', todo: SERVERS, passes: false },
  301: { code: 'retryable_writes', todo: 'add retryWrites=false to the connection string', passes: false },
};

const NO_USER: Fault = {
  code: 'not_authorized',
  todo: 'name a user and the password in the connection string',
  passes: false,
};

/** Errors of Node, of its resolver and of TLS, by the beginning of their code. */
const BY_SYSTEM_CODE: [RegExp, Fault][] = [
  [/^ECONNREFUSED$/, { code: 'refused', todo: START, passes: true }],
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|ETIMEOUT|EREFUSED)$/, { code: 'unknown_host', todo: NAMES, passes: true }],
  [/^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|ETIMEDOUT)$/, { code: 'silent', todo: START, passes: true }],
  [
    /^(ERR_SSL_|EPROTO)/,
    {
      code: 'tls_refused',
      came: 'it does not speak TLS',
      todo: 'set tls=false in the connection string',
      passes: false,
    },
  ],
  [
    /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE))/,
    {
      code: 'certificate',
      todo: 'name its authority with tlsCAFile, and the host as in its certificate',
      passes: false,
    },
  ],
];

/**
 * Explains an error of the database, or of the driver on the way to it: what came, and what the operator can do.
 * @param uri connection string, whose password no text repeats
 * @returns null if the error is not one of a database
 */
export function explainDatabaseError(error: unknown, uri: string): DatabaseFault | null {
  if (!(error instanceof Error)) return null;
  const fault = explain(error as DriverError, uri);
  if (!fault) return null;
  return { ...fault, came: withoutPassword(fault.came ?? oneLine(error.message), uri) };
}

/** Describes a fault in one line. */
export function describeFault({ came, todo, passes }: DatabaseFault): string {
  return `${passes ? 'no database responds there' : 'the database cannot be used'} (${came}); ${todo}`;
}

function explain(error: DriverError, uri: string): Fault | null {
  const { name = '', message = '', code, path = '' } = error;
  if (name === 'OldServerError') return tooOld();
  if (isDiskFull(error) && path === '')
    return { code: 'disk_full', todo: 'free space on the disk of the database', passes: false };
  if (path !== '' && isNamedIn(uri, path))
    return { code: 'unreadable_file', todo: 'name a file that the service can read', passes: false };
  if (/retryable writes|Transaction numbers are only allowed/i.test(message)) return BY_CODE[301] ?? null;
  if (name.startsWith('Mongo') && BY_CODE[Number(code)])
    return Number(code) === 13 && !uri.includes('@') ? NO_USER : (BY_CODE[Number(code)] ?? null);
  if (/^Mongo(Parse|InvalidArgument|API|MissingDependency|MissingCredentials)/.test(name))
    return { code: 'connection_string', todo: 'mend the connection string', passes: false };
  if (/ServerSelectionError$/.test(name) && error.reason) return explainSelection(error, uri);
  return explainConnection(error) ?? explainRest(error);
}

function explainRest(error: DriverError): Fault | null {
  if (isDatabaseAway(error))
    return { code: 'changing', todo: 'wait, and look at the log of the database if it stays so', passes: true };
  if (!error.name?.startsWith('Mongo')) return null;
  return { code: 'other', todo: `look at the log of the database; ${SERVERS}`, passes: false };
}

const tooOld = (): Fault => ({ code: 'too_old', todo: 'use MongoDB 6.0 or newer', passes: false });

/** Explains what kept a connection from being made; null if nothing is known of it. */
function explainConnection(error: DriverError): Fault | null {
  const { name = '', message = '' } = error;
  if (name === 'MongoCompatibilityError') return { ...tooOld(), came: oneLine(message) };
  const system = [error, (error.cause ?? {}) as DriverError].find(({ code }) => typeof code === 'string');
  for (const [pattern, fault] of BY_SYSTEM_CODE) {
    if (!pattern.test(String(system?.code ?? ''))) continue;
    // The connection of a query to a name server may be refused, too.
    if (system?.syscall?.startsWith('query'))
      return { code: 'unknown_host', came: oneLine(message), todo: NAMES, passes: true };
    return { came: oneLine(message), ...fault };
  }
  if (/timed out/.test(message)) return { code: 'silent', came: 'it does not answer', todo: START, passes: true };
  if (/closed$|ECONNRESET|disconnected/.test(message))
    return {
      code: 'closed',
      came: 'it closes the connection',
      todo: `${START}; a server with TLS needs tls=true`,
      passes: true,
    };
  return null;
}

/** Explains why none of the servers could be chosen. */
function explainSelection({ reason, message = '' }: DriverError, uri: string): Fault {
  const { type = '', setName, servers = new Map<string, SeenServer>() } = reason ?? {};
  const seen = [...servers];
  if (setName && seen.length === 0) {
    const todo = 'mend or remove replicaSet in the connection string';
    return { code: 'wrong_set', came: `no server there belongs to the replica set ${setName}`, todo, passes: false };
  }
  const list = seen.map(([address]) => address).join(', ');
  if (seen.some(([, server]) => server.type === 'RSGhost')) {
    const todo = 'initiate the set with rs.initiate()';
    return {
      code: 'not_initiated',
      came: `${list} is to be part of a replica set that does not exist yet`,
      todo,
      passes: true,
    };
  }
  if (seen.some(([, server]) => server.type === 'RSSecondary' || server.type === 'RSOther')) {
    const todo = 'wait for the election; more than half of its members have to run';
    return { code: 'no_primary', came: `the replica set ${setName} has no primary (${list})`, todo, passes: true };
  }
  const failed = seen.find(([, { error }]) => error);
  const fault = failed && explainConnection(failed[1].error ?? {});
  if (type === 'ReplicaSetNoPrimary' && fault?.passes && seen.every(([address]) => !uri.includes(address))) {
    const todo = 'give the members names that this machine reaches, or name one with directConnection=true';
    return {
      code: 'unreachable_members',
      came: `the set names its members ${list}: ${fault.came}`,
      todo,
      passes: true,
    };
  }
  if (fault) return { ...fault, came: `${failed[0]}: ${fault.came ?? oneLine(failed[1].error?.message ?? '')}` };
  if (failed) return { code: 'other', came: oneLine(message), todo: START, passes: true };
  return { code: 'silent', came: `${list} does not answer`, todo: START, passes: true };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}

function isNamedIn(uri: string, path: string): boolean {
  return uri.includes(path) || uri.includes(encodeURIComponent(path));
}

/** Removes the password from a driver's message, which may repeat the URI. */
function withoutPassword(message: string, uri: string): string {
  const [, password = ''] = /^[^:]+:\/\/[^:]*:(.*)@/.exec(uri) ?? [];
  if (password === '') return message;
  return message.replaceAll(password, '***').replaceAll(decoded(password), '***');
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
