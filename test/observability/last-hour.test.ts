import { expect, it } from 'vitest';
import { createLastHour } from '../../server/observability/index.ts';

const MINUTE_MS = 60_000;
const START = Date.UTC(2026, 10, 28, 9);

function watched() {
  const reading = { all: 0, refused: 0, failed: 0, images: 0, waiting: 0, busy: 0 };
  let now = START;
  const hour = createLastHour(
    async () => ({ ...reading }),
    () => now,
  );
  return {
    reading,
    hour,
    async pass(minutes: number) {
      for (let minute = 0; minute < minutes; minute += 1) {
        now += MINUTE_MS;
        await hour.look();
      }
    },
    wait: (minutes: number) => {
      now += minutes * MINUTE_MS;
    },
  };
}

it('counts from the start, at first', async () => {
  const { reading, hour, pass } = watched();
  await pass(2);
  Object.assign(reading, { all: 12, refused: 3, failed: 1, images: 2, waiting: 5, busy: 1 });
  await pass(1);
  Object.assign(reading, { all: 14, waiting: 0, busy: 0 });
  expect(await hour.report()).toEqual({
    since: '2026-11-28T09:00:00.000Z',
    all: 14,
    refused: 3,
    failed: 1,
    images: 2,
    queue: [
      { at: '2026-11-28T09:00:00.000Z', waiting: 0, busy: 0 },
      { at: '2026-11-28T09:01:00.000Z', waiting: 0, busy: 0 },
      { at: '2026-11-28T09:02:00.000Z', waiting: 0, busy: 0 },
      { at: '2026-11-28T09:03:00.000Z', waiting: 5, busy: 1 },
    ],
  });
});

it('forgets what is older than an hour, and never has more than 60 looks', async () => {
  const { reading, hour, pass } = watched();
  Object.assign(reading, { all: 100, refused: 10, failed: 10, images: 10, waiting: 7 });
  await pass(1);
  Object.assign(reading, { all: 130, failed: 11, waiting: 0 });
  await pass(59);
  const soon = await hour.report();
  expect(soon).toMatchObject({ since: '2026-11-28T09:01:00.000Z', all: 30, refused: 0, failed: 1, images: 0 });
  expect(soon.queue.map(({ waiting }) => waiting)).toEqual([7, ...Array(59).fill(0)]);
  await pass(1);
  const later = await hour.report();
  expect(later).toMatchObject({ since: '2026-11-28T09:02:00.000Z', all: 0, failed: 0 });
  expect(later.queue).toHaveLength(60);
  expect(later.queue.every(({ waiting }) => waiting === 0)).toBe(true);
});

it('after a suspension of the process has only what it saw since', async () => {
  const { reading, hour, pass, wait } = watched();
  await pass(30);
  reading.failed = 4;
  wait(120);
  await pass(1);
  expect(await hour.report()).toMatchObject({ since: '2026-11-28T11:31:00.000Z', failed: 0 });
});
