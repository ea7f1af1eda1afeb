import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { keptInProcess } from '../../support/kept-in-process.ts';
import { isRoot, type Program, programPath, startProgram } from './program.ts';
import type { Constants } from './site-config.ts';
import type { Snapshot } from './snapshot.ts';

/** A database of one site. */
export interface Database {
  /** Constants that connect a site with it. */
  constants: Constants;
  /** Runs statements and returns the rows, columns separated by tabs. */
  sql(statements: string): Promise<string>;
  /** Copies all tables for a later restore. */
  takeSnapshot(): Promise<Snapshot>;
  drop(): Promise<void>;
}

/** The MariaDB that the sites of this process share. */
const server = keptInProcess(startMariadb, ({ stop }) => stop());

let made = 0;

/** Creates an empty database. Requires MariaDB. */
export async function createDatabase(): Promise<Database> {
  const { socket } = await server();
  const name = `site_${++made}`;
  const sql = (statements: string) => query(socket, statements);
  await sql(`CREATE DATABASE ${name} CHARACTER SET utf8mb4;`);
  const tables = async (database: string) => (await sql(`SHOW TABLES FROM ${database};`)).split('\n').filter(Boolean);
  const copy = async (from: string, to: string) => {
    const copies = (await tables(from)).map(
      (table) =>
        `CREATE TABLE ${to}.${table} LIKE ${from}.${table}; INSERT ${to}.${table} SELECT * FROM ${from}.${table};`,
    );
    await sql(`DROP DATABASE IF EXISTS ${to}; CREATE DATABASE ${to} CHARACTER SET utf8mb4; ${copies.join('\n')}`);
  };
  return {
    constants: { DB_NAME: name, DB_USER: 'root', DB_PASSWORD: '', DB_HOST: `localhost:${socket}` },
    sql: (statements) => sql(`USE ${name}; ${statements}`),
    async takeSnapshot() {
      await copy(name, `${name}_before`);
      return { restore: () => copy(`${name}_before`, name) };
    },
    async drop() {
      await sql(`DROP DATABASE ${name}; DROP DATABASE IF EXISTS ${name}_before;`);
    },
  };
}

async function startMariadb(): Promise<{ socket: string; stop(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'imagewright-mariadb-'));
  const program = programPath('MARIADBD');
  const data = join(home, 'data');
  const places = [`--basedir=${join(program, '../..')}`, `--datadir=${data}`, ...(isRoot ? ['--user=root'] : [])];
  await promisify(execFile)(join(programPath('MARIADB'), '../mariadb-install-db'), [
    ...['--no-defaults', ...places, '--auth-root-authentication-method=normal', '--skip-test-db'],
  ]);
  const socket = join(home, 'mariadb.sock');
  const fast = ['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=256M', '--skip-log-bin'];
  const server = startProgram(
    program,
    ['--no-defaults', ...places, `--socket=${socket}`, '--skip-networking', ...fast],
    join(home, 'output.log'),
  );
  await untilListening(socket, server);
  return {
    socket,
    async stop() {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function untilListening(socket: string, { child }: Program): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode) throw new Error('MariaDB ended before it listened');
    const accepted = await new Promise<boolean>((resolve) => {
      const connection = connect(socket, () => resolve(true));
      connection.once('error', () => resolve(false));
      connection.once('connect', () => connection.destroy());
    });
    if (accepted) return;
    await sleep(50);
  }
}

function query(socket: string, statements: string): Promise<string> {
  const args = ['--no-defaults', '--user=root', `--socket=${socket}`, '--batch', '--skip-column-names'];
  const client = spawn(programPath('MARIADB'), args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  client.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  client.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  client.stdin.end(statements);
  return new Promise((resolve, reject) => {
    client.once('error', reject);
    client.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`MariaDB: ${errors}`))));
  });
}
