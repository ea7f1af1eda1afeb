import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoMemoryReplSet } from 'mongodb-memory-server-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { connectDatabase } from '../../server/db/connect.ts';
import { startTestService } from '../support/service.ts';
import { plainImages } from '../support/small-images.ts';

const TLS = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));

let directory: string;
let set: MongoMemoryReplSet;
/** Connection string of a user who may use one database alone, over TLS. */
let uri: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-secured-'));
  const pem = join(directory, 'server.pem');
  writeFileSync(pem, readFileSync(`${TLS}key.pem`, 'utf8') + readFileSync(`${TLS}certificate.pem`, 'utf8'));
  const tls = ['--tlsMode', 'preferTLS', '--tlsCertificateKeyFile', pem];
  const user = { createUser: 'imagewright', pwd: 'a password', roles: [{ role: 'readWrite', db: 'imagewright' }] };
  set = await MongoMemoryReplSet.create({
    replSet: {
      count: 1,
      storageEngine: 'wiredTiger',
      args: tls,
      auth: {
        enable: true,
        customRootName: 'root',
        customRootPwd: 'root',
        extraUsers: [{ ...user, database: 'admin' }],
      },
    },
  });
  const parts = new URL(set.getUri('imagewright'));
  parts.username = 'imagewright';
  parts.password = encodeURIComponent('a password');
  parts.searchParams.set('authSource', 'admin');
  parts.searchParams.set('tls', 'true');
  parts.searchParams.set('tlsCAFile', `${TLS}certificate.pem`);
  uri = parts.toString();
});
afterAll(async () => {
  await set?.stop();
  await rm(directory, { recursive: true, force: true });
});

it('a user with the role readWrite of one database is enough, over TLS', async () => {
  const service = await startTestService({ MONGODB_URI: uri });
  onTestFinished(() => service.close());
  const { api } = await service.createAccount({ credits: 10 });
  const { last } = await api.run('export', await api.upload(await plainImages(2)), { format: 'webp' });
  expect(last).toMatchObject({ event: 'complete', data: { summary: { completed: 2 } } });
  expect((await service.service.accounts.audit()).broken).toEqual([]);
});

it('a wrong password and an unknown authority are refused at the start', async () => {
  await expect(connectDatabase({ uri: uri.replace('a%20password', 'wrong') })).rejects.toThrow(/Authentication failed/);
  const untrusted = new URL(uri);
  untrusted.searchParams.delete('tlsCAFile');
  await expect(connectDatabase({ uri: untrusted.toString() })).rejects.toThrow(/certificate/);
});
