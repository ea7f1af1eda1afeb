import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import mongoose from 'mongoose';

/** Options of {@link connectDatabase}. */
export interface ConnectOptions {
  /** MongoDB connection string, of a real server or of the embedded store. */
  uri: string;
  /** Longest wait of an operation for a server, in milliseconds. @default timeoutMs */
  serverSelectionTimeoutMs?: number;
  /** Longest wait for a reply on a socket, in milliseconds; 0: unlimited. @default timeoutMs */
  socketTimeoutMs?: number;
  /** Time after which an absent or silent server counts as lost, in milliseconds. @default 2500 */
  timeoutMs?: number;
}

const LIMIT_MS = 2500;

/**
 * Time limit for the embedded database, in milliseconds. It runs on this machine: its end closes every connection at once,
 * and silence means a busy disk or processor. A short limit would fail requests that only have to wait.
 */
export const EMBEDDED_TIMEOUT_MS = 15_000;

/**
 * Connects to MongoDB. Nothing is buffered while the server is away or silent: an operation fails within its time limit, so
 * that a request is answered with 503 instead of hanging. Of a replica set, a write counts when a majority has it on disk,
 * and reads come from the primary; the URI cannot change that. The driver repeats once what met a change of the primary; of writes,
 * `retryWrites=false` in the URI switches that off, which some servers need.
 */
export async function connectDatabase(options: ConnectOptions) {
  const { uri, timeoutMs = LIMIT_MS } = options;
  const { serverSelectionTimeoutMs = timeoutMs, socketTimeoutMs = timeoutMs } = options;
  patchDriver();
  return mongoose
    .createConnection(uri, {
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: serverSelectionTimeoutMs,
      socketTimeoutMS: socketTimeoutMs,
      connectTimeoutMS: timeoutMs,
      waitQueueTimeoutMS: timeoutMs * 0.6,
      maxPoolSize: 50,
      retryReads: true,
      readPreference: 'primary',
      readConcernLevel: 'majority',
      w: 'majority',
      journal: true,
    })
    .asPromise();
}

/** A mongoose connection on which the models are compiled. */
export type Connection = mongoose.Connection;

interface DriverConnection {
  socket: Socket;
  writeCommand(command: unknown, options: unknown): Promise<void>;
}

interface DriverInternals {
  Connection?: { prototype: DriverConnection };
}

let patched = false;

/**
 * Patches a defect of the MongoDB driver (seen in 7.8.0): a command written to a socket that was just destroyed waits for
 * `drain` forever. It affects operations, which then exceed every time limit, and the monitor, after which the client
 * never reconnects. With the patch, the close of the socket rejects the write.
 * @returns false if the driver's internals do not match
 */
export function patchDriver(): boolean {
  if (patched) return true;
  // Resolves the copy of the driver that mongoose uses.
  const requireLikeMongoose = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const { Connection } = requireLikeMongoose('mongodb/lib/cmap/connection.js') as DriverInternals;
  const { MongoNetworkError } = requireLikeMongoose('mongodb') as { MongoNetworkError: new (text: string) => Error };
  const original = Connection?.prototype.writeCommand;
  if (!Connection || typeof original !== 'function') return false;
  Connection.prototype.writeCommand = function writeCommand(command, options) {
    const { socket } = this;
    return new Promise<void>((resolve, reject) => {
      const onClose = () => reject(new MongoNetworkError('the connection was closed while a command was written'));
      if (socket.closed) return onClose();
      socket.once('close', onClose);
      original
        .call(this, command, options)
        .then(resolve, reject)
        .finally(() => socket.off('close', onClose));
    });
  };
  patched = true;
  return true;
}
