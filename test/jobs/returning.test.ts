import { expect, it } from 'vitest';
import { newGate } from '../support/gate.ts';
import { useProcesses } from './processes.ts';

const { fixture, gates, newProcess, newJob, storyOf, expectWhole, gateAt, stored } = useProcesses();

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
  const { reached } = gateAt(0);
  jobs.start(job);
  const leaving = new AbortController();
  const listening = (async () => {
    for await (const _ of jobs.follow(job, -1, leaving.signal));
  })();
  await reached;
  leaving.abort();
  await listening;
  await ending.reached;
  gates.clear();
  const stories = Promise.all([storyOf(jobs, job), storyOf(jobs, job)]);
  ending.open();
  for (const story of await stories) expect(story.at(-1)).toMatchObject({ event: 'complete' });
  await expectWhole(jobs, job);
  expect(await stored(job)).toMatchObject({ attempts: 1 });
});
