import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createProcessor, processingConfig } from '../../server/processing/index.ts';
import { probeOf, turnOf } from '../support/turn.ts';
import { encoders, isAlive, nasty, only, SLOW, slowSource, startHarness, until } from './processor-harness.ts';

const silent = { info() {}, warn() {}, error() {} };

describe('limits of a processor', () => {
  it('kills a task above the time limit', async () => {
    const harness = await startHarness({ WORKERS: 1, IMAGE_TIMEOUT_SECONDS: 1 });
    const [before] = encoders(harness);
    await expect(harness.render(slowSource, SLOW)).rejects.toMatchObject({
      code: 'processing_timeout',
      details: { limit: 1 },
    });
    expect(isAlive(before ?? 0)).toBe(false);
    expect(await harness.leftovers()).toEqual([]);
    only(await harness.render(nasty('png-1x1.png'), { format: 'webp' }));
    await harness.close();
  });

  it('refuses an image that was above the time limit twice, without trying it, until an hour has passed', async () => {
    const harness = await startHarness({ WORKERS: 1, IMAGE_TIMEOUT_SECONDS: 1 });
    for (const code of ['processing_timeout', 'processing_timeout', 'processing_failed'])
      await expect(harness.render(slowSource, { ...SLOW, identity: 'slow' })).rejects.toMatchObject({ code });
    only(await harness.render(nasty('png-1x1.png'), { format: 'webp', identity: 'another' }));
    await harness.close();
  });

  it('refuses probes of one account above its quarter of the queue, with Retry-After, and those of no other', async () => {
    const harness = await startHarness({ WORKERS: 1, PROBE_QUEUE_LIMIT: 8 });
    const probe = () => harness.processor.probe(probeOf(nasty('jpeg-grey.jpg'), 'a.jpg'));
    const outcomes = Promise.allSettled(Array.from({ length: 10 }, probe));
    const ofAnother = harness.processor.probe({ ...probeOf(nasty('jpeg-grey.jpg')), account: 'another' });
    expect(await ofAnother).toMatchObject({ format: 'jpeg' });
    const refused = (await outcomes).filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(7);
    expect(refused[0]?.reason).toMatchObject({
      code: 'overloaded',
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
    });
    await harness.close();
  });

  it('refuses to start if a worker still loads SVG and native files', async () => {
    const processor = createProcessor({
      config: processingConfig.parse({ WORKERS: 1 }),
      logger: silent,
      blockLoaders: false,
    });
    await expect(processor.start()).rejects.toThrow(/svg, v/);
    expect(processor.stats().pids).toEqual([]);
    await expect(processor.probe(probeOf(nasty('png-1x1.png'), 'a'))).rejects.toMatchObject({
      code: 'shutting_down',
    });
  });

  it('ends its processes and queued tasks when it is closed', async () => {
    const harness = await startHarness({ WORKERS: 1 });
    const pids = harness.processor.stats().pids;
    const running = harness.render(slowSource, SLOW);
    await until(() => harness.processor.stats().busy === 1);
    const waiting = harness.render(nasty('png-1x1.png'), { format: 'webp' });
    await until(() => harness.processor.stats().queued === 1);
    const outcomes = Promise.allSettled([running, waiting]);
    await harness.processor.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'shutting_down' } });
    }
    expect(pids.some(isAlive)).toBe(false);
    expect(await harness.leftovers()).toEqual([]);
    await harness.close();
  });

  it('passes only the needed environment variables to its processes', async () => {
    process.env.SECRET_OF_THE_SERVICE = 'x';
    const harness = await startHarness({ WORKERS: 1 });
    const environment = execFileSync('cat', [`/proc/${encoders(harness)[0]}/environ`], { encoding: 'utf8' });
    expect(environment).toContain('VIPS_BLOCK_UNTRUSTED=1');
    expect(environment).toContain('MALLOC_ARENA_MAX=1');
    expect(environment).not.toContain('SECRET_OF_THE_SERVICE');
    delete process.env.SECRET_OF_THE_SERVICE;
    await harness.close();
  });
});

describe('the service process', () => {
  it('never loads the image library itself', () => {
    const entry = new URL('../../server/processing/index.ts', import.meta.url).href;
    const script = `import('${entry}').then((m) => { m.variantKey({ variant: {} });
      console.log(/libvips|sharp/.test(require('fs').readFileSync('/proc/self/maps', 'utf8'))); })`;
    expect(execFileSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8' }).trim()).toBe(
      'false',
    );
  });
});

describe('a full disk', () => {
  it('is insufficient_storage and leaves no file', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'imagewright-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      await rm(folder, { recursive: true });
      return context.skip('mounting a small file system is not permitted here');
    }
    const harness = await startHarness({ WORKERS: 1 });
    try {
      const noise = sharp({
        create: {
          width: 400,
          height: 400,
          channels: 3,
          background: '#888',
          noise: { type: 'gaussian', mean: 128, sigma: 60 },
        },
      });
      const source = await harness.store('noise.png', await noise.png().toBuffer());
      const facts = await harness.facts(source);
      const request = { source, facts, format: 'png', preset: 'high', metadata: 'rights' } as const;
      const variants = [
        { name: '40w', width: 40, target: join(folder, 'small') },
        { name: 'full', target: join(folder, 'full') },
      ];
      await expect(harness.processor.render({ ...request, variants }, { turn: turnOf() })).rejects.toMatchObject({
        code: 'insufficient_storage',
      });
      expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).toBe('');
      await harness.processor.render({ ...request, variants: variants.slice(0, 1) }, { turn: turnOf() });
      expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).toBe('small\n');
    } finally {
      await harness.close();
      execFileSync('umount', [folder]);
      await rm(folder, { recursive: true });
    }
  });
});
