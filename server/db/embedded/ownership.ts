import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Store } from './store.ts';

const OWNER = Buffer.from([0, 2]);
/** sockaddr_un has 104 bytes on macOS and 108 on Linux. */
const MAX_SOCKET_PATH_BYTES = 100;

/** Ownership of a directory by this process, or by another live one. */
export interface Ownership {
  owner: boolean;
  /** A socket path, or `host:port` on Windows. */
  address: string;
}

/**
 * Decides which process serves a directory. Each contender first listens on an address of its own, then writes it
 * into the store if the address written there is dead. The store's transactions exclude each other across processes,
 * and an address that refused once never answers again, so exactly one of several contenders wins.
 */
export async function claimDirectory(directory: string, store: Store, server: Server): Promise<Ownership> {
  const key = keyOfDirectory(directory);
  const current = await liveOwner(store, key);
  if (current.live) return { owner: false, address: current.address };
  const address = await listen(server, key.sockets);
  const written = noteOf(address, key);
  for (let seen = current; ; seen = await liveOwner(store, key)) {
    if (seen.live) {
      server.close();
      return { owner: false, address: seen.address };
    }
    // As a write that frees space: on a full disk only the owner can remove anything.
    const won = store.transaction(() => {
      if ((store.get(OWNER)?.toString() ?? '') !== seen.note) return false;
      store.put(OWNER, Buffer.from(written));
      return true;
    }, true);
    if (!won) continue;
    if (seen.address.endsWith('.sock')) rmSync(seen.address, { force: true });
    return { owner: true, address };
  }
}

/** Location of a directory; distinguishes it from copies with the same data. */
export interface DirectoryKey {
  /** Directory of its sockets. */
  sockets: string;
  /** Hash of the directory's real path. */
  id: string;
}

/** Returns the location of an existing directory, with links resolved. */
function keyOfDirectory(directory: string): DirectoryKey {
  const path = realpathSync.native(directory);
  const id = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return { id, sockets: socketDirectory(path, id) };
}

/** Encodes the owner's address for the store. A copy of the data must not lead to the original. */
export function noteOf(address: string, { id }: DirectoryKey): string {
  return address.endsWith('.sock') ? basename(address) : `${address}/${id}`;
}

/** Decodes the owner's address; empty if it belongs to another location. */
export function addressOf(note: string, { sockets, id }: DirectoryKey): string {
  // Earlier versions wrote the whole path.
  if (note.endsWith('.sock')) return join(sockets, basename(note));
  const [address = '', key] = note.split('/');
  return key === id ? address : '';
}

async function liveOwner(store: Store, key: DirectoryKey): Promise<{ note: string; address: string; live: boolean }> {
  const note = store.get(OWNER)?.toString() ?? '';
  const address = addressOf(note, key);
  return { note, address, live: address !== '' && (await answers(address)) };
}

function answers(address: string): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(connectOptions(address));
    const end = (live: boolean) => {
      socket.destroy();
      settle(live);
    };
    socket.on('connect', () => end(true));
    // A full backlog or missing permission also means that a process listens.
    socket.on('error', (error: NodeJS.ErrnoException) => end(!['ECONNREFUSED', 'ENOENT'].includes(error.code ?? '')));
  });
}

function connectOptions(address: string): { path: string } | { host: string; port: number } {
  if (address.endsWith('.sock')) return { path: address };
  const [host = '', port] = address.split(':');
  return { host, port: Number(port) };
}

function listen(server: Server, directory: string): Promise<string> {
  const path = join(directory, `${randomBytes(4).toString('hex')}.sock`);
  const windows = process.platform === 'win32';
  const options: ListenOptions = windows ? { host: '127.0.0.1', port: 0 } : { path };
  return new Promise((settle, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      if (!windows) chmodSync(path, 0o600);
      const bound = server.address();
      settle(typeof bound === 'object' && bound ? `127.0.0.1:${bound.port}` : path);
    });
  });
}

/** Returns the directory for the socket: the database's own, or a short private one if its path is too long. */
function socketDirectory(path: string, id: string): string {
  if (Buffer.byteLength(path) + '/12345678.sock'.length <= MAX_SOCKET_PATH_BYTES) return path;
  const short = join(tmpdir(), `embedded-${id}`);
  makePrivateDirectory(short);
  return short;
}

/** Creates a directory that only this user may enter. @throws Error if it belongs to another user */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return;
  const { uid } = lstatSync(directory);
  if (uid !== process.getuid?.() && process.getuid?.() !== 0) throw new Error(`${directory} belongs to another user`);
  chmodSync(directory, 0o700);
}
