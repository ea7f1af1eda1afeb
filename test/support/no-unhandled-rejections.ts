import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

// Vitest fails the run for a rejection that has no handler; here the test fails in which it happens.
const rejections: unknown[] = [];
const note = (reason: unknown) => void rejections.push(reason);

beforeAll(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await turn();
  expect(rejections.splice(0), 'rejections that nothing handles').toEqual([]);
});
afterAll(() => void process.off('unhandledRejection', note));
