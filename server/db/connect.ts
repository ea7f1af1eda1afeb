import mongoose from 'mongoose';
import { patchDriver } from './driver-patch.ts';

/** Options of {@link connectDatabase}. */
export interface ConnectOptions {
  /** MongoDB connection string, of a real server or of the embedded store. */
  uri: string;
  /** How long an operation looks for a server before it fails, in milliseconds. @default 2500 */
  serverSelectionTimeoutMs?: number;
  /** How long an answer may take, in milliseconds; 0: as long as it takes. @default 2500 */
  silenceMs?: number;
}

const LIMIT_MS = 2500;

/**
 * Connects to MongoDB. Nothing is buffered while the server is away or silent: an operation fails within its time limit, so
 * that a request is answered with 503 instead of hanging.
 */
export async function connectDatabase(options: ConnectOptions) {
  const { uri, serverSelectionTimeoutMs = LIMIT_MS, silenceMs = LIMIT_MS } = options;
  patchDriver();
  return mongoose
    .createConnection(uri, {
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: serverSelectionTimeoutMs,
      // A server that accepts and never answers; a second attempt would double the wait.
      socketTimeoutMS: silenceMs,
      connectTimeoutMS: LIMIT_MS,
      retryReads: false,
      waitQueueTimeoutMS: 1500,
      maxPoolSize: 50,
      retryWrites: false,
    })
    .asPromise();
}

/** A mongoose connection on which the models are compiled. */
export type Connection = mongoose.Connection;
