import { createHash } from 'node:crypto';
import type { ImageResult, Job, Session, Share } from '#contract';
import { createApiClient } from '../support/api-client.ts';
import { ask, type Hands, send } from './hands.ts';
import type { ToldFile, ToldJob, ToldSession } from './told.ts';

/** Files of a session that are compared after each command; all of them at the end of a history. */
const FEW = 8;

/** Compares a session with what was told of it. @throws Error that names what turned untrue */
export async function checkSession(hands: Hands, session: ToldSession, { whole = false } = {}): Promise<void> {
  if (session.isDeleted) return checkGone(hands, session);
  await checkImages(hands, session);
  const { files } = session;
  // From another place each time, so that a long history compares all of them.
  const start = whole ? 0 : hands.tally.downloads % Math.max(1, files.length);
  const some = [...files.slice(start), ...files.slice(0, start)].slice(0, whole ? files.length : FEW);
  for (const file of some) await checkFile(hands, file);
  await checkNewest(hands, session, whole);
  await checkShares(hands, session);
  if (whole) for (const job of session.jobs) await checkJob(hands, job);
}

async function checkImages(hands: Hands, session: ToldSession): Promise<void> {
  const { body } = await ask<Session>(hands, `/v1/sessions/${session.id}`, {}, 200);
  const shown = new Map(body.images.map((image) => [image.id, image]));
  expectEqual(`images of ${session.id}`, [...shown.keys()].sort(), session.images.map(({ id }) => id).sort());
  for (const told of session.images) {
    const image = shown.get(told.id);
    const facts = [image?.originalFilename, image?.size, image?.sha256];
    expectEqual(`facts of ${told.id}`, facts, [told.originalFilename, told.size, told.sha256]);
    for (const [field, text] of Object.entries(told.texts))
      expectEqual(`${field} of ${told.id}`, image?.metadata?.[field as 'title'] ?? null, text);
  }
  const jobs = new Map(body.jobs.map((job) => [job.jobId, job]));
  if (session.jobs.length < 50)
    for (const job of session.jobs) if (!jobs.has(job.id)) throw new Error(`${job.id} is no longer in its session`);
}

/** Fetches the address of a file, which leads to the bytes that were told with it. */
async function checkFile(hands: Hands, { url, sha256, size, filename }: ToldFile): Promise<void> {
  hands.tally.downloads += 1;
  const { status, headers, bytes } = await send(hands, url);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (status !== 200) throw new Error(`${url}: expected ${filename}, but received ${status} ${String(bytes)}`);
  if (found !== sha256)
    throw new Error(`${url}: told ${size} bytes of ${sha256}, but received ${bytes.length} bytes of ${found}`);
  expectEqual(`ETag of ${url}`, headers.get('ETag'), `"${sha256}"`);
}

/** Fetches plain names, which lead to the newest file of the name. */
async function checkNewest(hands: Hands, session: ToldSession, whole: boolean): Promise<void> {
  // A job that runs may have made a newer one.
  if (session.jobs.some(({ isRunning }) => isRunning)) return;
  const names = [...session.newest];
  for (const [key, hashes] of whole ? names : names.slice(-2)) {
    const [namespace, name = ''] = key.split('/');
    hands.tally.downloads += 1;
    const path = `/v1/sessions/${namespace}/download?filename=${encodeURIComponent(name)}`;
    const { status, bytes } = await send(hands, path);
    const found = createHash('sha256').update(bytes).digest('hex');
    if (status !== 200) throw new Error(`${path}: expected the newest file, but received ${status} ${String(bytes)}`);
    if (!hashes.has(found)) {
      const known = session.files.filter(({ sha256 }) => sha256 === found);
      const other = JSON.stringify(known.map(({ imageId, filename }) => [imageId, filename]));
      throw new Error(`${path}: expected one of ${[...hashes]}, but received ${found}, told as ${other}`);
    }
  }
}

async function checkShares(hands: Hands, session: ToldSession): Promise<void> {
  if (session.shares.length + session.possibleShares === 0) return;
  const { body } = await ask<{ shares: Share[] }>(hands, `/v1/sessions/${session.id}/shares`, {}, 200);
  const shown = new Map(body.shares.map((share) => [share.id, share]));
  const unknown = shown.size - session.shares.length;
  if (unknown > session.possibleShares) throw new Error(`${session.id} has ${unknown} links that nobody was told`);
  for (const told of session.shares) {
    const share = shown.get(told.id);
    expectEqual(`revocation of ${told.id}`, share && share.revokedAt !== null, told.isRevoked);
    const answers = share?.answers.map(({ imageId, verdict, comment }) => [imageId, verdict, comment]) ?? [];
    const expected = [...told.answers].map(([imageId, { verdict, comment }]) => [imageId, verdict, comment]);
    expectEqual(`answers of ${told.id}`, answers.sort(), expected.sort());
  }
}

async function checkJob(hands: Hands, job: ToldJob): Promise<void> {
  if (job.isRunning) return;
  const { body } = await ask<Job>(hands, `/v1/jobs/${job.id}`, {}, 200);
  expectEqual(`state of ${job.id}`, body.status, job.status);
  const results = (body.results ?? []) as ImageResult[];
  expectEqual(`results of ${job.id}`, contentsOf(results), contentsOf(job.results ?? []));
  if (job.cost !== null && body.credits)
    expectEqual(`cost of ${job.id}`, body.credits.charged - body.credits.refunded, job.cost);
  // Told again: under other names perhaps, but of the same bytes.
  const again = results.flatMap(({ imageId, variants }) =>
    variants.map(({ name, ...file }) => ({ ...file, imageId, variant: name, namespace: '' })),
  );
  for (const file of again) await checkFile(hands, file);
}

const contentsOf = (results: ImageResult[]) =>
  results.map(({ imageId, status, variants }) => [imageId, status, variants.map(({ sha256 }) => sha256)]);

/** Checks that nothing of a deleted session can be read. */
async function checkGone(hands: Hands, session: ToldSession): Promise<void> {
  const paths = [`/v1/sessions/${session.id}`, `/v1/sessions/${session.id}/shares`];
  const files = session.files.slice(-2).map(({ url }) => url);
  for (const path of [...paths, ...files]) await ask(hands, path, {}, 404);
  const visitor = createApiClient({ url: hands.stage.url });
  for (const { token } of session.shares.slice(-1)) {
    const api = { ...hands, api: visitor };
    await ask(api, '/shared/images', { headers: { 'X-Share-Token': token } }, 404);
  }
}

/** Compares two values. @throws Error with both */
export function expectEqual(what: string, found: unknown, told: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(told)];
  if (one !== other) throw new Error(`${what}: told ${other}, but found ${one}`);
}
