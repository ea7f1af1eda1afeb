import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../server/observability/index.ts';
import { tellOutagesOnce } from '../server/outages.ts';

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { name: 'MongoServerSelectionError' });

/** A logger whose lines are kept, and a database that can be taken away. */
function rig({ quietMs = 100 } = {}) {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const database = { isAway: false };
  const logger = tellOutagesOnce({
    logger: createLogger({ level: 'info', format: 'json', destination }),
    stopping: stopping.signal,
    quietMs,
    async ping() {
      if (database.isAway) throw away();
    },
  });
  return { lines, logger, database, told: () => lines.map(({ msg }) => msg) };
}

const BEGIN = 'the database does not respond; work that needs it waits or is repeated';
const END = 'the database responds again';

it('an outage is told once, and once that it is over; the next one is told again', async () => {
  const { lines, logger, database, told } = rig();
  database.isAway = true;
  for (let turn = 0; turn < 50; turn += 1) {
    logger.warn({ err: away(), task: 'resume jobs' }, 'a background task failed');
    logger.error({ err: new Error('not ready', { cause: away() }) }, 'not ready');
  }
  expect(told()).toEqual([BEGIN]);
  expect(lines[0]).toMatchObject({ level: 40, cause: 'MongoServerSelectionError: connect ECONNREFUSED' });
  database.isAway = false;
  await expect.poll(told).toEqual([BEGIN, END]);
  expect(lines[1]).toMatchObject({ level: 30, leftOut: 99, seconds: expect.any(Number) });
  logger.warn({ err: away() }, 'a background task failed');
  expect(told()).toEqual([BEGIN, END, BEGIN]);
});

it('work that goes on failing while the database answers is still the same outage', async () => {
  const { logger, told } = rig({ quietMs: 3000 });
  const unconfirmed = Object.assign(new Error('not replicated'), { name: 'MongoWriteConcernError', code: 64 });
  for (let turn = 0; turn < 10; turn += 1) {
    logger.warn({ err: unconfirmed }, 'a background task failed');
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  expect(told()).toEqual([BEGIN]);
  await expect.poll(told).toEqual([BEGIN, END]);
});

it('everything else is logged as it is', () => {
  const { lines, logger, told } = rig();
  logger.error({ err: new TypeError('a fault of ours') }, 'an image failed unexpectedly');
  logger.warn({ err: Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) }, 'a stream ended early');
  logger.warn('words alone');
  logger.info({ requestId: 'req_1' }, 'request');
  expect(told()).toEqual(['an image failed unexpectedly', 'a stream ended early', 'words alone', 'request']);
  expect(lines[0]).toMatchObject({ level: 50, err: { message: 'a fault of ours' } });
});
