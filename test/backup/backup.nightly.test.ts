import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Job } from '#contract';
import { parseDataCommand } from '../../server/admin/data-commands.ts';
import { loadConfig } from '../../server/config/index.ts';
import { expectCleanBooks, filesOf, untilIdle } from '../support/aftermath.ts';
import { createApiClient } from '../support/api-client.ts';
import { createBrowser, createPerson } from '../support/browser-client.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { startTestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'imagewright-backup-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Runs a command as the command line does, without its reports. */
async function admin(line: string, dataDir: string) {
  const report = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    return (await parseDataCommand(line.split(' '))?.(loadConfig({ DATA_DIR: dataDir }))) as Record<string, unknown>;
  } finally {
    report.mockRestore();
  }
}

const message = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    ({ message: text }: Error) => text,
  );

const EXPORTS = 50;
const ACCOUNTS = 5;

// A backup of a MongoDB server is made by its own programs.
describe.skipIf(process.env.TEST_MONGODB_URI)('a backup of a running service', () => {
  it('holds every file that its database names, and works at another place', async () => {
    const source = await startTestService({ DATA_DIR: freshDirectory(), WORKERS: '2' });
    onTestFinished(() => source.close());
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => source.createAccount({ credits: 100 })));
    const apis = accounts.map(({ api }) => api);
    const uploads = await Promise.all(
      Array.from({ length: EXPORTS }, async (_, index) => {
        const api = apis[index % ACCOUNTS] as (typeof apis)[number];
        const file = await noiseImage(`picture-${index}.png`, { width: 120, height: 80, seed: index + 1 });
        return { api, uploaded: await api.upload([file]) };
      }),
    );
    const person = await createPerson(source);
    let ended = 0;
    const exporting = uploads.map(async ({ api, uploaded }) => {
      await api.run('export', uploaded, { format: 'webp' });
      ended += 1;
    });
    await vi.waitFor(() => expect(ended).toBeGreaterThan(2), PATIENCE_MS);
    const [first, last] = [uploads[0], uploads.at(-1)];
    if (!first || !last) throw new Error('no uploads');

    const target = join(freshDirectory(), 'backup');
    const backup = admin(`backup --to ${target}`, source.dataDir);
    await exporting[0];
    const deleting = first.api.request(`/v1/sessions/${first.uploaded.sessionId}`, { method: 'DELETE' });
    const facts = await backup;
    expect((await deleting).status).toBe(204);
    await Promise.all(exporting.slice(1));
    expect(facts).toMatchObject({ format: 1, secrets: 'included', namedFiles: expect.any(Number) });
    expect(facts.namedFiles).toBeGreaterThanOrEqual(EXPORTS - 1);
    expect(statSync(target).mode & 0o777).toBe(0o700);
    expect(statSync(join(target, 'db')).mode & 0o777).toBe(0o700);
    expect(await readdir(join(target, 'db'))).toEqual(['data.mdb']);
    for (const name of ['db/data.mdb', 'backup.json', 'secrets/api-key-pepper'])
      expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);

    const elsewhere = join(freshDirectory(), 'data');
    await admin(`restore --from ${target}`, elsewhere);
    const copy = await startTestService({ DATA_DIR: elsewhere });
    onTestFinished(() => copy.close());
    await untilIdle(copy);
    await expectCleanBooks(copy);
    const browser = createBrowser(copy.url);
    browser.cookie = person.browser.cookie;
    expect((await browser.get('/account/profile')).body).toMatchObject({ email: person.email });
    // Jobs that ran at the snapshot end there, too.
    const { sessionId } = last.uploaded;
    const api = createApiClient({ url: copy.url, apiKey: last.api.apiKey ?? '' });
    const { jobs } = await api.readJson<{ jobs: Job[] }>(`/v1/sessions/${sessionId}`);
    expect(jobs.filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(await filesOf(copy, sessionId)).not.toEqual([]);
    const [done] = await Promise.all(
      uploads.slice(1, 3).map(async ({ api: { apiKey }, uploaded }) => {
        const there = createApiClient({ url: copy.url, apiKey: apiKey ?? '' });
        return there.run('export', uploaded, { format: 'webp' });
      }),
    );
    expect(done?.last).toMatchObject({ event: 'complete', data: { summary: { completed: 1 } } });
  });

  it('keeps the files of a session that is deleted meanwhile, until it has ended', async () => {
    const service = await startTestService({ SWEEP_SECONDS: '1' });
    onTestFinished(() => service.close());
    const uploaded = await service.api.upload([await noiseImage('a.png', { width: 60, height: 40 })]);
    await admin('backup hold --minutes 5', service.dataDir);
    const path = `/v1/sessions/${uploaded.sessionId}`;
    expect((await service.api.request(path, { method: 'DELETE' })).status).toBe(204);
    expect((await service.api.request(path)).status).toBe(404);
    expect(await filesOf(service, uploaded.sessionId)).not.toEqual([]);
    const second = await message(admin(`backup --to ${join(freshDirectory(), 'b')}`, service.dataDir));
    expect(second).toMatch('Another backup is running');
    await admin('backup release', service.dataDir);
    await vi.waitFor(async () => expect(await filesOf(service, uploaded.sessionId)).toEqual([]), PATIENCE_MS);
  });

  it('refuses what would overwrite or be incomplete', async () => {
    const service = await startTestService();
    onTestFinished(() => service.close());
    const backup = join(freshDirectory(), 'backup');
    await admin(`backup --to ${backup}`, service.dataDir);
    expect(await message(admin(`backup --to ${backup}`, service.dataDir))).toMatch('holds a backup');
    expect(await message(admin(`restore --from ${backup}`, service.dataDir))).toMatch('holds data already');

    const interrupted = freshDirectory();
    writeFileSync(join(interrupted, 'data.mdb'), '');
    expect(await message(admin(`restore --from ${interrupted}`, freshDirectory()))).toMatch('not a whole backup');
    expect(await message(admin(`backup --to ${interrupted}`, service.dataDir))).toMatch('interrupted');

    // A backup that has lost a file.
    const elsewhere = join(freshDirectory(), 'data');
    const facts = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'));
    writeFileSync(join(backup, 'backup.json'), JSON.stringify({ ...facts, files: facts.files + 1 }));
    expect(await message(admin(`restore --from ${backup}`, elsewhere))).toMatch('the backup was changed');
    expect(existsSync(join(elsewhere, 'db'))).toBe(false);
    expect(await message(startTestService({ DATA_DIR: elsewhere }))).toMatch('a restore into');
  });
});
