import { type DatabaseFault, diagnoseDatabase } from '../db/index.ts';
import { systemCodeOf } from './network-failure.ts';

interface Explained {
  code: string;
  found: string;
  remedy: string;
}

/** Words for what came, where those of the driver or the server would be repeated. */
const FOUND: Partial<Record<DatabaseFault['code'], string>> = {
  refused: 'nothing listens there',
  unknown_host: 'the name of the host is unknown',
  silent: 'no answer in time',
  closed: 'the connection was closed',
  tls_refused: 'it does not speak TLS',
  certificate: 'its certificate is refused',
  unreachable_members: 'the members of the replica set cannot be reached by the names that it gives them',
  authentication: 'the log-in is refused',
  not_authorized: 'the user may not use this database',
  connection_string: 'the connection string is wrong',
  unreadable_file: 'a file that the connection string names cannot be read',
  retryable_writes: 'it refuses retryable writes',
  unsupported: 'it does not know what the service needs',
  disk_full: 'its disk is full',
  changing: 'it is starting, stopping, or changing its primary',
  too_old: 'it is too old',
  other: 'it failed',
};

/** Explains why a database cannot be looked at, without its words. */
export async function explainDatabase(error: unknown, uri: string): Promise<Explained> {
  const fault = await diagnoseDatabase(error, uri);
  const system = systemCodeOf(error);
  if (!fault) {
    const remedy = 'look into the log of the service';
    return { code: 'other', found: `it failed${system && ` (${system})`}`, remedy };
  }
  const { code, came, todo } = fault;
  return { code, found: FOUND[code] ?? came, remedy: `MONGODB_URI: ${todo}` };
}
