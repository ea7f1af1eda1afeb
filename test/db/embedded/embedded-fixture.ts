import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { patchDriver } from '../../../server/db/connect.ts';
import { startEmbedded } from '../../../server/db/embedded/index.ts';

/** A directory under the system's temporary one, and how to remove it. */
export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'embedded-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A directory for one test, removed when it has ended. */
export function freshDirectory(): string {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  return path;
}

/** Opens a connection of its own to a store, with the service's remedy for a driver that may hang when a store is killed. */
export function connect(uri: string, options: mongoose.ConnectOptions = {}): Promise<mongoose.Connection> {
  patchDriver();
  return mongoose.createConnection(uri, { serverSelectionTimeoutMS: 3000, ...options }).asPromise();
}

/** Serves a fresh directory for one test file; with `TEST_MONGODB_URI` the golden files check a real server instead. */
export function useDatabase({ ttlSeconds = 60, golden = false } = {}) {
  const directory = temporaryDirectory();
  const state = { uri: '', path: directory.path } as { uri: string; path: string; connection: mongoose.Connection };
  let close = async () => {};
  beforeAll(async () => {
    const real = golden ? process.env.TEST_MONGODB_URI : undefined;
    const embedded = real
      ? { uri: real, close: async () => {} }
      : await startEmbedded({ directory: directory.path, ttlSeconds });
    state.uri = embedded.uri;
    state.connection = await connect(embedded.uri, { maxPoolSize: 50 });
    close = async () => {
      await state.connection.close();
      await embedded.close();
    };
  });
  afterAll(async () => {
    await close();
    directory.remove();
  });
  return state;
}

/** Documents with any fields, and with an _id of any kind: what the tests of a store without schemas need. */
export interface AnyDocument {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's types want one type per field
  [field: string]: any;
  _id?: string | number | number[] | mongoose.mongo.ObjectId;
}

/** The error a promise rejects with; fails when it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  let result: unknown;
  try {
    result = await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error(`expected a rejection, got ${JSON.stringify(result)}`);
}
