import { lstat, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { CheckLine } from '#contract';
import { createWriteProbe } from '../storage/index.ts';
import { linesOf } from './lines.ts';
import { systemCodeOf } from './network-failure.ts';

/** Part of a disk below which it is nearly full. */
const LITTLE = 0.1;
type Folder = 'db' | 'files/incoming';
/** Folders that hold what no other user may read. */
const CLOSED = ['db', 'secrets', 'files'];

interface DiskCheckInput {
  dataDirectory: string;
  /** True if the database is below DATA_DIR. */
  isEmbedded: boolean;
}

/** Looks at the folders of this server: rights, space, and that files can be renamed from one into the other. */
export async function checkDisk({ dataDirectory, isEmbedded }: DiskCheckInput): Promise<CheckLine[]> {
  const root = resolve(dataDirectory);
  const line = linesOf('disk', `${root} (DATA_DIR)`);
  try {
    const owner = await ownerOfFiles(root);
    if (owner === 'nobody') return [await checkPlace(root)];
    const isOwn = owner === 'own';
    const found = await Promise.all([
      checkWriting(root, isEmbedded, isOwn),
      checkSpace(root),
      checkRights(root),
      checkOneDisk(root),
    ]);
    const lines = found.flat();
    if (!isOwn) {
      const remedy = 'run the check as the user of the service, or give the folder to that user';
      lines.unshift(line.warning('other_user', 'it belongs to another user than the one who checks', remedy));
    }
    return lines;
  } catch (error) {
    const remedy = 'give the folder to the user of the service (mode 0700), or set another DATA_DIR';
    return [line.fault('unreadable', `it cannot be read (${systemCodeOf(error)})`, remedy)];
  }
}

/** Returns whose a file or folder is: of the user of this process, of another one, or of nobody if it does not exist. */
export async function ownerOfFiles(path: string): Promise<'own' | 'another' | 'nobody'> {
  try {
    const { uid } = await stat(path);
    const own = process.getuid?.();
    return own === undefined || own === uid ? 'own' : 'another';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'nobody';
    throw error;
  }
}

/** Looks where the first start would make the folder. */
async function checkPlace(root: string): Promise<CheckLine> {
  const line = linesOf('disk', `${root} (DATA_DIR)`);
  let above = dirname(root);
  while (above !== dirname(above) && (await ownerOfFiles(above)) === 'nobody') above = dirname(above);
  const { fault, isFull } = await createWriteProbe({ directories: { [`folder ${above}`]: above } }).check();
  if (isFull) return line.fault('full', 'the disk is full', 'free some space');
  if (fault === null) return line.ok('new', 'not there yet; the first start makes it');
  return line.fault(
    'unwritable',
    `not there yet, and ${fault}`,
    'make the folder for the user of the service, or set another DATA_DIR',
  );
}

async function checkWriting(root: string, isEmbedded: boolean, isOwn: boolean): Promise<CheckLine[]> {
  const wanted = ['files/incoming', ...(isEmbedded ? ['db'] : [])] as Folder[];
  const there: typeof wanted = [];
  for (const name of wanted) if ((await ownerOfFiles(join(root, name))) !== 'nobody') there.push(name);
  const directories = Object.fromEntries(there.map((name) => [`folder ${name}`, join(root, name)]));
  if (there.length === 0) directories['folder of the data'] = root;
  // The byte of another user would stand in the way of the service's own probe.
  if (!isOwn && process.getuid?.() === 0) return [];
  const line = linesOf('disk', `${Object.values(directories).join(', ')}: writes and removes a byte`);
  const { fault, isFull } = await createWriteProbe({ directories }).check();
  if (fault !== null) {
    const remedy = 'look at the rights of the folder, and if the disk is read-only, faulty or not there';
    return [line.fault('unwritable', fault, remedy)];
  }
  if (isFull) return [line.fault('full', 'the disk is full', 'free some space; downloads and removals still work')];
  return [line.ok('writable', 'it can')];
}

async function checkSpace(root: string): Promise<CheckLine> {
  const { bavail, blocks, bsize } = await statfs(root);
  const line = linesOf('disk', `${root}: space`);
  const size = (count: number) => `${((count * bsize) / 1e9).toFixed(1)} GB`;
  const found = `${size(bavail)} of ${size(blocks)} are free`;
  if (bavail >= blocks * LITTLE) return line.ok('space', found);
  return line.warning(
    'little_space',
    found,
    'use a larger disk, or lower SESSION_TTL_HOURS or VARIANT_CACHE_MB, or storageMb in PLANS',
  );
}

async function checkRights(root: string): Promise<CheckLine[]> {
  if (process.platform === 'win32') return [];
  const open: string[] = [];
  // A closed folder closes what is below it.
  if (((await stat(root)).mode & 0o077) === 0) return [];
  for (const name of CLOSED) {
    const found = await lstat(join(root, name)).catch(() => null);
    if (found && found.mode & 0o077) open.push(join(root, name));
  }
  if (open.length === 0) return [];
  const line = linesOf('disk', `${open.join(', ')}: rights`);
  const remedy = `chmod 700 ${open.join(' ')}; the start of the service does it where it may`;
  return [line.warning('open_to_others', 'other users can read it', remedy)];
}

async function checkOneDisk(root: string): Promise<CheckLine[]> {
  const [files, incoming] = await Promise.all(
    ['files', 'files/incoming'].map((name) => stat(join(root, name)).catch(() => null)),
  );
  if (!files || !incoming || files.dev === incoming.dev) return [];
  const line = linesOf('disk', `${join(root, 'files')} and its folder incoming`);
  const remedy = 'mount both together: files are renamed from one into the other';
  return [line.fault('two_disks', 'they are on two disks', remedy)];
}
