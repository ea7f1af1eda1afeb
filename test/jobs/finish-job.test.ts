import { expect, it, vi } from 'vitest';
import { createImageResultRepository } from '../../server/db/repositories/job-images.ts';
import { endJob } from '../../server/jobs/end-job.ts';
import { useDatabase } from '../db/embedded/embedded-fixture.ts';

const store = useDatabase();

it('what has changed in results while a job ran is stored at its end, and nothing else', async () => {
  const stored = ['a', 'b'].map((filename, index) => ({
    _id: `job_a:${index}`,
    index,
    result: { status: 'completed', filename },
  }));
  const update = vi.fn(async () => {});
  const kind = {
    refresh: async () => [
      { status: 'completed', filename: 'a' },
      { status: 'completed', filename: 'renamed' },
    ],
    isWithoutGain: () => false,
    show: (result: unknown) => result,
    summarize: () => ({}),
    completeDetails: () => ({}),
  };
  const { event } = await endJob({
    job: { _id: 'job_a', sessionId: 'sess_a', images: [{ imageId: 'img_a' }, { imageId: 'img_b' }] },
    kind,
    images: new Map(),
    stopped: null,
    settle: async () => ({ credits: { charged: 2, refunded: 0, balance: 0 }, perImage: 1 }),
    repositories: { imageResults: { findOfJob: async () => stored, insertMissing: async () => true, update } },
    durationMs: 1,
  } as never);
  expect(update.mock.calls).toEqual([[{ ...stored[1], result: { status: 'completed', filename: 'renamed' } }]]);
  expect(event.data.results).toMatchObject([{ filename: 'a' }, { filename: 'renamed' }]);
});

it('what another server completes while a job of 2,000 images is stopped counts, and each other image fails', async () => {
  const imageResults = createImageResultRepository(store.connection);
  const ids = Array.from({ length: 2000 }, (_, index) => `img_${index}`);
  const settle = vi.fn(async () => ({ credits: { charged: 1, refunded: 1999, balance: 0 }, perImage: 1 }));
  const completedElsewhere = (index: number) =>
    ({ _id: `job_b:${index}`, jobId: 'job_b', sessionId: 'sess_b', index, result: { status: 'completed' } }) as never;
  const { event, state } = await endJob({
    job: { _id: 'job_b', sessionId: 'sess_b', images: ids.map((imageId) => ({ imageId })) },
    kind: {
      failed: (_job: unknown, _image: unknown, error: unknown) => ({ status: 'failed', error }),
      isWithoutGain: () => false,
      show: (result: unknown) => result,
    },
    images: new Map(ids.map((id) => [id, {}])),
    stopped: 'job_cancelled',
    settle,
    repositories: {
      imageResults: {
        ...imageResults,
        async insertMissing(records: never) {
          await imageResults.insert(completedElsewhere(700));
          return imageResults.insertMissing(records);
        },
      },
    },
    durationMs: 1,
  } as never);
  expect(settle).toHaveBeenCalledWith(expect.anything(), 1);
  expect(state).toBe('cancelled');
  expect(event.data.results?.filter(({ status }) => status === 'failed')).toHaveLength(1999);
  expect(event.data.results?.[700]).toMatchObject({ status: 'completed' });
});
