import mongoose from 'mongoose';

/** Options of {@link connectDatabase}. */
export interface ConnectOptions {
  /** MongoDB connection string, of a real server or of the embedded store. */
  uri: string;
  /** How long an operation looks for a server before it fails, in milliseconds. @default 2500 */
  serverSelectionTimeoutMs?: number;
}

/**
 * Connects to MongoDB. Nothing is buffered while the server is away: an operation fails within the selection timeout,
 * so that a request is answered with 503 instead of hanging.
 */
export async function connectDatabase({ uri, serverSelectionTimeoutMs = 2500 }: ConnectOptions) {
  return mongoose
    .createConnection(uri, {
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: serverSelectionTimeoutMs,
      socketTimeoutMS: 20_000,
      maxPoolSize: 20,
      retryWrites: false,
    })
    .asPromise();
}

/** A mongoose connection on which the models are compiled. */
export type Connection = mongoose.Connection;
