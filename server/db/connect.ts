import mongoose from 'mongoose';
import { patchDriver } from './driver-patch.ts';

/** Options of {@link connectDatabase}. */
export interface ConnectOptions {
  /** MongoDB connection string, of a real server or of the embedded store. */
  uri: string;
  /** How long an operation looks for a server before it fails, in milliseconds. @default patienceMs */
  serverSelectionTimeoutMs?: number;
  /** How long an answer may take, in milliseconds; 0: as long as it takes. @default patienceMs */
  silenceMs?: number;
  /** How long a server may be away or silent before it counts as lost, in milliseconds. @default 2500 */
  patienceMs?: number;
}

const LIMIT_MS = 2500;

/**
 * For the embedded database, in milliseconds. It lives on this machine, so it is never unreachable: its end closes every connection at
 * once, and silence means a busy disk or processor, which passes. Giving up early would fail requests that only had to wait.
 */
export const EMBEDDED_PATIENCE_MS = 15_000;

/**
 * Connects to MongoDB. Nothing is buffered while the server is away or silent: an operation fails within its time limit, so
 * that a request is answered with 503 instead of hanging.
 */
export async function connectDatabase(options: ConnectOptions) {
  const { uri, patienceMs = LIMIT_MS } = options;
  const { serverSelectionTimeoutMs = patienceMs, silenceMs = patienceMs } = options;
  patchDriver();
  return mongoose
    .createConnection(uri, {
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: serverSelectionTimeoutMs,
      // A server that accepts and never answers; a second attempt would double the wait.
      socketTimeoutMS: silenceMs,
      connectTimeoutMS: patienceMs,
      retryReads: false,
      waitQueueTimeoutMS: patienceMs * 0.6,
      maxPoolSize: 50,
      retryWrites: false,
    })
    .asPromise();
}

/** A mongoose connection on which the models are compiled. */
export type Connection = mongoose.Connection;
