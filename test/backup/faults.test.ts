import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseDataCommand } from '../../server/admin/data-commands.ts';
import { loadConfig } from '../../server/config/index.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { noiseImage } from '../support/small-images.ts';

let service: TestService | undefined;
const directories: string[] = [];
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(async () => {
  vi.restoreAllMocks();
  await service?.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'imagewright-faults-'));
  directories.push(directory);
  return directory;
}

async function admin(line: string, dataDir: string): Promise<unknown> {
  return parseDataCommand(line.split(' '))?.(loadConfig({ DATA_DIR: dataDir }));
}

// A backup of a MongoDB server is made by its own programs.
it.skipIf(process.env.TEST_MONGODB_URI)(
  'a backup names missing and damaged files and the way out, and leaves them out when it is told to',
  async () => {
    service = await startTestService();
    const { api, dataDir } = service;
    const files = await Promise.all(
      [1, 2, 3].map((seed) => noiseImage(`${seed}.png`, { width: 60, height: 40, seed })),
    );
    const { sessionId, images } = await api.upload(files);
    const [lost, damaged, whole] = images;
    const pathOf = (key = '') => join(dataDir, 'files', key);
    rmSync(pathOf(lost?.uploadPath));
    const bytes = readFileSync(pathOf(damaged?.uploadPath));
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    writeFileSync(pathOf(damaged?.uploadPath), bytes);

    const first = join(freshDirectory(), 'backup');
    const refused = await admin(`backup --to ${first}`, dataDir).catch((error: Error) => error.message);
    expect(refused).toMatch(`${lost?.uploadPath}, of image ${lost?.id} in session ${sessionId}: missing`);
    expect(refused).toMatch(`${damaged?.uploadPath}, of image ${damaged?.id} in session ${sessionId}: damaged`);
    expect(refused).toMatch(/DELETE \/v1\/sessions.*\n.*--faults skip/);
    expect(existsSync(join(first, 'backup.json'))).toBe(false);

    const second = join(freshDirectory(), 'backup');
    const facts = await admin(`backup --to ${second} --faults skip`, dataDir);
    const leftOut = [
      { path: lost?.uploadPath, sessionId, imageId: lost?.id, state: 'missing' },
      { path: damaged?.uploadPath, sessionId, imageId: damaged?.id, state: 'damaged' },
    ];
    expect(facts).toMatchObject({ namedFiles: 3, leftOut: expect.arrayContaining(leftOut) });
    const restored = join(freshDirectory(), 'data');
    await admin(`restore --from ${second}`, restored);
    const isThere = [lost, damaged, whole].map((image) => existsSync(join(restored, 'files', image?.uploadPath ?? '')));
    expect(isThere).toEqual([false, false, true]);

    // Without the session whose files are lost the backup is whole.
    await api.request(`/v1/sessions/${sessionId}`, { method: 'DELETE' });
    expect(await admin(`backup --to ${join(freshDirectory(), 'backup')}`, dataDir)).not.toHaveProperty('leftOut');
  },
);
