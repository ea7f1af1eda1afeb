import { expect, it } from 'vitest';
import type { JobRecord } from '../../server/db/index.ts';
import { newGate } from '../support/gate.ts';
import { useProcesses } from './processes.ts';

const { fixture, gates, newProcess, newJob, storyOf, expectWhole, gateAt, stored, recoverAfterLease } = useProcesses();

type Process = ReturnType<typeof newProcess>;

/** Listens to a job until it works on an image, and leaves. */
async function listenAndLeave(jobs: Process, job: JobRecord): Promise<void> {
  const { reached } = gateAt(0);
  jobs.start(job);
  const leaving = new AbortController();
  const listening = (async () => {
    for await (const _ of jobs.follow(job, -1, leaving.signal));
  })();
  await reached;
  leaving.abort();
  await listening;
}

it('a job goes on for two readers that come while it stops, since its only client had left', async () => {
  const ending = newGate();
  const { jobHistory } = fixture.repositories;
  const put: typeof jobHistory.put = async (record) => {
    await ending.pass();
    return jobHistory.put(record);
  };
  const repositories = { ...fixture.repositories, jobHistory: { ...jobHistory, put } };
  const jobs = newProcess('a', { stopsAlone: true, repositories });
  const job = await newJob(jobs);
  await listenAndLeave(jobs, job);
  await ending.reached;
  gates.clear();
  const stories = Promise.all([storyOf(jobs, job), storyOf(jobs, job)]);
  ending.open();
  for (const story of await stories) expect(story.at(-1)).toMatchObject({ event: 'complete' });
  await expectWhole(jobs, job);
  expect(await stored(job)).toMatchObject({ attempts: 1 });
});

it('a job that was opened again by a process that died at that moment is done by another', async () => {
  const removeFailures = async () => {
    throw new Error('the process dies');
  };
  const repositories = {
    ...fixture.repositories,
    imageResults: { ...fixture.repositories.imageResults, removeFailures },
  };
  const jobs = newProcess('a', { stopsAlone: true, repositories });
  const job = await newJob(jobs);
  await listenAndLeave(jobs, job);
  await expect.poll(async () => (await stored(job))?.state).toBe('cancelled');
  await expect(jobs.reopen(job.accountId, job._id)).rejects.toThrow('dies');
  const other = newProcess('b', { stopsAlone: true });
  expect(await recoverAfterLease(other)).toBe(1);
  await expectWhole(other, job);
});
