import { randomUUID } from 'node:crypto';
import { constants, readFileSync, rmSync } from 'node:fs';
import { access, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from './exit-codes.ts';
import { makeFolder } from './files-on-disk.ts';

/** The right to write the record of an output folder, which one run has at a time. */
interface RecordLock {
  /** @throws CliError 5 if another run took the lock, since this one stood still for long */
  requireHeld(): Promise<void>;
  release(): Promise<void>;
}

/** The run that has a lock. */
interface Holder {
  pid: number;
  host: string;
  /** Stands for the processes among which `pid` is meant: those of one boot and one container. */
  machine: string;
  token: string;
}

interface LockOptions {
  signal: AbortSignal;
  /** Called once if another run has the lock. @param who e.g. `process 4711` */
  onWait(who: string): void;
}

/** Time between two signs of life of a holder, in ms. */
const ALIVE_EVERY_MS = 5000;
/** Time between two looks at the lock of another run, in ms. */
const LOOK_EVERY_MS = 500;
/** Looks without a sign of life after which a holder is dead. Counted, since clocks of two machines differ. */
const DEAD_AFTER_LOOKS = 60;

/** Locks of this process, by token. */
const held = new Map<string, string>();
// A second Ctrl-C ends the process at once.
process.on('exit', () => {
  for (const [token, path] of held) {
    try {
      if (readFileSync(path, 'utf8').includes(token)) rmSync(path);
    } catch {
      // Another run removes it.
    }
  }
});

/**
 * Takes the lock of a record, and waits while another run has it: of two runs with the same images only the first one makes and pays them.
 * The lock of a process that has ended is taken over: at once on this machine, after 30 s on others.
 * @param record path of the record; the lock lies beside it
 * @throws the reason of `signal`; the error of the file system
 */
export async function lockRecord(record: string, { signal, onWait }: LockOptions): Promise<RecordLock> {
  const path = `${record}.lock`;
  const self: Holder = { pid: process.pid, host: hostname(), machine: await thisMachine(), token: randomUUID() };
  const text = JSON.stringify(self);
  if (await isReadOnly(path)) return { requireHeld: async () => {}, release: async () => {} };
  let seen = { state: '', looks: 0 };
  let hasSaid = false;
  for (;;) {
    signal.throwIfAborted();
    const other = (await create(path, text)) ? null : await look(path);
    if (other === null) break;
    if (other === undefined) continue;
    seen = other.state === seen.state ? { ...seen, looks: seen.looks + 1 } : { state: other.state, looks: 0 };
    if (hasEnded(other.holder, self) || seen.looks >= DEAD_AFTER_LOOKS) {
      await takeAway(path, other.text);
      continue;
    }
    if (!hasSaid) onWait(nameOf(other.holder, self));
    hasSaid = true;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return hold(path, self.token);
}

function hold(path: string, token: string): RecordLock {
  held.set(token, path);
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, ALIVE_EVERY_MS);
  timer.unref();
  const isOurs = async () => (await readFile(path, 'utf8').catch(() => '')).includes(token);
  return {
    async requireHeld() {
      if (await isOurs()) return;
      const why = 'Another run writes to the same folder since this one stood still.';
      throw new CliError(EXIT.unexpected, 'lock_lost', `${why} Run the same command again to go on.`);
    },
    async release() {
      clearInterval(timer);
      held.delete(token);
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}

/** Tests whether no run of this user can save a record there, so that there is nothing to lock. */
async function isReadOnly(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const code = await access(folder, constants.W_OK).then(
      () => '',
      (error: NodeJS.ErrnoException) => error.code ?? '',
    );
    if (code !== 'ENOENT' || dirname(folder) === folder) return ['EACCES', 'EROFS'].includes(code);
  }
}

/** Creates a file that is not there. Returns false if it is. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    await makeFolder(dirname(path));
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns who has the lock, and what changes with each sign of life; undefined if it is free by now. */
async function look(path: string) {
  try {
    const [text, { mtimeMs }] = [await readFile(path, 'utf8'), await stat(path)];
    return { text, holder: parseHolder(text), state: `${text} ${mtimeMs}` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns undefined for what a killed process has written in part. */
function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

/** Tests whether the process of a lock is known to have ended. */
function hasEnded(holder: Holder | undefined, self: Holder): boolean {
  if (!holder || holder.machine !== self.machine) return false;
  if (holder.pid === self.pid) return !held.has(holder.token);
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Removes the lock of a dead process. One run at a time does so, so that none removes the lock that another has taken since. */
async function takeAway(path: string, text: string): Promise<void> {
  const guard = `${path}.taken`;
  if (!(await create(guard, ''))) {
    // It is there for a moment, or a run was killed in it.
    const age = Date.now() - (await stat(guard).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > DEAD_AFTER_LOOKS * LOOK_EVERY_MS) await rm(guard, { force: true });
    await sleep(LOOK_EVERY_MS / 10);
    return;
  }
  try {
    if ((await look(path))?.text === text) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

function nameOf(holder: Holder | undefined, self: Holder): string {
  if (!holder) return 'a process';
  return `process ${holder.pid}${holder.host === self.host ? '' : ` on ${holder.host}`}`;
}

/** Returns what differs where the same number of a process means another one. */
async function thisMachine(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname());
  const container = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${boot.trim()} ${container}`;
}
