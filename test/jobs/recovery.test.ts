import { expect, it } from 'vitest';
import { newGate } from '../support/gate.ts';
import { LEASE_SECONDS, useProcesses } from './processes.ts';

const {
  fixture,
  worked,
  gates,
  settled,
  setClock,
  wait,
  recoverAfterLease,
  waitFor,
  newProcess,
  newJob,
  stored,
  storyOf,
  expectWhole,
  gateAt,
} = useProcesses();

it('a job whose lease ran out while this process was at it is not started again', async () => {
  const jobs = newProcess('a');
  const job = await newJob(jobs);
  const gate = gateAt(1);
  jobs.start(job);
  await gate.reached;
  const other = newProcess('b');
  expect(await other.recover()).toBe(0);
  expect(await recoverAfterLease(jobs)).toBe(1);
  expect(jobs.stats()).toEqual({ waiting: 2, jobs: 1 });
  // Taking it up has renewed the lease: nobody else gets it.
  expect(await other.recover()).toBe(0);
  gate.open();
  await expectWhole(jobs, job);
  expect(worked).toEqual(['a 0', 'a 1', 'a 2']);
  expect(settled).toEqual([3]);
  expect(jobs.stats()).toEqual({ waiting: 0, jobs: 0 });
  // It was an outage, and nobody died.
  expect(await stored(job)).toMatchObject({ crashes: 0 });
});

it('a job that is started while the recovery takes it up runs once', async () => {
  const asked = newGate();
  const { imageResults } = fixture.repositories;
  const countOfJob: typeof imageResults.countOfJob = async (jobId) => {
    await asked.pass();
    return imageResults.countOfJob(jobId);
  };
  const jobs = newProcess('a', {
    repositories: { ...fixture.repositories, imageResults: { ...imageResults, countOfJob } },
  });
  const job = await newJob(jobs);
  const gate = gateAt(0);
  // Its request was still paying when the lease ran out.
  const recovering = recoverAfterLease(jobs);
  await asked.reached;
  jobs.start(job);
  await gate.reached;
  asked.open();
  expect(await recovering).toBe(1);
  expect(jobs.stats()).toEqual({ waiting: 3, jobs: 1 });
  gate.open();
  await expectWhole(jobs, job);
  expect(worked).toEqual(['a 0', 'a 1', 'a 2']);
});

it('a job that the recovery has taken up is not started by its late request', async () => {
  const jobs = newProcess('a');
  const job = await newJob(jobs);
  const gate = gateAt(0);
  await recoverAfterLease(jobs);
  await gate.reached;
  jobs.start(job);
  gate.open();
  await expectWhole(jobs, job);
  expect(worked).toEqual(['a 0', 'a 1', 'a 2']);
});

it('a job that is handed over twice goes on where it was, and its story stays one', async () => {
  const first = newProcess('a');
  const job = await newJob(first);
  let gate = gateAt(1);
  first.start(job);
  await gate.reached;
  await first.drain(0);

  const second = newProcess('b');
  gates.clear();
  gate = gateAt(2);
  expect(await second.recover()).toBe(1);
  await gate.reached;
  expect(second.stats()).toEqual({ waiting: 1, jobs: 1 });
  await second.drain(0);

  const third = newProcess('c');
  gates.clear();
  expect(await third.recover()).toBe(1);
  await expectWhole(third, job);
  expect(worked).toEqual(['a 0', 'a 1', 'b 1', 'b 2', 'c 2']);
  expect(settled).toEqual([3]);
  // Whoever hands over has not died of it.
  expect(await stored(job)).toMatchObject({ attempts: 2, crashes: 0 });
});

it('of two processes that look at once, one takes a job up', async () => {
  const job = await newJob(newProcess('dead'));
  const [left, right] = [newProcess('a'), newProcess('b')];
  expect(await recoverAfterLease(left, right, left, right)).toBe(1);
  await expectWhole(left, job);
  expect(worked).toHaveLength(3);
});

it('a job over which one process after the other dies is given up and settled with what is done', async () => {
  const first = newProcess('0');
  const job = await newJob(first);
  gateAt(1);
  first.start(job);
  await waitFor(() => worked.length === 2);
  // They die at the second image: from then on nobody renews the lease, and nothing they do counts.
  for (const name of ['1', '2', '3']) {
    gates.clear();
    const gate = gateAt(1);
    expect(await recoverAfterLease(newProcess(name))).toBe(1);
    await gate.reached;
  }
  const last = newProcess('last');
  expect(await recoverAfterLease(last)).toBe(1);
  const story = await storyOf(last, job);
  expect(story.at(-1)).toMatchObject({ event: 'complete', data: { status: 'partial', summary: { completed: 1 } } });
  expect(worked).toEqual(['0 0', '0 1', '1 1', '2 1', '3 1']);
  expect(await stored(job)).toMatchObject({ state: 'partial', crashes: 4 });
  expect(settled).toEqual([1]);
});

it('a job that nobody paid for is forgotten, and none of its images is worked on', async () => {
  const job = await newJob(newProcess('dead'));
  const jobs = newProcess('a', { isPaid: async () => false });
  expect(await recoverAfterLease(jobs)).toBe(1);
  expect(await stored(job)).toBeNull();
  expect(jobs.stats()).toEqual({ waiting: 0, jobs: 0 });
  expect(worked).toEqual([]);
});

it.each([
  ['forwards', 86_400],
  ['backwards', -86_400],
])('a clock that is set a day %s takes no job from who is at it, nor from who is paying for it', async (_, seconds) => {
  const [owner, other] = [newProcess('a', { isPaid: async () => false }), newProcess('b')];
  const paying = await newJob(owner);
  const job = await newJob(owner);
  const gate = gateAt(1);
  owner.start(job);
  await gate.reached;
  expect(await other.recover()).toBe(0);
  setClock(seconds);
  expect(await owner.recover()).toBe(0);
  expect(await other.recover()).toBe(0);
  wait(LEASE_SECONDS / 2);
  gate.open();
  await expectWhole(owner, job);
  owner.start(paying);
  await expectWhole(owner, paying);
  const last = (await storyOf(owner, job)).at(-1);
  // The time of the work, not of the clock.
  expect(last).toMatchObject({ data: { summary: { durationMs: (LEASE_SECONDS / 2) * 1000 } } });
  expect(settled).toEqual([3, 3]);
});

it.each([
  ['forwards', 300],
  ['backwards', -86_400],
])('a job of a process that died is taken up in time, though the clock was set %s', async (_, seconds) => {
  const job = await newJob(newProcess('dead'));
  setClock(seconds);
  const jobs = newProcess('a');
  expect(await recoverAfterLease(jobs)).toBe(1);
  await expectWhole(jobs, job);
});

it('a process that is alone takes up the jobs of the one before it at once, whatever the clock says', async () => {
  const job = await newJob(newProcess('dead'));
  setClock(-86_400);
  const jobs = newProcess('a');
  expect(await jobs.recover({ alone: true })).toBe(1);
  await expectWhole(jobs, job);
});

it('the session of a job is extended before its end is stored', async () => {
  const states: unknown[] = [];
  const jobs = newProcess('a', {
    keepSessions: async ([sessionId]) => void states.push([sessionId, (await stored(job))?.state]),
  });
  const job = await newJob(jobs);
  jobs.start(job);
  await expectWhole(jobs, job);
  expect(states).toEqual([[job.sessionId, 'processing']]);
});
