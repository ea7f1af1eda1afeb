import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { collect, type Follower } from '../crash/job-client.ts';
import { clientOf, createAccountIn, startServiceProcess } from '../crash/service-process.ts';
import { nodeBinary } from '../support/node-binary.ts';

const PHOTO = 'test/fixtures/photos/photo-brushes.jpg';

it.for([20, 22, 24, 26] as const)(
  'service and command line run on Node %i, and SIGTERM ends it',
  async (major, { skip }) => {
    const node = await nodeBinary(major);
    if (!node) return skip(`no Node ${major}`);
    const run = promisify(execFile);
    expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${major}\\.`));
    const folder = await mkdtemp(join(tmpdir(), 'imagewright-runtime-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = { DATA_DIR: join(folder, 'data') };
    const key = await createAccountIn(env, 'runtime@example.com', 100);
    const service = await startServiceProcess(env, [], { node });
    onTestFinished(() => service.kill());

    const api = clientOf(service, key);
    const uploaded = await api.upload([{ name: 'brushes.jpg', bytes: await readFile(PHOTO) }]);
    const follower: Follower = { jobId: null, events: [], clean: false };
    const json = api.exportBody(uploaded, { format: 'webp' });
    await collect(await api.request(`/v1/sessions/${uploaded.sessionId}/export`, { json }), follower, () => {});
    const last = follower.events.at(-1);
    if (last?.event !== 'complete') throw new Error(`expected complete, but received ${JSON.stringify(last)}`);
    const [variant] = last.data.results[0]?.variants ?? [];
    const file = await api.request(`/v1/sessions/${uploaded.sessionId}/download?filename=${variant?.filename}`);
    expect(Buffer.from(await file.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP');

    const out = join(folder, 'out');
    const options = { env: { PATH: process.env.PATH, IMAGEWRIGHT_API_KEY: key, IMAGEWRIGHT_ENDPOINT: service.url } };
    const program = resolve('server/start.mjs');
    await run(node, [program, 'imagewright', 'optimize', resolve(PHOTO), '--format', 'avif', '--out', out], options);
    expect((await readdir(out)).filter((name) => name.endsWith('.avif'))).toHaveLength(1);

    expect(await service.terminate()).toBe(0);
    expect(service.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  },
);
