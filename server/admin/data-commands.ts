import { resolve } from 'node:path';
import { backUp, restore } from '../backup/index.ts';
import { keepFilesNoMore, keepFilesUntil } from '../cluster/index.ts';
import { openConfiguredDatabase } from '../compose-accounts.ts';
import type { Config } from '../config/index.ts';
import type { Database } from '../db/index.ts';
import { createLogger } from '../observability/index.ts';
import { acceptStore, openFiles } from '../storage/index.ts';
import { parseOptions, UsageError, wholeNumber } from './options.ts';

interface DataCommand {
  /** Options, as shown in the help and as {@link parseOptions} reads them. */
  usage: string;
  note: string;
  run(config: Config, options: Record<string, string>): Promise<unknown>;
}

const progress = (line: string) => console.error(line);

/** Commands on all that the service keeps. */
export const DATA_COMMANDS: Record<string, DataCommand> = {
  backup: {
    usage: '--to DIR [--faults stop|skip]',
    note: 'copies embedded database, secrets and, unless FILES_URL is set, files, also of a running service',
    async run(config, { to = '', faults = 'stop' }) {
      refuseServer(config, 'backup');
      if (faults !== 'stop' && faults !== 'skip')
        throw new UsageError(`expected --faults to be stop or skip, but received ${faults}`);
      const skipsFaults = faults === 'skip';
      const dataDirectory = resolve(config.storage.DATA_DIR);
      const secretsInEnvironment = config.accounts.API_KEY_PEPPER !== undefined;
      const bucket = config.storage.FILES_URL === undefined ? null : (await openFiles(config.storage)).store;
      return onDatabase(config, (database) =>
        backUp({ database, dataDirectory, to: resolve(to), secretsInEnvironment, bucket, progress, skipsFaults }),
      );
    },
  },
  restore: {
    usage: '--from DIR',
    note: 'copies a backup into a DATA_DIR that holds nothing',
    async run(config, { from = '' }) {
      refuseServer(config, 'restore');
      const dataDirectory = resolve(config.storage.DATA_DIR);
      const filesInBucket = config.storage.FILES_URL !== undefined;
      return restore({ from: resolve(from), dataDirectory, filesInBucket, progress });
    },
  },
  'files accept': {
    usage: '',
    note: 'makes the files in FILES_URL or DATA_DIR those of the database',
    async run(config) {
      const files = await openFiles(config.storage);
      await files.scratch.prepare();
      const replace = (id: string) => onDatabase(config, ({ cluster }) => cluster.replace('storeId', id));
      return { store: await acceptStore(files, replace), place: files.store.place };
    },
  },
  'backup hold': {
    usage: '--minutes N',
    note: 'deletes no file for that time, for a backup by other programs',
    async run(config, { minutes = '' }) {
      const until = new Date(Date.now() + wholeNumber('minutes', minutes) * 60_000);
      await onDatabase(config, ({ chores }) => keepFilesUntil(chores, until));
      return { keepsFilesUntil: until };
    },
  },
  'backup release': {
    usage: '',
    note: 'ends the hold',
    async run(config) {
      await onDatabase(config, ({ chores }) => keepFilesNoMore(chores));
      return { keepsFilesUntil: null };
    },
  },
};

/** Parses the arguments if they are one of these commands; null if not. @throws UsageError */
export function parseDataCommand(args: string[]): ((config: Config) => Promise<unknown>) | null {
  const words = [2, 1].find((count) => Object.hasOwn(DATA_COMMANDS, args.slice(0, count).join(' ')));
  const name = args.slice(0, words ?? 0).join(' ');
  const command = DATA_COMMANDS[name];
  if (!command) return null;
  const options = parseOptions(args.slice(words), name, command.usage);
  return (config) => command.run(config, options);
}

function refuseServer({ db }: Config, name: string): void {
  if (!db.MONGODB_URI) return;
  throw new UsageError(`${name} is for the embedded database; docs/backup.md says what to run with MONGODB_URI`);
}

async function onDatabase<T>(config: Config, run: (database: Database) => Promise<T>): Promise<T> {
  const { database, close } = await openConfiguredDatabase(config, createLogger({ level: 'silent', format: 'json' }));
  try {
    return await run(database);
  } finally {
    await close();
  }
}
