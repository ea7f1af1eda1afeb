import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../server/db/connect.ts';
import { expectCleanBooks, storedFiles } from '../support/aftermath.ts';
import { createApiClient } from '../support/api-client.ts';
import { createBrowser, createPerson, PASSWORD } from '../support/browser-client.ts';
import { expectError } from '../support/error-answers.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { noiseImage, plainImages } from '../support/small-images.ts';

/** All that the service logs. */
const logged: string[] = [];
let mail: MailServer;
let test: TestService;
beforeAll(async () => {
  mail = await startMailServer();
  test = await startTestService({ SMTP_URL: mail.url, LOG_LEVEL: 'trace' }, { log: (line) => logged.push(line) });
});
afterAll(async () => {
  await test.close();
  await mail.close();
});

/** Every document of the database, as text by collection. */
async function dump(): Promise<Record<string, string>> {
  const connection = await connectDatabase({ uri: await test.databaseUri() });
  const collections = (await connection.db?.collections()) ?? [];
  const texts: Record<string, string> = {};
  for (const collection of collections) {
    texts[collection.collectionName] = JSON.stringify(await collection.find({}).toArray());
  }
  await connection.close();
  return texts;
}

describe('deleting an account', () => {
  it('leaves no file and no row of it, stops what runs, and frees the mail address', async () => {
    const me = await createPerson(test, { plan: 'agency', credits: 100 });
    const neighbour = await createPerson(test);
    const { apiKey } = (await me.browser.post('/account/keys', { name: 'site' })).body;
    const api = createApiClient({ url: test.url, apiKey });
    const before = await storedFiles(test);
    const uploaded = await api.upload(await plainImages(3), { headers: { 'Idempotency-Key': 'upload-1' } });
    await api.run('export', uploaded, {}, { 'Idempotency-Key': 'export-1' });
    await api.run('sample', uploaded, { format: 'jpeg' });
    await (await api.request(`/v1/sessions/${uploaded.sessionId}/analyze`, { json: {} })).text();
    // A cached variant whose session is gone already, and a job that runs.
    const gone = await api.upload(await plainImages(1));
    await api.run('export', gone, {});
    await me.browser.post('/account/password-reset', { email: me.email });
    await mail.mailTo(me.email);
    const slow = await api.upload([await noiseImage('slow.png', { width: 900, height: 700 })]);
    const running = await api.request(`/v1/sessions/${slow.sessionId}/export`, {
      json: api.exportBody(slow, { format: 'avif', preset: 'maximum' }),
    });
    expect(running.status).toBe(200);
    const events = running.text();

    expectError(await me.browser.post('/account/delete', { password: 'wrong' }), 'wrong_password');
    const token = me.browser.cookie;
    const deleted = await me.browser.post('/account/delete', { password: PASSWORD });
    expect([deleted.status, me.browser.cookie]).toEqual([204, undefined]);
    expect(await events).toContain('event: error');

    expect(await storedFiles(test)).toEqual(before);
    const rows = await dump();
    expect(Object.keys(rows).length).toBeGreaterThan(10);
    for (const [collection, text] of Object.entries(rows)) {
      for (const trace of [me.accountId, me.email, uploaded.sessionId, slow.sessionId]) {
        expect([collection, text.includes(trace)]).toEqual([collection, false]);
      }
    }
    me.browser.cookie = token;
    expectError(await me.browser.get('/account/profile'), 'not_logged_in');
    expect((await api.request('/v1/credits/balance')).status).toBe(401);
    const again = createBrowser(test.url);
    expectError(await again.post('/account/log-in', { email: me.email, password: PASSWORD }), 'wrong_credentials');
    expect((await test.service.accounts.create({ email: me.email })).balance).toBe(25);
    expect((await neighbour.browser.get('/account/profile')).status).toBe(200);
    await expectCleanBooks(test);
  });

  it('that was interrupted is finished later, and nothing works meanwhile', async () => {
    const me = await createPerson(test);
    const { apiKey } = (await me.browser.post('/account/keys', { name: 'site' })).body;
    const api = createApiClient({ url: test.url, apiKey });
    await api.upload(await plainImages(1));
    const database = await test.openDatabase();
    await database.accounts.markDeleted(me.accountId, new Date());
    await database.close();
    expect((await api.request('/v1/credits/balance')).status).toBe(401);
    expectError(await me.browser.get('/account/profile'), 'not_logged_in');
    await expectCleanBooks(test);
    expect(await test.service.accountRemoval.sweep()).toBe(1);
    expect(Object.values(await dump()).filter((text) => text.includes(me.accountId))).toEqual([]);
    expect(await test.service.accountRemoval.sweep()).toBe(0);
  });

  it('of an upload in the middle of it leaves nothing of the upload', async () => {
    const me = await createPerson(test);
    const before = await storedFiles(test);
    const upload = async () => {
      const form = new FormData();
      for (const { name, bytes } of await plainImages(3, { width: 800, height: 800 })) {
        form.append('images', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
      }
      const headers = { Cookie: `__Host-imagewright=${me.browser.cookie}`, 'Sec-Fetch-Site': 'same-origin' };
      return (await fetch(`${test.url}/v1/sessions`, { method: 'POST', headers, body: form })).status;
    };
    const uploads = Promise.all(Array.from({ length: 12 }, upload));
    await test.service.accountRemoval.remove(me.accountId);
    expect((await uploads).every((status) => status === 201 || status === 401)).toBe(true);
    await test.service.disposal.sweep();
    expect(await storedFiles(test)).toEqual(before);
    expect(Object.values(await dump()).filter((text) => text.includes(me.accountId))).toEqual([]);
  });
});

describe('secrets', () => {
  it('stand in no file below the data directory, and not in the log', async () => {
    const me = await createPerson(test);
    const { apiKey } = (await me.browser.post('/account/keys', { name: 'site' })).body;
    await me.browser.post('/account/password-reset', { email: me.email });
    const { text } = await mail.mailTo(me.email);
    const [, link = ''] = /#token=(iwl_\w+)/.exec(text) ?? [];
    const secrets = [apiKey, link, me.browser.cookie ?? '', PASSWORD].map((secret) => secret.slice(4, 24));
    let filesWithMail = 0;
    for (const file of await readdir(test.dataDir, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = await readFile(join(file.parentPath, file.name));
      if (bytes.includes(me.email)) filesWithMail += 1;
      for (const secret of secrets) expect([file.name, bytes.includes(secret)]).toEqual([file.name, false]);
    }
    // Also where they are refused, and where they stand in the wrong place.
    const nobody = createBrowser(test.url, { headers: { Cookie: `__Host-imagewright=${me.browser.cookie}x` } });
    await nobody.get(`/account/profile?key=${apiKey}`);
    await nobody.post('/account/log-in', { email: me.email, password: `${PASSWORD}!` });
    await nobody.post('/account/link', { token: `${link}x` });
    const log = logged.join('');
    expect(log).toContain('/account/link');
    for (const secret of secrets) expect(log).not.toContain(secret);
    // Public values are found: the search works. The embedded database alone is in a file there.
    if (!process.env.TEST_MONGODB_URI) expect(filesWithMail).toBeGreaterThan(0);
  });
});
