import { expect, it } from 'vitest';
import { createJobEventRepository, eventId } from '../../server/db/repositories/job-history.ts';
import { createEventWriter } from '../../server/jobs/event-log.ts';
import { useDatabase } from '../db/embedded/embedded-fixture.ts';

/** Less than a writer pauses between two writes. */
const SOON_MS = 40;
const store = useDatabase();

it('a writer that was too slow goes on at once, and reads first while other servers write', async () => {
  const jobEvents = createJobEventRepository(store.connection);
  const data = { imageId: 'img_1', clientRef: null, status: 'processing', step: 'load', total: 9 } as const;
  /** Another server stores the next event. */
  const storeNext = async () => {
    const n = (await jobEvents.findAfter('job_1', -1)).length;
    await jobEvents.append([
      { _id: eventId('job_1', n), n, event: 'progress', data: { ...data, current: 0 }, by: 'other' },
    ]);
  };
  const commands: string[] = [];
  const writer = createEventWriter({
    jobId: 'job_1',
    jobEvents: {
      ...jobEvents,
      append: (events) => {
        commands.push('append');
        return jobEvents.append(events);
      },
      findAfter: async (...after) => {
        commands.push('read');
        const found = await jobEvents.findAfter(...after);
        // The other server is faster than a writer that pauses here.
        setTimeout(() => void (commands.at(-1) === 'read' && commands.length < 9 && storeNext()), SOON_MS);
        return found;
      },
    },
    last: { n: -1, current: 0 },
    onStored: () => {},
    outlast: (work) => work(),
  });
  await storeNext();
  writer.write({ data, ends: false });
  await writer.flush();
  expect(commands).toEqual(['append', 'read', 'append']);
  await storeNext();
  writer.write({ data, ends: true });
  await writer.flush();
  expect(commands.slice(3)).toEqual(['read', 'append']);
  expect((await jobEvents.findAfter('job_1', -1)).map(({ n }) => n)).toEqual([0, 1, 2, 3]);
});
