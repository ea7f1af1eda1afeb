import { calculateObjectSize } from 'bson';
import { mongo } from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { emptyMetadataValues, type JobResult, pickFields, REQUEST_FIELDS } from '#contract';
import type { JobRecord } from '../../server/db/index.ts';
import { newId } from '../../server/ids.ts';
import type { EventWriter } from '../../server/jobs/event-log.ts';
import type { Jobs } from '../../server/jobs/index.ts';
import type { JobTask } from '../../server/jobs/job-kind.ts';
import type { JobsContext } from '../../server/jobs/jobs-context.ts';
import { takeTurns } from '../../server/jobs/run-jobs.ts';
import { blockSource } from '../../server/jobs/take-blocks.ts';
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

it('a process that helped with a job and leads it afterwards ends each image once', async () => {
  const { lead, helper } = newPair();
  const job = await newJob(lead);
  const [first, second] = [gateAt(0), gateAt(1)];
  lead.start(job);
  await first.reached;
  await waitFor(() => worked.includes('helper 1'));
  await lead.drain(0);
  expect(await helper.recover()).toBe(1);
  await waitFor(() => worked.includes('helper 0'));
  first.open();
  second.open();
  await expectWhole(helper, job);
  const ends = (await storyOf(helper, job)).filter(({ event, data }) => event === 'progress' && data.step === 'done');
  expect(ends).toHaveLength(3);
  expect(settled).toEqual([3]);
});

it('a process that is stopped does not wait for another that works on a cancelled job', async () => {
  const [lead, next] = [newProcess('lead', { isShared: true }), newProcess('next', { isShared: true })];
  onTestFinished(() => next.drain(0));
  const job = await newJob(lead);
  const first = gateAt(0);
  lead.start(job);
  await first.reached;
  const taken = { $set: { state: 'taken', owner: 'a process that has died' } };
  await fixture.connection.collection('job_images').updateOne({ jobId: job._id, from: 2 }, taken);
  const cancelled = lead.cancel(job.accountId, job._id);
  await expect.poll(async () => (await stored(job))?.stopRequested).toBe('job_cancelled');
  await lead.drain(0);
  await cancelled;
  expect(await stored(job)).toMatchObject({ state: 'processing', leaseOwner: null });
  expect(settled).toEqual([]);

  expect(await next.recover()).toBe(1);
  const passing = setInterval(() => wait(LEASE_SECONDS / 4), 50);
  await expect.poll(async () => (await stored(job))?.state).toBe('cancelled');
  clearInterval(passing);
  expect(settled).toEqual([0]);
});

it('a block that its server takes a second time is done when all images of the second take have ended', async () => {
  const { jobImages } = fixture.repositories;
  const jobId = newId('job');
  const owner = { jobId, accountId: 'acct_a', sessionId: newId('sess'), kind: 'export' } as const;
  // Blocks of two images.
  const images = Array.from({ length: 32 }, (_, index) => ({
    imageId: `img_${index}`,
    ...pickFields(emptyMetadataValues(), REQUEST_FIELDS),
  }));
  await jobImages.insert(owner, images);
  await jobImages.giveBack(jobId, 'me');
  const context = { repositories: fixture.repositories, instanceId: 'me', outlast: (work: () => unknown) => work() };
  const source = blockSource(
    {
      job: { _id: jobId, attempts: 0 } as JobRecord,
      tasks: images.map((_, index) => ({ index }) as JobTask<JobResult>),
      writer: { flush: async () => {} } as EventWriter,
    },
    context as unknown as JobsContext,
  );
  const [first] = [await source.next(), await source.next()];
  await jobImages.giveBack(jobId, 'me');
  const again = await source.next();
  expect([first?.index, again?.index]).toEqual([0, 0]);
  for (const task of [first, again]) await source.ended(task as JobTask<JobResult>);
  expect(await jobImages.findUnfinished(jobId)).toHaveLength(16);
});

it('a block whose taking is answered by an outage is taken once more, whoever took it', async () => {
  const { jobImages } = fixture.repositories;
  const lost: string[] = [];
  /** The block is taken, but the process does not hear of it. */
  const take = async (jobId: string, owner: string) => {
    const block = await jobImages.take(jobId, owner);
    if (!block || lost.includes(owner)) return block;
    lost.push(owner);
    throw new mongo.MongoNetworkError('connection closed');
  };
  const repositories = { ...fixture.repositories, jobImages: { ...jobImages, take } };
  const lead = newProcess('lead', { isShared: true, repositories });
  const helper = newProcess('helper', { isShared: true, freeWorkers: 1, repositories });
  onTestFinished(async () => {
    await lead.drain(0);
    await helper.drain(0);
  });
  const job = await newJob(lead);
  lead.start(job);
  await expectWhole(lead, job);
  expect(lost.length).toBeGreaterThan(0);
  expect(worked.map((line) => line.split(' ')[1]).sort()).toEqual(['0', '1', '2']);
});

it('the few images of a job that was handed over before any was taken are not offered to others', async () => {
  const offers = async () => fixture.repositories.jobs.findOffered('another', []);
  const alone = newProcess('alone', { isShared: true });
  const job = await newJob(alone);
  await fixture.connection.collection('jobs').updateOne({ _id: job._id as never }, { $set: { total: 1 } });
  await fixture.connection.collection('job_images').deleteMany({ jobId: job._id, from: { $gt: 0 } });
  await fixture.repositories.jobs.begin(job._id, job.leaseOwner ?? '');
  await fixture.repositories.jobs.releaseLease(job._id, job.leaseOwner ?? '', new Date());
  const gate = gateAt(0);
  const next = newProcess('next', { isShared: true });
  onTestFinished(() => next.drain(0));
  expect(await next.recover()).toBe(1);
  await gate.reached;
  expect(await offers()).toBeNull();
  gate.open();
  await expect.poll(async () => (await stored(job))?.state).toBe('completed');
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
