import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processingConfig } from '../../server/processing/index.ts';
import { openSigner } from '../../server/processing/signing/open-signer.ts';
import { trySigner } from '../../server/processing/worker/signing/sign-file.ts';
import { type CertificateChoice, makeCertificate } from '../support/make-certificate.ts';
import { startHarness } from './processor-harness.ts';

const CERTIFICATE = 'CONTENT_CREDENTIALS_CERTIFICATE';
const KEY = 'CONTENT_CREDENTIALS_KEY';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'imagewright-signer-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
async function store(text: string): Promise<string> {
  count += 1;
  const file = join(folder, `${count}.pem`);
  await writeFile(file, text);
  return file;
}

function configOf(files: Partial<Record<typeof CERTIFICATE | typeof KEY, string>>) {
  return processingConfig.parse({ CONTENT_CREDENTIALS: 'sign', ...files });
}

/** Opens a signer with the files of a certificate, some of them replaced. */
async function open(choice: CertificateChoice = {}, replaced: { chain?: string; key?: string } = {}) {
  const made = { ...makeCertificate(choice), ...replaced };
  return openSigner(configOf({ [CERTIFICATE]: await store(made.chain), [KEY]: await store(made.key) }));
}

describe('what content credentials are signed with', () => {
  it('is nothing, and no file is read, unless CONTENT_CREDENTIALS is sign', async () => {
    expect(await openSigner(processingConfig.parse({ [CERTIFICATE]: '/none', [KEY]: '/none' }))).toBeNull();
  });

  it.each([
    ['ec', 'es256'],
    ['p384', 'es384'],
    ['p521', 'es512'],
    ['rsa', 'ps256'],
    ['rsa-pss', 'ps384'],
    ['ed25519', 'ed25519'],
  ] as const)('a key of kind %s signs with %s, and a signature on trial is valid', async (kind, algorithm) => {
    const signer = await open({ kind });
    expect(signer).toMatchObject({ algorithm, certificates: { length: 2 } });
    if (signer) expect(await trySigner(signer)).toEqual([]);
  });

  it('is another one with another certificate, and the same with the same', async () => {
    const made = makeCertificate();
    const [one, same, other] = await Promise.all([open({}, made), open({}, made), open()]);
    expect(same?.identity).toBe(one?.identity);
    expect(other?.identity).not.toBe(one?.identity);
  });

  it('names the setting that is missing', async () => {
    await expect(openSigner(configOf({}))).rejects.toThrow(
      `${CERTIFICATE}: expected the path of a PEM file, since CONTENT_CREDENTIALS is sign, but it is not set`,
    );
    const only = configOf({ [CERTIFICATE]: await store(makeCertificate().chain) });
    await expect(openSigner(only)).rejects.toThrow(`${KEY}: expected the path of a PEM file`);
  });

  it('names the file that cannot be read, and why', async () => {
    const none = join(folder, 'none.pem');
    await expect(openSigner(configOf({ [CERTIFICATE]: none, [KEY]: none }))).rejects.toThrow(
      `${CERTIFICATE}: ${none} cannot be read (ENOENT)`,
    );
    const folderAsKey = configOf({ [CERTIFICATE]: await store(makeCertificate().chain), [KEY]: folder });
    await expect(openSigner(folderAsKey)).rejects.toThrow(`${KEY}: ${folder} cannot be read (EISDIR)`);
  });

  const other = makeCertificate();
  it.each<[string, CertificateChoice, { chain?: string; key?: string }, string]>([
    ['an empty certificate', {}, { chain: '' }, `${CERTIFICATE}: expected a PEM file with a certificate`],
    ['a key in its place', {}, { chain: other.key }, `${CERTIFICATE}: expected a PEM file with a certificate`],
    [
      'a damaged certificate',
      {},
      { chain: damaged(other.chain) },
      `${CERTIFICATE}: certificate 1 of the file is damaged`,
    ],
    ['a certificate as the key', {}, { key: other.chain }, `${KEY}: expected a private key in PEM`],
    ['the key of another one', {}, { key: other.key }, `${KEY}: it is not the key of the first certificate`],
    ['an expired certificate', { days: [-10, -1] }, {}, `${CERTIFICATE}: the certificate expired on`],
    ['one of the future', { days: [1, 10] }, {}, `${CERTIFICATE}: the certificate is valid only from`],
    [
      'an authority',
      { ca: true, keyUsage: '100001' },
      {},
      `${CERTIFICATE}: the first certificate is that of an authority`,
    ],
    ['one for servers', { uses: ['1.3.6.1.5.5.7.3.1'] }, {}, `${CERTIFICATE}: the certificate may not sign files`],
    ['one without a use', { uses: null }, {}, 'but it has none'],
    ['a short key', { kind: 'rsa-1024' }, {}, `${KEY}: expected a key of P-256`],
    ['another curve', { kind: 'secp256k1' }, {}, 'but received ec secp256k1'],
  ])('refuses %s', async (_name, choice, replaced, message) => {
    await expect(open(choice, replaced)).rejects.toThrow(message);
  });

  it('refuses a chain in another order', async () => {
    const { chain, key } = makeCertificate();
    const twice = chain + makeCertificate().chain;
    await expect(open({}, { chain: twice, key })).rejects.toThrow(
      'certificate 3 of the file has not issued certificate 2',
    );
  });

  it('refuses a key with a passphrase', async () => {
    const { createPrivateKey } = await import('node:crypto');
    const { chain, key } = makeCertificate();
    const locked = createPrivateKey(key).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    });
    await expect(open({}, { chain, key: locked.toString() })).rejects.toThrow('without a passphrase, but it has one');
  });

  it('refuses at the start what only a validator sees: a key usage without signatures', async () => {
    const { chain, key } = makeCertificate({ keyUsage: '001' });
    const config = configOf({ [CERTIFICATE]: await store(chain), [KEY]: await store(key) });
    await expect(startHarness({ ...config, WORKERS: 1 })).rejects.toThrow(
      new RegExp(`^${CERTIFICATE}: a signature on trial is not valid \\(.*signingCredential.invalid`),
    );
  });
});

/** Replaces the first line of a certificate by zeros. */
function damaged(chain: string): string {
  return chain.replace(/-\n(.*)\n/, (_, line: string) => `-\n${'A'.repeat(line.length)}\n`);
}
