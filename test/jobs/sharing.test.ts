import { calculateObjectSize } from 'bson';
import { expect, it, onTestFinished } from 'vitest';
import type { Jobs } from '../../server/jobs/index.ts';
import { takeTurns } from '../../server/jobs/run-jobs.ts';
import { LEASE_SECONDS, useProcesses } from './processes.ts';

const { fixture, worked, wait, waitFor, newProcess, newJob, stored, storyOf, expectWhole, gateAt, settled } =
  useProcesses();

/** A process that creates shared jobs, and one that has free workers. */
function newPair() {
  const lead = newProcess('lead', { isShared: true });
  const helper = newProcess('helper', { isShared: true, freeWorkers: 1 });
  onTestFinished(async () => {
    await lead.drain(0);
    await helper.drain(0);
  });
  return { lead, helper };
}

/** Counts the results of a job. */
const results = (jobId: string) => fixture.repositories.imageResults.countOfJob(jobId);

it('images of one job are processed by any process with free workers, and its story is one everywhere', async () => {
  const { lead, helper } = newPair();
  const job = await newJob(lead);
  const first = gateAt(0);
  lead.start(job);
  await first.reached;
  const stories = [storyOf(lead, job), storyOf(helper, job)];
  await expect.poll(() => results(job._id)).toBe(2);
  first.open();
  const [there, elsewhere] = await Promise.all(stories);
  expect(elsewhere).toEqual(there);
  expect(there?.map(({ n }) => n)).toEqual(there?.map((_, n) => n));
  await expectWhole(lead, job);
  expect(worked.sort()).toEqual(['helper 1', 'helper 2', 'lead 0']);
  expect(settled).toEqual([3]);
});

it('what a silent process has taken is processed by another, and counts once', async () => {
  const { lead } = newPair();
  const job = await newJob(lead);
  const [first, second] = [gateAt(0), gateAt(1)];
  lead.start(job);
  await first.reached;
  await waitFor(() => worked.includes('helper 1'));
  first.open();
  await waitFor(() => worked.includes('lead 2'));
  await expect.poll(() => results(job._id)).toBe(2);
  const done = storyOf(lead, job);
  // Until the process that ends the job has seen it once.
  const passing = setInterval(() => wait(LEASE_SECONDS / 4), 50);
  await waitFor(() => worked.includes('lead 1'));
  clearInterval(passing);
  second.open();
  await done;
  await expectWhole(lead, job);
  expect(settled).toEqual([3]);
  expect(await results(job._id)).toBe(3);
});

it('a cancelled job ends when the other process has stopped', async () => {
  const { lead, helper } = newPair();
  const job = await newJob(lead);
  const [first] = [gateAt(0), gateAt(1)];
  lead.start(job);
  await first.reached;
  await waitFor(() => worked.includes('helper 1'));
  // The test holds the clock of the leases: it ends by being told.
  await (helper as Jobs).cancel(job.accountId, job._id);
  expect(await stored(job)).toMatchObject({ state: 'cancelled' });
  expect(worked.sort()).toEqual(['helper 1', 'lead 0']);
  expect(settled).toEqual([0]);
});

it('a job whose process hands it over is ended by another while a third one works on it', async () => {
  const { lead } = newPair();
  const job = await newJob(lead);
  const [first, second] = [gateAt(0), gateAt(1)];
  lead.start(job);
  await first.reached;
  await waitFor(() => worked.includes('helper 1'));
  await lead.drain(0);
  const next = newProcess('next', { isShared: true });
  onTestFinished(() => next.drain(0));
  expect(await next.recover()).toBe(1);
  await waitFor(() => worked.includes('next 0'));
  first.open();
  second.open();
  await expectWhole(next, job);
  expect(await results(job._id)).toBe(3);
  expect(settled).toEqual([3]);
});

it('accounts take turns in the help of other processes, however many jobs one has', async () => {
  const { jobs } = fixture.repositories;
  const lead = newProcess('lead');
  const accountOf = new Map<string, string>();
  for (const accountId of ['one', 'one', 'one', 'two', 'three', 'one']) {
    wait(1);
    const job = await newJob(lead);
    await fixture.connection
      .collection('jobs')
      .updateOne({ _id: job._id as never }, { $set: { accountId, offered: true } });
    accountOf.set(job._id, accountId);
  }
  const next = takeTurns((notOf) => jobs.findOffered('helper', notOf));
  const turn = async (busy: string[] = []) => {
    const job = await next(busy);
    if (job) await jobs.remove(job._id);
    return accountOf.get(job?._id ?? '');
  };
  expect([await turn(), await turn(), await turn(), await turn(['two'])]).toEqual(['one', 'two', 'three', 'one']);
  expect([await turn(['one']), await turn(), await turn(), await turn()]).toEqual([undefined, 'one', 'one', undefined]);
});

it('a job of many images is stored in less than 2 KB, and larger ones in no more', async () => {
  const lead = newProcess('lead');
  const { _id } = await newJob(lead);
  const collection = fixture.connection.collection<{ _id: string }>('jobs');
  const settings = { format: 'webp', preset: 'high', responsive: true, embedMetadata: true, keepCopyright: true };
  const responsiveSizes = Array.from({ length: 20 }, (_, index) => ({ width: 100 * (index + 1) }));
  await collection.updateOne({ _id }, { $set: { settings: { ...settings, responsiveSizes }, total: 10_000 } });
  const job = await collection.findOne({ _id });
  expect(calculateObjectSize(job ?? {})).toBeLessThan(2048);
  expect(job).not.toHaveProperty('images');
});
