import { StartError } from '../errors.ts';
import type { Connection } from './connect.ts';

/** Oldest major version of MongoDB that the service is tested with. */
const OLDEST_VERSION = 6;

/** Refuses a server that is too old. @throws StartError */
export async function requireVersion(connection: Connection): Promise<void> {
  const { version = '' } = (await connection.db?.command({ buildInfo: 1 })) ?? {};
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return;
  throw new StartError(
    `MONGODB_URI: expected MongoDB ${OLDEST_VERSION}.0 or newer, but the server there is ${version}`,
  );
}
