import { expect, it, vi } from 'vitest';
import { endJob } from '../../server/jobs/finish-job.ts';

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
    repositories: { imageResults: { findOfJob: async () => stored, update } },
    durationMs: 1,
  } as never);
  expect(update.mock.calls).toEqual([[{ ...stored[1], result: { status: 'completed', filename: 'renamed' } }]]);
  expect(event.data.results).toMatchObject([{ filename: 'a' }, { filename: 'renamed' }]);
});
