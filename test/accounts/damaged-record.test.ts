import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiClient } from '../support/api-client.ts';
import { startTestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

const MARK = 'a-name-that-marks-the-record';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'imagewright-damaged-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Damages the length of a text in every version of a record in the file of the database. */
async function damageRecord(): Promise<void> {
  const file = join(directory, 'db', 'data.mdb');
  const bytes = await readFile(file);
  let found = 0;
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    // Behind a field's name and its zero stand four bytes with the length, then the text.
    if (bytes.readInt32LE(at - 4) !== `${MARK}.png`.length + 1) continue;
    bytes.writeInt32LE(0x7fff_0000, at - 4);
    found += 1;
  }
  expect(found).toBeGreaterThan(0);
  await writeFile(file, bytes);
}

// The file of a MongoDB server is its own matter.
it.skipIf(process.env.TEST_MONGODB_URI)(
  'a damaged record is told in words, and the audit does not say ok',
  async () => {
    const first = await startTestService({ DATA_DIR: directory });
    const { apiKey, api } = await first.createAccount();
    const { sessionId } = await api.upload([
      { ...(await noiseImage('a.png', { width: 40, height: 30 })), name: `${MARK}.png` },
    ]);
    expect((await first.service.accounts.audit()).ok).toBe(true);
    await first.close();
    await damageRecord();

    const second = await startTestService({ DATA_DIR: directory });
    try {
      const again = createApiClient({ url: second.url, apiKey });
      const answer = await again.request(`/v1/sessions/${sessionId}`);
      expect([answer.status, await answer.json()]).toMatchObject([500, { code: 'record_damaged' }]);
      const { ok, broken } = await second.service.accounts.audit();
      expect({ ok, broken }).toMatchObject({
        ok: false,
        broken: [{ rule: 'damaged_record', message: expect.stringMatching(/document of images/) }],
      });
    } finally {
      await second.close();
    }
  },
);
