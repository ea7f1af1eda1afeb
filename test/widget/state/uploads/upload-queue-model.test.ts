import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UploadQueue } from '../../../../widget/state/uploads/upload-queue.ts';
import { apiError, connectionError } from '../scripted-service.ts';
import { createTestEnvironment, settle, type TestEnvironment } from '../test-environment.ts';

const CONCURRENCY = 3;
const RETRIES = 3;

/** State of the model: the files that are not uploaded yet, and how often they may fail. */
interface Model {
  added: Set<string>;
  done: Set<string>;
  failed: Set<string>;
  removed: Set<string>;
}

/** The queue, and the requests that it has open. */
interface Real {
  queue: UploadQueue;
  env: TestEnvironment;
  open: Map<string, { resolve(): void; reject(error: Error): void }>;
  /** Failures while online, by file. */
  failures: Map<string, number>;
  mostAtOnce: number;
  violations: string[];
  finished: string[];
  failed: string[];
  idles: number;
}

function createReal(): Real {
  const env = createTestEnvironment();
  const open: Real['open'] = new Map();
  let session = false;
  const real: Real = {
    env,
    open,
    failures: new Map(),
    mostAtOnce: 0,
    violations: [],
    finished: [],
    failed: [],
    idles: 0,
    queue: new UploadQueue({
      env,
      limits: () => ({ concurrency: CONCURRENCY, retries: RETRIES, stallTimeout: 0 }),
      isOpen: () => session,
      send: (id, { signal }) =>
        new Promise<void>((resolve, reject) => {
          if (open.has(id)) real.violations.push(`${id} is uploaded twice at once`);
          if (!session && open.size > 0) real.violations.push('two requests create a session');
          const end = () => open.delete(id);
          signal.addEventListener('abort', end);
          open.set(id, {
            resolve: () => {
              end();
              session = true;
              real.finished.push(id);
              resolve();
            },
            reject: (error) => {
              end();
              const attempts = (real.failures.get(id) ?? 0) + 1;
              // A timeout beside other uploads does not count.
              if (error.message === 'timeout') return reject(error);
              if (real.env.online.isOnline()) real.failures.set(id, attempts);
              if (attempts > RETRIES) real.violations.push(`${id} was tried ${attempts} times`);
              reject(error);
            },
          });
          real.mostAtOnce = Math.max(real.mostAtOnce, open.size);
        }),
      patch() {},
      onProgress() {},
      onFailed: (id) => real.failed.push(id),
      onBlocked() {},
      onIdle() {
        real.idles += 1;
      },
    }),
  };
  return real;
}

type Command = fc.AsyncCommand<Model, Real>;

const holds = (real: Real, model: Model) => {
  expect(real.violations).toEqual([]);
  expect(real.mostAtOnce).toBeLessThanOrEqual(CONCURRENCY);
  expect(new Set(real.finished).size).toBe(real.finished.length);
  for (const id of real.open.keys()) expect(model.done.has(id) || model.removed.has(id)).toBe(false);
};

function command(name: string, check: (model: Model) => boolean, run: (model: Model, real: Real) => unknown): Command {
  return {
    check,
    async run(model, real) {
      await run(model, real);
      await settle();
      for (const id of real.finished) model.done.add(id);
      for (const id of real.failed) model.failed.add(id);
      holds(real, model);
    },
    toString: () => name,
  };
}

const add = fc.nat(9).map((index) =>
  command(
    `add ${index}`,
    (model) => !model.added.has(`f${index}`),
    (model, real) => {
      model.added.add(`f${index}`);
      real.queue.add([{ id: `f${index}`, size: 10 }]);
    },
  ),
);
const remove = fc.nat(9).map((index) =>
  command(
    `remove ${index}`,
    (model) => model.added.has(`f${index}`),
    (model, real) => {
      if (!model.done.has(`f${index}`)) model.removed.add(`f${index}`);
      real.queue.remove([`f${index}`]);
    },
  ),
);
const succeed = fc.nat(3).map((which) =>
  command(
    `succeed ${which}`,
    () => true,
    (_, real) => [...real.open.values()][which]?.resolve(),
  ),
);
const break_ = fc.nat(3).map((which) =>
  command(
    `break ${which}`,
    () => true,
    (_, real) => [...real.open.values()][which]?.reject(connectionError()),
  ),
);
const timeOut = fc.nat(3).map((which) =>
  command(
    `time out ${which}`,
    () => true,
    (_, real) => [...real.open.values()][which]?.reject(connectionError('timeout')),
  ),
);
const refuse = fc.nat(3).map((which) =>
  command(
    `refuse ${which}`,
    () => true,
    (_, real) => [...real.open.values()][which]?.reject(apiError(415, 'unsupported_image')),
  ),
);
const wait = fc.constant(
  command(
    'wait',
    () => true,
    (_, real) => real.env.advance(40_000),
  ),
);
const outage = fc.constant(
  command(
    'outage',
    () => true,
    async (_, real) => {
      for (const { reject } of [...real.open.values()]) reject(connectionError());
      await real.env.advance(40_000);
    },
  ),
);
const pause = fc.constant(
  command(
    'pause',
    () => true,
    (_, real) => real.queue.pause(),
  ),
);
const resume = fc.constant(
  command(
    'resume',
    () => true,
    (_, real) => real.queue.resume(),
  ),
);
const online = fc.boolean().map((on) =>
  command(
    `online ${on}`,
    () => true,
    (_, real) => real.env.setOnline(on),
  ),
);

test('whatever happens, every file is uploaded once or fails or is removed, never two at once, never too many', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        [add, add, add, remove, succeed, succeed, break_, timeOut, refuse, wait, outage, outage, pause, resume, online],
        {
          maxCommands: 40,
          size: 'max',
        },
      ),
      async (commands) => {
        const real = createReal();
        const model: Model = { added: new Set(), done: new Set(), failed: new Set(), removed: new Set() };
        await fc.asyncModelRun(() => ({ model, real }), commands);
        // In the end the connection is there and nothing fails any more: then nothing is left over.
        real.env.setOnline(true);
        real.queue.resume();
        for (let round = 0; round < 12 && real.queue.busy; round += 1) {
          await real.env.advance(40_000);
          for (const { resolve } of [...real.open.values()]) resolve();
          await settle();
        }
        await real.queue.idle();
        for (const id of real.finished) model.done.add(id);
        for (const id of real.failed) model.failed.add(id);
        for (const id of model.added) {
          expect(model.done.has(id) || model.failed.has(id) || model.removed.has(id)).toBe(true);
        }
        expect(real.open.size).toBe(0);
        expect(real.queue.busy).toBe(false);
        if (model.added.size > 0) expect(real.idles).toBeGreaterThan(0);
        holds(real, model);
      },
    ),
    { numRuns: 80 },
  );
});
