import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { expectCleanBooks } from '../support/aftermath.ts';
import { makeCertificate } from '../support/make-certificate.ts';
import { startTestService } from '../support/service.ts';
import { signAsCamera } from '../support/signed-files.ts';
import { plainImage } from '../support/small-images.ts';

it('a certificate that expires while the service runs fails such images with signing_failed, and gives their credits back', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'imagewright-expiry-'));
  const [certificate, keyFile] = [join(dataDir, 'chain.pem'), join(dataDir, 'key.pem')];
  // A minute for the start.
  const { chain, key } = makeCertificate({ days: [-1, 60 / 86_400] });
  const expiresAt = Date.now() + 61_000;
  await writeFile(certificate, chain);
  await writeFile(keyFile, key);
  const test = await startTestService({
    ...{ DATA_DIR: dataDir, MONGODB_URI: '', CONTENT_CREDENTIALS: 'sign' },
    ...{ CONTENT_CREDENTIALS_CERTIFICATE: certificate, CONTENT_CREDENTIALS_KEY: keyFile },
  });
  try {
    const { bytes } = await plainImage('signed.jpg', { format: 'jpeg' });
    const { api } = await test.createAccount({ credits: 5 });
    const signed = { name: 'signed.jpg', bytes: await signAsCamera(Buffer.from(bytes), 'image/jpeg') };
    const uploaded = await api.upload([signed, await plainImage('bare.png')]);
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(expiresAt), { timeout: 90_000, interval: 500 });
    const { last } = await api.run('export', uploaded, { format: 'webp' });
    expect(last).toMatchObject({
      event: 'complete',
      data: { status: 'partial', credits: { charged: 2, refunded: 1, balance: 4 } },
    });
    if (last.event !== 'complete') throw new Error('expected completion');
    expect(last.data.results).toMatchObject([
      {
        status: 'failed',
        creditsCharged: 0,
        error: { code: 'signing_failed', message: expect.stringContaining('expired on') },
      },
      { status: 'completed', creditsCharged: 1 },
    ]);
    const without = await api.run('export', uploaded, { format: 'webp', metadata: 'none' });
    expect(without.last).toMatchObject({ event: 'complete', data: { status: 'completed' } });
    await expectCleanBooks(test);
  } finally {
    await test.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
